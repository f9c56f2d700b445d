import { type Database, runSql } from "../../../platform/database.ts";
import type { ContactOwner, NotificationRules, StoredMethod } from "./contact-method.ts";

const columns = `id, type, config, verified_at as "verifiedAt", created_at as "createdAt",
  updated_at as "updatedAt", version, lan_allowed_by as "lanAllowedBy"`;

export async function insertMethod(
  db: Database,
  { accountId, userId }: ContactOwner,
  method: Pick<StoredMethod, "id" | "type" | "config" | "createdAt" | "lanAllowedBy">,
): Promise<void> {
  await runSql(
    db,
    `insert into contact_methods (id, account_id, user_id, type, config, created_at,
        lan_allowed_by)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      method.id,
      accountId,
      userId,
      method.type,
      method.config,
      method.createdAt,
      method.lanAllowedBy,
    ],
  );
}

/** Lists the contact methods of members, oldest first. A member has at most `maxMethods`. */
export function listMethods(
  db: Database,
  accountId: string,
  userIds: readonly string[],
): Promise<(StoredMethod & { readonly userId: string })[]> {
  return runSql(
    db,
    `select ${columns}, user_id as "userId" from contact_methods
      where account_id = $1 and user_id = any($2::uuid[]) order by id`,
    [accountId, userIds],
  );
}

export interface LockedMethod extends StoredMethod {
  readonly sealedCode: string | null;
  readonly codeExpiresAt: Date | null;
  readonly wrongCodes: number;
}

/** Locks a contact method, so that changes and verification attempts run one at a time. */
export async function lockMethod(
  db: Database,
  { accountId, userId }: ContactOwner,
  id: string,
): Promise<LockedMethod | null> {
  const [row] = await runSql<LockedMethod>(
    db,
    `select ${columns}, sealed_code as "sealedCode", code_expires_at as "codeExpiresAt",
        wrong_codes as "wrongCodes"
      from contact_methods where account_id = $1 and user_id = $2 and id = $3 for update`,
    [accountId, userId, id],
  );
  return row ?? null;
}

export async function updateMethod(
  db: Database,
  accountId: string,
  method: Omit<StoredMethod, "type" | "createdAt" | "version">,
): Promise<void> {
  await runSql(
    db,
    `update contact_methods set config = $3, verified_at = $4, updated_at = $5,
        lan_allowed_by = $6, version = version + 1, sealed_code = null, code_expires_at = null,
        wrong_codes = 0
      where account_id = $1 and id = $2`,
    [accountId, method.id, method.config, method.verifiedAt, method.updatedAt, method.lanAllowedBy],
  );
}

/** Replaces the pending verification code; `null` removes the code. */
export async function saveCode(
  db: Database,
  accountId: string,
  code: { readonly id: string; readonly sealed: string | null; readonly expiresAt: Date | null },
): Promise<void> {
  await runSql(
    db,
    `update contact_methods set sealed_code = $3, code_expires_at = $4, wrong_codes = 0
      where account_id = $1 and id = $2`,
    [accountId, code.id, code.sealed, code.expiresAt],
  );
}

export async function countWrongCode(db: Database, accountId: string, id: string): Promise<void> {
  await runSql(
    db,
    "update contact_methods set wrong_codes = wrong_codes + 1 where account_id = $1 and id = $2",
    [accountId, id],
  );
}

export async function deleteMethod(
  db: Database,
  { accountId, userId }: ContactOwner,
  id: string,
): Promise<{ readonly type: string } | null> {
  const [row] = await runSql<{ type: string }>(
    db,
    `delete from contact_methods where account_id = $1 and user_id = $2 and id = $3
      returning type`,
    [accountId, userId, id],
  );
  return row ?? null;
}

/** A member, and the data that decides how the member can be reached. */
export interface ReachableMember {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly deviceCount: number;
  /** Stored notification rules of the member; `null` if the member uses the default rules. */
  readonly rules: NotificationRules | null;
}

/** Lists the members with the given user ids. Former members are missing from the result. */
export function listMembers(
  db: Database,
  accountId: string,
  userIds: readonly string[],
): Promise<ReachableMember[]> {
  return runSql(
    db,
    `select m.user_id as "userId", coalesce(nullif(m.name, ''), m.email) as name, m.email,
        (select count(*)::int from push_subscriptions p
          where p.account_id = m.account_id and p.user_id = m.user_id) as "deviceCount",
        (select rules from notification_rules r
          where r.account_id = m.account_id and r.user_id = m.user_id) as rules
      from account_members m where m.account_id = $1 and m.user_id = any($2::uuid[])`,
    [accountId, userIds],
  );
}

export async function saveRules(
  db: Database,
  { accountId, userId }: ContactOwner,
  { rules, at }: { readonly rules: NotificationRules; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `insert into notification_rules (account_id, user_id, rules, updated_at)
      values ($1, $2, $3, $4)
      on conflict (account_id, user_id) do update set rules = excluded.rules,
        updated_at = excluded.updated_at`,
    [accountId, userId, JSON.stringify(rules), at],
  );
}

/** Lists the configurations of the newest contact methods, across all accounts. */
export function listNewestConfigs(
  db: Database,
  limit: number,
): Promise<Pick<StoredMethod, "type" | "config">[]> {
  return runSql(db, "select type, config from contact_methods order by id desc limit $1", [limit]);
}
