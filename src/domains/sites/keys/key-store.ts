import { randomBytes } from "node:crypto";
import { type Database, lockName } from "../../../platform/database.ts";
import type { PageKind, PageReference } from "../page-names.ts";

export const maxKeysPerPage = 10;

export const pageKeyPattern = /^da_[0-9a-f]{32}$/;

/** A key that opens a private page. Only its hash is stored. */
export interface PageKey {
  readonly id: string;
  readonly lastFour: string;
  /** Masked form for display. */
  readonly maskedKey: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** Accurate to the minute; `null` if it was never used. */
  readonly lastUsedAt: Date | null;
}

/** The raw key is returned only in the response that creates it. */
export type ShownPageKey = PageKey & { readonly rawKey: string };

export function createRawPageKey(): string {
  return `da_${randomBytes(16).toString("hex")}`;
}

export function maskPageKey(lastFour: string): string {
  return `da_...${lastFour}`;
}

export type KeyTables = {
  page_keys: {
    id: string;
    account_id: string;
    page_kind: PageKind;
    page_id: string;
    key_hash: Buffer;
    last_four: string;
    created_at: Date;
    updated_at: Date | null;
    last_used_at: Date | null;
  };
};

const tables = (db: Database) => db.withTables<KeyTables>();
const columns = ["id", "last_four", "created_at", "updated_at", "last_used_at"] as const;

/** With the page that it opens. */
export type StoredPageKey = PageKey & { readonly pageId: string };

function toPageKey(row: Pick<KeyTables["page_keys"], (typeof columns)[number]>): PageKey {
  return {
    id: row.id,
    lastFour: row.last_four,
    maskedKey: maskPageKey(row.last_four),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastUsedAt: row.last_used_at,
  };
}

/** Concurrent transactions wait before they count or add keys of this page. */
export async function lockPageKeys(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<void> {
  await lockName(db, `page keys ${accountId} ${page.pageKind} ${page.pageId}`);
}

export async function insertPageKey(
  db: Database,
  accountId: string,
  key: PageReference & Omit<PageKey, "maskedKey"> & { readonly hash: Buffer },
): Promise<void> {
  await tables(db)
    .insertInto("page_keys")
    .values({
      id: key.id,
      account_id: accountId,
      page_kind: key.pageKind,
      page_id: key.pageId,
      key_hash: key.hash,
      last_four: key.lastFour,
      created_at: key.createdAt,
      updated_at: key.updatedAt,
      last_used_at: key.lastUsedAt,
    })
    .execute();
}

/** Keys of the given pages, oldest first. */
export async function listPageKeys(
  db: Database,
  accountId: string,
  query: { readonly pageKind: PageKind; readonly pageIds: readonly string[] },
): Promise<StoredPageKey[]> {
  if (query.pageIds.length === 0) return [];
  const rows = await tables(db)
    .selectFrom("page_keys")
    .select([...columns, "page_id"])
    .where("account_id", "=", accountId)
    .where("page_kind", "=", query.pageKind)
    .where("page_id", "in", [...query.pageIds])
    .orderBy("id")
    .limit(query.pageIds.length * maxKeysPerPage)
    .execute();
  return rows.map((row) => ({ ...toPageKey(row), pageId: row.page_id }));
}

/** Returns `null` if the page has no such key. */
export async function replacePageKey(
  db: Database,
  accountId: string,
  change: PageReference & {
    readonly id: string;
    readonly hash: Buffer;
    readonly lastFour: string;
    readonly at: Date;
  },
): Promise<PageKey | null> {
  const row = await tables(db)
    .updateTable("page_keys")
    .set({
      key_hash: change.hash,
      last_four: change.lastFour,
      updated_at: change.at,
      last_used_at: null,
    })
    .where("account_id", "=", accountId)
    .where("page_kind", "=", change.pageKind)
    .where("page_id", "=", change.pageId)
    .where("id", "=", change.id)
    .returning(columns)
    .executeTakeFirst();
  return row === undefined ? null : toPageKey(row);
}

/** Returns `null` if the page has no such key. */
export async function deletePageKey(
  db: Database,
  accountId: string,
  key: PageReference & { readonly id: string },
): Promise<PageKey | null> {
  const row = await tables(db)
    .deleteFrom("page_keys")
    .where("account_id", "=", accountId)
    .where("page_kind", "=", key.pageKind)
    .where("page_id", "=", key.pageId)
    .where("id", "=", key.id)
    .returning(columns)
    .executeTakeFirst();
  return row === undefined ? null : toPageKey(row);
}

export async function deletePageKeys(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<void> {
  await tables(db)
    .deleteFrom("page_keys")
    .where("account_id", "=", accountId)
    .where("page_kind", "=", page.pageKind)
    .where("page_id", "=", page.pageId)
    .execute();
}

export interface StoredKey {
  readonly id: string;
  readonly hash: Buffer;
  readonly lastUsedAt: Date | null;
}

/** Finds a key for a visitor, who belongs to no account: a key or a cookie is the proof. */
export async function findStoredKey(
  db: Database,
  page: PageReference,
  by: { readonly hash: Buffer } | { readonly id: string },
): Promise<StoredKey | null> {
  const keys = db
    .withTables<KeyTables>()
    .selectFrom("page_keys")
    .select(["id", "key_hash as hash", "last_used_at as lastUsedAt"])
    .where("page_kind", "=", page.pageKind)
    .where("page_id", "=", page.pageId);
  const found = "id" in by ? keys.where("id", "=", by.id) : keys.where("key_hash", "=", by.hash);
  return (await found.executeTakeFirst()) ?? null;
}

export async function saveKeyUse(db: Database, id: string, at: Date): Promise<void> {
  await db
    .withTables<KeyTables>()
    .updateTable("page_keys")
    .set({ last_used_at: at })
    .where("id", "=", id)
    .execute();
}
