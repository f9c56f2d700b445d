import { type Database, runSql } from "../../platform/database.ts";
import type { MaintenanceWindow } from "./maintenance-window.ts";
import { hiddenFromPages, type PageVisibility } from "./planned-window.ts";

/** Maps accounts to their maintenance windows. An account without windows is absent. */
export async function listWindowsOf(
  db: Database,
  accountIds: readonly string[],
): Promise<Map<string, MaintenanceWindow[]>> {
  const found = new Map<string, MaintenanceWindow[]>();
  if (accountIds.length === 0) return found;
  const rows = await runSql<{ accountId: string; schedule: MaintenanceWindow }>(
    db,
    `select account_id as "accountId", schedule from maintenance_windows
      where account_id = any($1::uuid[]) order by id`,
    [[...new Set(accountIds)]],
  );
  for (const { accountId, schedule } of rows) {
    const windows = found.get(accountId);
    if (windows === undefined) found.set(accountId, [schedule]);
    else windows.push(schedule);
  }
  return found;
}

export interface SuppressingWindow {
  readonly schedule: MaintenanceWindow;
  readonly visibility: PageVisibility;
}

/** Lists the windows that can prevent alerts from opening incidents. */
export async function listSuppressingWindows(
  db: Database,
  accountId: string,
): Promise<SuppressingWindow[]> {
  const rows = await runSql<SuppressingWindow>(
    db,
    `select schedule, visibility from maintenance_windows where account_id = $1
        and (visibility ->> 'enabled')::boolean and (visibility ->> 'suppressAutoIncidents')::boolean
      order by id`,
    [accountId],
  );
  return rows.map(({ schedule, visibility }) => ({
    schedule,
    visibility: { ...hiddenFromPages, ...visibility },
  }));
}
