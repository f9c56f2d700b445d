import { type Database, runSql } from "../../../platform/database.ts";
import { createSecret } from "../../../platform/secrets.ts";
import type { Caller } from "../caller.ts";
import { isAtLeast, lesserRole, type Role } from "../caller.ts";

/** Types of API keys. A user key acts in all accounts of its user, a service key in one account. */
export const apiKeyTypes = ["USER", "SERVICE"] as const;
type ApiKeyType = (typeof apiKeyTypes)[number];

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly type: ApiKeyType;
  readonly userId: string | null;
  readonly role: Role;
  readonly lastFour: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly lastUsedAddress: string | null;
}

export interface ApiKeyInput {
  readonly name: string;
  readonly type?: ApiKeyType | undefined;
  readonly role?: Role | undefined;
  readonly expiresAt?: Date | null | undefined;
}

type ApiKeyDecision =
  | { readonly kind: "granted"; readonly type: ApiKeyType; readonly role: Role }
  | { readonly kind: "role-above-own" }
  | { readonly kind: "service-keys-need-admin" }
  | { readonly kind: "no-person-to-own-it" };

export function createRawKey(): string {
  return `vd_${createSecret(32)}`;
}

export function maskKey(lastFour: string): string {
  return `...${lastFour}`;
}

/** Decides the type and role of a new API key. A key never has more rights than its creator. */
export function decideApiKey(caller: Caller, input: ApiKeyInput): ApiKeyDecision {
  const type = input.type ?? (caller.userId === null ? "SERVICE" : "USER");
  const role = input.role ?? lesserRole(caller.role, "READ_WRITE");
  if (!isAtLeast(caller.role, role)) return { kind: "role-above-own" };
  if (type === "SERVICE" && !isAtLeast(caller.role, "ADMIN")) {
    return { kind: "service-keys-need-admin" };
  }
  if (type === "USER" && caller.userId === null) return { kind: "no-person-to-own-it" };
  return { kind: "granted", type, role };
}

/**
 * Returns whether a caller may view, rename and revoke a key. Users may do so with their own keys,
 * and administrators with all keys of the account.
 */
export function mayHandle(caller: Caller, key: Pick<ApiKey, "userId">): boolean {
  return isAtLeast(caller.role, "ADMIN") || (key.userId !== null && key.userId === caller.userId);
}

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
  /** Id of the user whose keys are listed. If absent, the keys of all users are listed. */
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

/** Deletes the keys of a user in all accounts. Returns their number. */
export async function deleteApiKeysOfUser(db: Database, userId: string): Promise<number> {
  return (await runSql(db, "delete from api_keys where user_id = $1 returning 1", [userId])).length;
}
