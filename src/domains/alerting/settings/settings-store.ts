import type { Type } from "typebox";
import { type Database, lockName, runSql } from "../../../platform/database.ts";
import type { Urgency } from "../../alert-channels/index.ts";
import { type AlertSettingsSchema, defaultAlertSettings } from "../../checks/index.ts";
import type { AccountStage } from "../../escalation-policies/index.ts";
import type { Watched } from "../../schedule/index.ts";
import type { FlapDamping } from "../alert-rules.ts";

/** Alert settings of checks without separate settings. The fields below apply to all checks. */
export type AlertSettings = Type.Static<typeof AlertSettingsSchema>;

export interface AccountAlertSettings extends Omit<AlertSettings, "urgency"> {
  /**
   * Escalation stages of the account. If a policy is selected, these are the stages of the policy
   * when the settings were saved. Stages without a policy are stored only by servers of a previous
   * release.
   */
  readonly escalationStages: readonly AccountStage[];
  readonly escalationPolicyId: string | null;
  /** Urgency of the alerts by tag. The first rule whose tag a check has applies to the check. */
  readonly urgencyRules: readonly UrgencyRule[];
  /** Settings of flap damping; `null` if flap damping is off. */
  readonly flapDamping: FlapDamping | null;
  /** Minutes without data after which an alert is sent; `null` if missing data causes no alert. */
  readonly noDataMinutes: number | null;
  /** Id of the channel for pages that reach nobody; `null` for mails to the owners. */
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
 * check is included, so that a check that runs hourly does not count after ten minutes. `null` if
 * no-data alerts are disabled, or if another system reports the runs, as for heartbeats, where a
 * missing run is a failure.
 */
export function findSilenceMinutes(
  { noDataMinutes }: Pick<AccountAlertSettings, "noDataMinutes">,
  { kind, settings }: Pick<Watched, "kind" | "settings">,
): number | null {
  if (noDataMinutes === null || !kind.isOrdered) return null;
  return noDataMinutes + settings.frequency;
}

/** Returns the urgency of a check: its own, its group's, or that of the first matching tag. */
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

/** Returns the version of the settings, 0 for defaults. Takes a lock that serializes changes. */
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

/** Loads the alert settings of accounts, with defaults for accounts that stored nothing. */
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
  // Old rows may lack some settings; defaults fill them.
  for (const { accountId, settings } of rows) {
    found.set(accountId, { ...defaultAccountAlertSettings, ...settings });
  }
  return found;
}
