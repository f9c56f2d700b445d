import { type Database, runSql } from "../../../platform/database.ts";
import type { ApiKey } from "./api-key.ts";

const columns = `id, name, case when user_id is null then 'SERVICE' else 'USER' end as type,
  user_id as "userId", role, last_four as "lastFour", created_at as "createdAt",
  expires_at as "expiresAt", last_used_at as "lastUsedAt", last_used_address as "lastUsedAddress"`;

export async function insertApiKey(
  db: Database,
  accountId: string,
  key: Omit<ApiKey, "lastUsedAddress"> & { readonly hash: Buffer },
): Promise<void> {
  await runSql(
    db,
    `insert into api_keys (id, account_id, user_id, name, key_hash, last_four, role, created_at,
        expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      key.id,
      accountId,
      key.userId,
      key.name,
      key.hash,
      key.lastFour,
      key.role,
      key.createdAt,
      key.expiresAt,
    ],
  );
}

export interface ApiKeyQuery {
  readonly limit: number;
  readonly nextId?: string | undefined;
  /** Limits the list to the keys of this user. */
  readonly userId?: string | null | undefined;
}

export function listApiKeys(
  db: Database,
  accountId: string,
  { limit, nextId, userId }: ApiKeyQuery,
): Promise<ApiKey[]> {
  return runSql(
    db,
    `select ${columns} from api_keys where account_id = $1
      and ($3::uuid is null or id >= $3) and ($4 or user_id = $5)
      order by id limit $2`,
    [accountId, limit, nextId, userId === undefined, userId],
  );
}

export async function countApiKeys(db: Database, accountId: string): Promise<number> {
  const text = "select count(*) as count from api_keys where account_id = $1";
  const [row] = await runSql<{ count: number }>(db, text, [accountId]);
  return row?.count ?? 0;
}

export async function findApiKey(
  db: Database,
  accountId: string,
  id: string,
): Promise<ApiKey | null> {
  const text = `select ${columns} from api_keys where account_id = $1 and id = $2`;
  const [row] = await runSql<ApiKey>(db, text, [accountId, id]);
  return row ?? null;
}

export async function updateApiKeyName(
  db: Database,
  accountId: string,
  change: { readonly id: string; readonly name: string },
): Promise<boolean> {
  const text = "update api_keys set name = $3 where account_id = $1 and id = $2 returning 1";
  return (await runSql(db, text, [accountId, change.id, change.name])).length > 0;
}

export async function deleteApiKey(db: Database, accountId: string, id: string): Promise<boolean> {
  const text = "delete from api_keys where account_id = $1 and id = $2 returning 1";
  return (await runSql(db, text, [accountId, id])).length > 0;
}
