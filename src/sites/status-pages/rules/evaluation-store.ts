/** Queue of requests to evaluate automation rules, which a loop processes for all accounts. */
import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import { lockRules, releaseRuleIncident, saveRuleState } from "./store.ts";

/** Lists accounts that have a rule with failing checks, as of the rule's last evaluation. */
async function listAccountsWithFailingRules(db: Database): Promise<string[]> {
  const text = `select distinct account_id as "accountId" from status_page_rules
    where failing_check_ids <> '{}'`;
  return (await runSql<{ accountId: string }>(db, text)).map(({ accountId }) => accountId);
}

/** Requests an evaluation of the automation rules of accounts, if they have any. */
export async function requestRuleEvaluation(
  db: Database,
  accountIds: readonly string[],
  dueAt: Date,
): Promise<void> {
  await runPrepared(db, {
    name: "request-rule-evaluation",
    text: `insert into rule_evaluations (account_id, due_at)
      select one.id, $2 from unnest($1::uuid[]) as one (id)
      where exists (select 1 from status_page_rules where account_id = one.id)`,
    values: [accountIds, dueAt],
  });
}

/** Lists accounts whose rules are due for evaluation. */
async function listDueEvaluations(
  db: Database,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<string[]> {
  const text = `select account_id as "accountId" from rule_evaluations where due_at <= $1
    group by account_id order by min(due_at) limit $2`;
  return (await runSql<{ accountId: string }>(db, text, [now, limit])).map((row) => row.accountId);
}

/** Deletes the due evaluations of an account, in the transaction that evaluates its rules. */
async function takeDueEvaluations(db: Database, accountId: string, now: Date): Promise<void> {
  const text = "delete from rule_evaluations where account_id = $1 and due_at <= $2";
  await runSql(db, text, [accountId, now]);
}

/** Functions with which another module evaluates automation rules. */
export const ruleEvaluations = {
  request: requestRuleEvaluation,
  listDue: listDueEvaluations,
  takeDue: takeDueEvaluations,
  listAccountsWithFailing: listAccountsWithFailingRules,
  lockRules,
  saveState: saveRuleState,
  releaseIncident: releaseRuleIncident,
} as const;
