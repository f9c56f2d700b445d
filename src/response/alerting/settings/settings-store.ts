import type { Type } from "typebox";
import type { Urgency } from "../../../channels/alert-channels/index.ts";
import type { AccountStage } from "../../../channels/escalation-policies/index.ts";
import { type AlertSettingsSchema, defaultAlertSettings } from "../../../checks/checks/index.ts";
import { type Database, lockName, runSql } from "../../../platform/database.ts";
import type { Watched } from "../../../runs/scheduling/index.ts";
import type { FlapDamping } from "../alert-rules.ts";

/** Alert settings of one check, or default settings of all checks of an account. */
export type AlertSettings = Type.Static<typeof AlertSettingsSchema>;

export interface AccountAlertSettings extends Omit<AlertSettings, "urgency"> {
  /**
   * Escalation stages of the account. If the account uses a policy, the stages are those that the
   * policy had when the settings were saved. If the account uses no policy, the list is empty,
   * unless a server of a previous release stored the settings.
   */
  readonly escalationStages: readonly AccountStage[];
  readonly escalationPolicyId: string | null;
  /** Urgency of the alerts by tag. The first rule whose tag a check has applies to the check. */
  readonly urgencyRules: readonly UrgencyRule[];
  /** Settings of flap damping; `null` if flap damping is off. */
  readonly flapDamping: FlapDamping | null;
  /** Minutes between a missed run and the no-data alert; `null` if no-data alerts are disabled. */
  readonly noDataMinutes: number | null;
  /** Id of the channel for pages that reach nobody; `null` if the owners receive them by email. */
  readonly fallbackAlertChannelId: number | null;
}

export interface UrgencyRule {
  readonly tag: string;
  readonly urgency: Urgency;
}

export const defaultAccountAlertSettings: AccountAlertSettings = {
  ...defaultAlertSettings,
  escalationStages: [],
  urgencyRules: [],
  flapDamping: { transitions: 6, windowMinutes: 60 },
  noDataMinutes: 10,
  fallbackAlertChannelId: null,
  escalationPolicyId: null,
};

/**
 * Returns how many minutes after its last run a check counts as having no data. The interval of the
 * check is included, so that an hourly check does not count as having no data after ten minutes.
 * Returns `null` if no-data alerts are disabled. Also returns `null` if another system reports the
 * runs, as for heartbeats: a missing run is a failure then.
 */
export function findSilenceMinutes(
  { noDataMinutes }: Pick<AccountAlertSettings, "noDataMinutes">,
  { kind, settings }: Pick<Watched, "kind" | "settings">,
): number | null {
  if (noDataMinutes === null || !kind.isOrdered) return null;
  return noDataMinutes + settings.frequency;
}

/**
 * Returns the urgency of a check: from its own or its group's settings, or else from the first rule
 * that matches one of its tags.
 */
export function findUrgency(
  { urgencyRules }: Pick<AccountAlertSettings, "urgencyRules">,
  { alertSettings, tags }: Pick<Watched["settings"], "alertSettings" | "tags">,
): Urgency | undefined {
  const rule = urgencyRules.find(({ tag }) => tags.includes(tag));
  return alertSettings.urgency ?? rule?.urgency;
}

export async function getSettings(db: Database, accountId: string): Promise<AccountAlertSettings> {
  const found = await loadAccountSettings(db, [accountId]);
  return found.get(accountId) ?? defaultAccountAlertSettings;
}

/**
 * Returns the version of the settings; 0 if the account has none stored. Takes a lock that
 * serializes changes.
 */
export async function lockSettingsVersion(db: Database, accountId: string): Promise<number> {
  await lockName(db, `alert settings ${accountId}`);
  return findSettingsVersion(db, accountId);
}

export async function findSettingsVersion(db: Database, accountId: string): Promise<number> {
  const rows = await runSql<{ version: number }>(
    db,
    "select version from account_alert_settings where account_id = $1",
    [accountId],
  );
  return rows[0]?.version ?? 0;
}

export async function saveSettings(
  db: Database,
  accountId: string,
  change: { readonly settings: AccountAlertSettings; readonly at: Date },
): Promise<void> {
  const settings = JSON.stringify(change.settings);
  await runSql(
    db,
    `insert into account_alert_settings (account_id, settings, updated_at)
      values ($1, $2::jsonb, $3)
      on conflict (account_id) do update
        set settings = excluded.settings, updated_at = excluded.updated_at,
          version = account_alert_settings.version + 1`,
    [accountId, settings, change.at],
  );
}

/** Loads the alert settings of accounts. Accounts without stored settings get the defaults. */
export async function loadAccountSettings(
  db: Database,
  accountIds: readonly string[],
): Promise<Map<string, AccountAlertSettings>> {
  const ids = [...new Set(accountIds)];
  const found = new Map(ids.map((id) => [id, defaultAccountAlertSettings]));
  if (ids.length === 0) return found;
  const rows = await runSql<{ accountId: string; settings: Partial<AccountAlertSettings> }>(
    db,
    `select account_id as "accountId", settings from account_alert_settings
      where account_id = any($1::uuid[])`,
    [ids],
  );
  // Rows stored by older releases may lack some settings; defaults replace them.
  for (const { accountId, settings } of rows) {
    found.set(accountId, { ...defaultAccountAlertSettings, ...settings });
  }
  return found;
}
