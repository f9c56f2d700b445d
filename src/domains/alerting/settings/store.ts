import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import {
  type AccountAlertSettings,
  defaultAccountAlertSettings,
} from "./account-alert-settings.ts";
import { loadAccountSettings } from "./account-settings-store.ts";

export { type AccountAlertSettings, defaultAccountAlertSettings, loadAccountSettings };

export async function getSettings(db: Database, accountId: string): Promise<AccountAlertSettings> {
  const found = await loadAccountSettings(db, [accountId]);
  return found.get(accountId) ?? defaultAccountAlertSettings;
}

export async function saveSettings(
  db: Database,
  accountId: string,
  change: { readonly settings: AccountAlertSettings; readonly at: Date },
): Promise<void> {
  const settings = JSON.stringify(change.settings);
  await sql`insert into account_alert_settings (account_id, settings, updated_at)
    values (${accountId}, ${settings}::jsonb, ${change.at})
    on conflict (account_id) do update
      set settings = excluded.settings, updated_at = excluded.updated_at`.execute(db);
}
