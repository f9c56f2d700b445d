import { type Database, runSql } from "../../../platform/database.ts";
import { type AlertState, findAlertedPhase } from "../alert-state.ts";
import type { AlertedCheck } from "./rule-decision.ts";

/** Lists the active checks of the account that have an open alert, among the given ones. */
export async function listAlertedChecks(
  db: Database,
  accountId: string,
  checkIds: readonly string[],
): Promise<AlertedCheck[]> {
  const text = `select one.id, one.tags, alerted.state from alert_states as alerted
    join checks_with_group as one on one.id = alerted.check_id
    where alerted.check_id = any($2::uuid[]) and one.account_id = $1 and one.is_active
      and alerted.state ->> 'alertedKind' is not null`;
  const rows = await runSql<{ id: string; tags: string[]; state: AlertState }>(db, text, [
    accountId,
    checkIds,
  ]);
  return rows.map(({ state, ...check }) => {
    return { ...check, isFailing: findAlertedPhase(state) === "failing" };
  });
}
