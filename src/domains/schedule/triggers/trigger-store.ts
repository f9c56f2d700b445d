import { timingSafeEqual } from "node:crypto";
import { type Database, runSql } from "../../../platform/database.ts";
import { hashSecret } from "../../../platform/secrets.ts";

/** What a trigger runs: one check, or the checks of a group. */
export type TriggerSubject =
  | { readonly checkId: string; readonly groupId: null }
  | { readonly checkId: null; readonly groupId: number };

export interface RunTrigger {
  readonly id: number;
  readonly accountId: string;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly token: string;
  readonly createdAt: Date;
  readonly calledAt: Date | null;
}

const columns = `id, account_id as "accountId", check_id as "checkId", group_id as "groupId",
  token, created_at as "createdAt", called_at as "calledAt"`;
const ofSubject = "(check_id = $1::uuid or group_id = $2::integer)";

export async function findTrigger(
  db: Database,
  accountId: string,
  { checkId, groupId }: TriggerSubject,
): Promise<RunTrigger | null> {
  const text = `select ${columns} from run_triggers where ${ofSubject} and account_id = $3`;
  const [row] = await runSql<RunTrigger>(db, text, [checkId, groupId, accountId]);
  return row ?? null;
}

export async function findTriggerByToken(
  db: Database,
  { checkId, groupId }: TriggerSubject,
  token: string,
): Promise<RunTrigger | null> {
  const text = `select ${columns} from run_triggers where ${ofSubject}`;
  const [row] = await runSql<RunTrigger>(db, text, [checkId, groupId]);
  return row !== undefined && isSameSecret(row.token, token) ? row : null;
}

/** Takes the same time wherever the texts differ. */
function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hashSecret(one), hashSecret(other));
}

export async function insertTrigger(
  db: Database,
  accountId: string,
  { checkId, groupId, token, at }: TriggerSubject & { readonly token: string; readonly at: Date },
): Promise<void> {
  const text = `insert into run_triggers (account_id, check_id, group_id, token, created_at)
    values ($1, $2, $3, $4, $5) on conflict do nothing`;
  await runSql(db, text, [accountId, checkId, groupId, token, at]);
}

export async function noteTriggerCall(
  db: Database,
  accountId: string,
  { id, at }: { readonly id: number; readonly at: Date },
): Promise<void> {
  const text = "update run_triggers set called_at = $3 where account_id = $1 and id = $2";
  await runSql(db, text, [accountId, id, at]);
}

export async function deleteTrigger(
  db: Database,
  accountId: string,
  { checkId, groupId }: TriggerSubject,
): Promise<boolean> {
  const text = `delete from run_triggers where ${ofSubject} and account_id = $3 returning id`;
  return (await runSql(db, text, [checkId, groupId, accountId])).length > 0;
}
