/** For those who are no callers: a key or a cookie proves itself, whichever account it is of. */
import type { Database } from "../../../platform/database.ts";
import type { PageReference } from "../page-reference.ts";
import type { KeyTables } from "./store.ts";

export interface StoredKey {
  readonly id: string;
  readonly hash: Buffer;
}

export async function findPageKeyByHash(
  db: Database,
  page: PageReference,
  hash: Buffer,
): Promise<StoredKey | null> {
  const row = await db
    .withTables<KeyTables>()
    .selectFrom("page_keys")
    .select(["id", "key_hash"])
    .where("key_hash", "=", hash)
    .where("page_kind", "=", page.pageKind)
    .where("page_id", "=", page.pageId)
    .executeTakeFirst();
  return row === undefined ? null : { id: row.id, hash: row.key_hash };
}

export async function findPageKeyById(
  db: Database,
  page: PageReference,
  id: string,
): Promise<StoredKey | null> {
  const row = await db
    .withTables<KeyTables>()
    .selectFrom("page_keys")
    .select(["id", "key_hash"])
    .where("id", "=", id)
    .where("page_kind", "=", page.pageKind)
    .where("page_id", "=", page.pageId)
    .executeTakeFirst();
  return row === undefined ? null : { id: row.id, hash: row.key_hash };
}
