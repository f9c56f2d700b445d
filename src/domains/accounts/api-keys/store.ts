import type { Database } from "../../../platform/database.ts";
import type { Role } from "../role.ts";
import type { ApiKey } from "./api-key.ts";

type ApiKeyTables = {
  api_keys: {
    id: string;
    account_id: string;
    user_id: string | null;
    name: string;
    key_hash: Buffer;
    last_four: string;
    role: Role;
    created_at: Date;
    expires_at: Date | null;
    last_used_at: Date | null;
    last_used_address: string | null;
  };
};

type ApiKeyRow = Omit<ApiKeyTables["api_keys"], "account_id" | "key_hash">;

const columns = [
  "id",
  "user_id",
  "name",
  "last_four",
  "role",
  "created_at",
  "expires_at",
  "last_used_at",
  "last_used_address",
] as const;

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    type: row.user_id === null ? "SERVICE" : "USER",
    userId: row.user_id,
    role: row.role,
    lastFour: row.last_four,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    lastUsedAddress: row.last_used_address,
  };
}

export async function insertApiKey(
  db: Database,
  accountId: string,
  key: Omit<ApiKey, "lastUsedAddress"> & { readonly hash: Buffer },
): Promise<void> {
  await db
    .withTables<ApiKeyTables>()
    .insertInto("api_keys")
    .values({
      id: key.id,
      account_id: accountId,
      user_id: key.userId,
      name: key.name,
      key_hash: key.hash,
      last_four: key.lastFour,
      role: key.role,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      last_used_at: null,
      last_used_address: null,
    })
    .execute();
}

export interface ApiKeyQuery {
  readonly limit: number;
  readonly nextId?: string | undefined;
  /** Limits the list to the keys of this user. */
  readonly userId?: string | null | undefined;
}

export async function listApiKeys(
  db: Database,
  accountId: string,
  query: ApiKeyQuery,
): Promise<ApiKey[]> {
  let select = db
    .withTables<ApiKeyTables>()
    .selectFrom("api_keys")
    .select(columns)
    .where("account_id", "=", accountId)
    .orderBy("id")
    .limit(query.limit);
  if (query.nextId !== undefined) select = select.where("id", ">=", query.nextId);
  if (query.userId !== undefined) select = select.where("user_id", "=", query.userId);
  return (await select.execute()).map(toApiKey);
}

export async function countApiKeys(db: Database, accountId: string): Promise<number> {
  const row = await db
    .withTables<ApiKeyTables>()
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function findApiKey(
  db: Database,
  accountId: string,
  id: string,
): Promise<ApiKey | null> {
  const row = await db
    .withTables<ApiKeyTables>()
    .selectFrom("api_keys")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? null : toApiKey(row);
}

export async function updateApiKeyName(
  db: Database,
  accountId: string,
  change: { readonly id: string; readonly name: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .withTables<ApiKeyTables>()
    .updateTable("api_keys")
    .set({ name: change.name })
    .where("account_id", "=", accountId)
    .where("id", "=", change.id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteApiKey(db: Database, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .withTables<ApiKeyTables>()
    .deleteFrom("api_keys")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
