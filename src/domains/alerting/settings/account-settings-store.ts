import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import {
  type AccountAlertSettings,
  defaultAccountAlertSettings,
} from "./account-alert-settings.ts";

/** Loads the settings of several accounts. The map contains every requested account. */
export async function loadAccountSettings(
  db: Database,
  accountIds: readonly string[],
): Promise<Map<string, AccountAlertSettings>> {
  const ids = [...new Set(accountIds)];
  const found = new Map(ids.map((id) => [id, defaultAccountAlertSettings]));
  if (ids.length === 0) return found;
  const { rows } = await sql<{ accountId: string; settings: Partial<AccountAlertSettings> }>`
    select account_id as "accountId", settings from account_alert_settings
    where account_id = any(${ids}::uuid[])`.execute(db);
  // Old rows lack some settings; the defaults fill them.
  for (const { accountId, settings } of rows) {
    found.set(accountId, { ...defaultAccountAlertSettings, ...settings });
  }
  return found;
}
