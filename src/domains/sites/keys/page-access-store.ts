/** Queries for visitors, who belong to no account: a key or a cookie is the proof. */
import type { Database } from "../../../platform/database.ts";
import type { PageReference } from "../page-reference.ts";
import type { KeyTables } from "./store.ts";

export interface StoredKey {
  readonly id: string;
  readonly hash: Buffer;
  readonly lastUsedAt: Date | null;
}

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
