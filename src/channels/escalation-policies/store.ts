import { type Database, runSql } from "../../platform/database.ts";
import type { EscalationPolicy } from "./escalation-policy.ts";

/** SQL columns of a policy. */
export const policyColumns = `id, name, steps, repeat, repeat_after_minutes as "repeatAfterMinutes",
  fallback_channel_id as "fallbackChannelId", support_hours as "supportHours",
  from_stages as "isFromStages", created_at as "createdAt", updated_at as "updatedAt"`;

/** Inserts a policy. Returns false if another policy has the same name. */
export async function insertPolicy(
  db: Database,
  accountId: string,
  policy: EscalationPolicy,
): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into escalation_policies (id, account_id, name, steps, repeat, repeat_after_minutes,
        fallback_channel_id, support_hours, from_stages, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      on conflict (account_id, name) do nothing returning 1`,
    [
      policy.id,
      accountId,
      policy.name,
      JSON.stringify(policy.steps),
      policy.repeat,
      policy.repeatAfterMinutes,
      policy.fallbackChannelId,
      policy.supportHours,
      policy.isFromStages,
      policy.createdAt,
    ],
  );
  return rows.length > 0;
}

export async function updatePolicy(
  db: Database,
  accountId: string,
  policy: EscalationPolicy,
): Promise<void> {
  await runSql(
    db,
    `update escalation_policies set name = $3, steps = $4, repeat = $5,
        repeat_after_minutes = $6, fallback_channel_id = $7, support_hours = $8, updated_at = $9
      where account_id = $1 and id = $2`,
    [
      accountId,
      policy.id,
      policy.name,
      JSON.stringify(policy.steps),
      policy.repeat,
      policy.repeatAfterMinutes,
      policy.fallbackChannelId,
      policy.supportHours,
      policy.updatedAt,
    ],
  );
}

export async function findPolicy(
  db: Database,
  accountId: string,
  id: string,
): Promise<EscalationPolicy | null> {
  const text = `select ${policyColumns} from escalation_policies where account_id = $1 and id = $2`;
  const [row] = await runSql<EscalationPolicy>(db, text, [accountId, id]);
  return row ?? null;
}

/** Locks the policy against changes, deletion and new references until the transaction ends. */
export async function lockPolicy(
  db: Database,
  accountId: string,
  id: string,
): Promise<EscalationPolicy | null> {
  const text = `select ${policyColumns} from escalation_policies where account_id = $1 and id = $2
    for update`;
  const [row] = await runSql<EscalationPolicy>(db, text, [accountId, id]);
  return row ?? null;
}

/** Locks the account's policies with the given ids against deletion. Returns the ids that exist. */
export async function holdPolicies(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const text = `select id from escalation_policies where account_id = $1 and id = any($2::uuid[])
    order by id for key share`;
  const rows = await runSql<{ id: string }>(db, text, [accountId, ids]);
  return new Set(rows.map(({ id }) => id));
}

export function listPolicies(
  db: Database,
  accountId: string,
  { limit, nextId }: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<EscalationPolicy[]> {
  return runSql(
    db,
    `select ${policyColumns} from escalation_policies
      where account_id = $1 and ($2::uuid is null or id >= $2) order by id limit $3`,
    [accountId, nextId, limit],
  );
}

/** Lists the names of policies. `isFromStages` marks the policy created from account stages. */
export function listPolicyNames(
  db: Database,
  accountId: string,
): Promise<{ readonly id: string; readonly name: string; readonly isFromStages: boolean }[]> {
  const text = `select id, name, from_stages as "isFromStages" from escalation_policies
    where account_id = $1`;
  return runSql(db, text, [accountId]);
}

export async function deletePolicy(db: Database, accountId: string, id: string): Promise<void> {
  const text = "delete from escalation_policies where account_id = $1 and id = $2";
  await runSql(db, text, [accountId, id]);
}
