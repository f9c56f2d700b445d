import { randomBytes } from "node:crypto";
import { type Database, lockName, runSql } from "../../../platform/database.ts";
import type { PageKind, PageReference } from "../page-names.ts";

export const maxKeysPerPage = 10;

export const pageKeyPattern = /^da_[0-9a-f]{32}$/;

/** A key that gives access to a private page. Only the hash of the key is stored. */
export interface PageKey {
  readonly id: string;
  readonly lastFour: string;
  /** Masked key for display. */
  readonly maskedKey: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** Last use, accurate to the minute; `null` if the key was never used. */
  readonly lastUsedAt: Date | null;
}

/**
 * A key with its raw value. Only the response that creates or rotates the key contains this value.
 */
export type ShownPageKey = PageKey & { readonly rawKey: string };

export function createRawPageKey(): string {
  return `da_${randomBytes(16).toString("hex")}`;
}

export function maskPageKey(lastFour: string): string {
  return `da_...${lastFour}`;
}

const columns = `id, last_four as "lastFour", created_at as "createdAt", updated_at as "updatedAt",
  last_used_at as "lastUsedAt"`;

/** A key with the id of its page. */
type StoredPageKey = PageKey & { readonly pageId: string };

type KeyRow = Omit<PageKey, "maskedKey">;

function toPageKey<Row extends KeyRow>(row: Row): Row & PageKey {
  return { ...row, maskedKey: maskPageKey(row.lastFour) };
}

/** Locks the keys of a page, so that concurrent transactions do not exceed the maximum. */
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
  key: PageReference & KeyRow & { readonly hash: Buffer },
): Promise<void> {
  await runSql(
    db,
    `insert into page_keys (id, account_id, page_kind, page_id, key_hash, last_four, created_at,
        updated_at, last_used_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      key.id,
      accountId,
      key.pageKind,
      key.pageId,
      key.hash,
      key.lastFour,
      key.createdAt,
      key.updatedAt,
      key.lastUsedAt,
    ],
  );
}

/** Lists the keys of the given pages, oldest first. */
export async function listPageKeys(
  db: Database,
  accountId: string,
  query: { readonly pageKind: PageKind; readonly pageIds: readonly string[] },
): Promise<StoredPageKey[]> {
  if (query.pageIds.length === 0) return [];
  const rows = await runSql<KeyRow & { readonly pageId: string }>(
    db,
    `select ${columns}, page_id as "pageId" from page_keys
      where account_id = $1 and page_kind = $2 and page_id = any($3::text[]) order by id limit $4`,
    [accountId, query.pageKind, query.pageIds, query.pageIds.length * maxKeysPerPage],
  );
  return rows.map(toPageKey);
}

/** Replaces a key with a new one; returns `null` if the page has no key with this id. */
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
  const { pageKind, pageId, id, hash, lastFour, at } = change;
  const [row] = await runSql<KeyRow>(
    db,
    `update page_keys set key_hash = $5, last_four = $6, updated_at = $7, last_used_at = null
      where account_id = $1 and page_kind = $2 and page_id = $3 and id = $4
      returning ${columns}`,
    [accountId, pageKind, pageId, id, hash, lastFour, at],
  );
  return row === undefined ? null : toPageKey(row);
}

/** Deletes a key; returns `null` if the page has no key with this id. */
export async function deletePageKey(
  db: Database,
  accountId: string,
  key: PageReference & { readonly id: string },
): Promise<PageKey | null> {
  const [row] = await runSql<KeyRow>(
    db,
    `delete from page_keys where account_id = $1 and page_kind = $2 and page_id = $3 and id = $4
      returning ${columns}`,
    [accountId, key.pageKind, key.pageId, key.id],
  );
  return row === undefined ? null : toPageKey(row);
}

export async function deletePageKeys(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<void> {
  const text = "delete from page_keys where account_id = $1 and page_kind = $2 and page_id = $3";
  await runSql(db, text, [accountId, page.pageKind, page.pageId]);
}

export interface StoredKey {
  readonly id: string;
  readonly hash: Buffer;
  readonly lastUsedAt: Date | null;
}

/** Finds a key without an account id, because a visitor has only a key or a cookie. */
export async function findStoredKey(
  db: Database,
  page: PageReference,
  by: { readonly hash: Buffer } | { readonly id: string },
): Promise<StoredKey | null> {
  const [row] = await runSql<StoredKey>(
    db,
    `select id, key_hash as hash, last_used_at as "lastUsedAt" from page_keys
      where page_kind = $1 and page_id = $2 and ${"id" in by ? "id" : "key_hash"} = $3`,
    [page.pageKind, page.pageId, "id" in by ? by.id : by.hash],
  );
  return row ?? null;
}

export async function saveKeyUse(db: Database, id: string, at: Date): Promise<void> {
  await runSql(db, "update page_keys set last_used_at = $2 where id = $1", [id, at]);
}
