import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import type { SitesContext } from "../context.ts";
import type { PageReference } from "../page-reference.ts";
import { createRawPageKey, maxKeysPerPage, type PageKey, type ShownPageKey } from "./page-key.ts";
import {
  deletePageKey,
  insertPageKey,
  listPageKeys,
  lockPageKeys,
  replacePageKey,
} from "./store.ts";

/** Whoever calls these has made sure that the page is the caller's. */
type KeysContext = Pick<SitesContext, "db" | "clock">;

export async function createPageKey(
  context: KeysContext,
  caller: Caller,
  page: PageReference & {
    /** Keeps the page from being deleted until the transaction ends; false when it is gone. */
    readonly hold: (db: Database) => Promise<boolean>;
  },
): Promise<ShownPageKey> {
  const { pageKind, pageId } = page;
  const at = context.clock.now();
  const rawKey = createRawPageKey();
  const lastFour = rawKey.slice(-4);
  const key = { id: randomUUIDv7(), lastFour, createdAt: at, updatedAt: null };
  await inTransaction(context.db, async (db) => {
    await lockPageKeys(db, caller.accountId, page);
    if (!(await page.hold(db))) throw notFound();
    const keys = await listPageKeys(db, caller.accountId, { ...page, limit: maxKeysPerPage });
    if (keys.length >= maxKeysPerPage) {
      throw conflict(`a page has at most ${maxKeysPerPage} keys; delete one first`);
    }
    const stored = { pageKind, pageId, ...key, hash: hashSecret(rawKey) };
    await insertPageKey(db, caller.accountId, stored);
    const changes = { keyId: key.id, lastFour };
    const note = { action: `${pageKind}.key-created`, targetId: pageId, changes, at };
    await writeAuditEntry(db, caller, note);
  });
  return { ...key, rawKey };
}

export function listKeysOfPage(
  context: KeysContext,
  caller: Caller,
  page: PageReference,
): Promise<PageKey[]> {
  return listPageKeys(context.db, caller.accountId, { ...page, limit: maxKeysPerPage });
}

/** The old key, and every browser that came in with it, is out from this moment. */
export async function rotatePageKey(
  context: KeysContext,
  caller: Caller,
  { keyId: id, ...page }: PageReference & { readonly keyId: string },
): Promise<ShownPageKey> {
  const at = context.clock.now();
  const rawKey = createRawPageKey();
  const lastFour = rawKey.slice(-4);
  const change = { ...page, id, hash: hashSecret(rawKey), lastFour, at };
  return inTransaction(context.db, async (db) => {
    const key = await replacePageKey(db, caller.accountId, change);
    if (key === null) throw notFound();
    const changes = { keyId: key.id, lastFour };
    const note = { action: `${page.pageKind}.key-rotated`, targetId: page.pageId, changes, at };
    await writeAuditEntry(db, caller, note);
    return { ...key, rawKey };
  });
}

export async function removePageKey(
  context: KeysContext,
  caller: Caller,
  { keyId: id, ...page }: PageReference & { readonly keyId: string },
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const key = await deletePageKey(db, caller.accountId, { ...page, id });
    if (key === null) throw notFound();
    const changes = { keyId: key.id, lastFour: key.lastFour };
    const note = { action: `${page.pageKind}.key-deleted`, targetId: page.pageId, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}
