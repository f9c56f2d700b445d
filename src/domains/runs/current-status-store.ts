import { type Database, runPrepared } from "../../platform/database.ts";
import type { CheckState } from "./state.ts";

export interface StoredStatus {
  readonly checkId: string;
  readonly status: CheckState["status"];
  readonly since: Date;
  readonly lastDueAt: Date;
}

/** Lists the last recorded status of checks of any account. */
export function listStoredStatuses(
  db: Database,
  checkIds: readonly string[],
): Promise<StoredStatus[]> {
  return runPrepared<StoredStatus>(db, {
    name: "list-stored-statuses",
    text: `select check_id as "checkId", status, since, last_due_at as "lastDueAt"
      from check_states where check_id = any($1::uuid[])`,
    values: [checkIds],
  });
}
