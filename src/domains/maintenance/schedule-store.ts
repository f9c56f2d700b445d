import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import type { MaintenanceWindow } from "./maintenance-window.ts";
import { hiddenFromPages, type PageVisibility } from "./planned-window.ts";

/** Maps accounts to their windows. An account without a window is absent. */
export async function listWindowsOf(
  db: Database,
  accountIds: readonly string[],
): Promise<Map<string, MaintenanceWindow[]>> {
  const found = new Map<string, MaintenanceWindow[]>();
  if (accountIds.length === 0) return found;
  const { rows } = await sql<{ accountId: string; schedule: MaintenanceWindow }>`
    select account_id as "accountId", schedule from maintenance_windows
    where account_id = any(${[...new Set(accountIds)]}::uuid[]) order by id`.execute(db);
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

/** Lists windows that keep alerts from opening incidents. */
export async function listSuppressingWindows(
  db: Database,
  accountId: string,
): Promise<SuppressingWindow[]> {
  const { rows } = await sql<SuppressingWindow>`
    select schedule, visibility from maintenance_windows where account_id = ${accountId}
      and (visibility ->> 'enabled')::boolean and (visibility ->> 'suppressAutoIncidents')::boolean
    order by id`.execute(db);
  return rows.map(({ schedule, visibility }) => ({
    schedule,
    visibility: { ...hiddenFromPages, ...visibility },
  }));
}
