import type { Database } from "../../platform/database.ts";
import type { IncidentRecord } from "./incident.ts";
import { type IncidentTables, recordColumns, toRecord } from "./store.ts";

/** Finds and locks the open incident that is controlled by the check; there is at most one. */
export async function lockOwnIncident(
  db: Database,
  accountId: string,
  checkId: string,
): Promise<IncidentRecord | null> {
  const row = await db
    .withTables<IncidentTables>()
    .selectFrom("incidents")
    .select(recordColumns)
    .where("account_id", "=", accountId)
    .where("check_id", "=", checkId)
    .where("is_automatic", "=", true)
    .where("resolved_at", "is", null)
    .where("taken_over_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : toRecord(row);
}
