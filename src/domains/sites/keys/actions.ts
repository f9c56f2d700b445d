import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import type { SitesContext } from "../context.ts";
import type { PageReference } from "../page-names.ts";
import {
  createRawPageKey,
  deletePageKey,
  insertPageKey,
  listPageKeys,
  lockPageKeys,
  maskPageKey,
  maxKeysPerPage,
  replacePageKey,
  type ShownPageKey,
} from "./key-store.ts";

/** Callers must have authorised access to the page. */
type KeysContext = Pick<SitesContext, "db" | "clock">;

/** In the caller's transaction. */
export async function addPageKey(
  db: Database,
  accountId: string,
  { pageKind, pageId, at }: PageReference & { readonly at: Date },
): Promise<ShownPageKey> {
  const rawKey = createRawPageKey();
  const lastFour = rawKey.slice(-4);
  const times = { createdAt: at, updatedAt: null, lastUsedAt: null };
  const key = { id: randomUUIDv7(), lastFour, ...times };
  await insertPageKey(db, accountId, { pageKind, pageId, ...key, hash: hashSecret(rawKey) });
  return { ...key, maskedKey: maskPageKey(key.lastFour), rawKey };
}

export async function createPageKey(
  context: KeysContext,
  caller: Caller,
  page: PageReference & {
    /**
     * Locks the page against deletion until the transaction ends; returns false if it does not
     * exist.
     */
    readonly hold: (db: Database) => Promise<boolean>;
  },
): Promise<ShownPageKey> {
  const { pageKind, pageId } = page;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    await lockPageKeys(db, caller.accountId, page);
    if (!(await page.hold(db))) throw notFound();
    const keys = await listPageKeys(db, caller.accountId, { pageKind, pageIds: [pageId] });
    if (keys.length >= maxKeysPerPage) {
      throw conflict(`a page has at most ${maxKeysPerPage} keys; delete one first`);
    }
    const key = await addPageKey(db, caller.accountId, { pageKind, pageId, at });
    const changes = { keyId: key.id, lastFour: key.lastFour };
    const note = { action: `${pageKind}.key-created`, targetId: pageId, changes, at };
    await writeAuditEntry(db, caller, note);
    return key;
  });
}

/** Revokes the old key and every cookie that was issued for it. */
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
