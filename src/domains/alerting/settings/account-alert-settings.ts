import { type AlertSettings, defaultAlertSettings } from "../../checks/index.ts";
import type { Watched } from "../../schedule/index.ts";
import type { FlapDamping } from "../alert-rules.ts";

/**
 * Alert settings of checks that use the account's settings. The fields below apply to all checks.
 */
export interface AccountAlertSettings extends AlertSettings {
  readonly escalationStages: readonly AccountStage[];
  /** `null` if every change is sent. */
  readonly flapDamping: FlapDamping | null;
  /** `null` if missing data causes no alert. */
  readonly noDataMinutes: number | null;
}

export interface AccountStage {
  readonly afterMinutes: number;
  readonly alertChannelIds: readonly number[];
}

export const defaultAccountAlertSettings: AccountAlertSettings = {
  ...defaultAlertSettings,
  escalationStages: [],
  flapDamping: { transitions: 6, windowMinutes: 60 },
  noDataMinutes: 10,
};

/**
 * Returns how many minutes after a run the check counts as having no data. Counted from the due
 * time of the next run, so a check that runs hourly does not count after ten minutes. `null` if
 * disabled or if the check is a heartbeat, where a missing run is a failing run.
 */
export function findSilenceMinutes(
  { noDataMinutes }: Pick<AccountAlertSettings, "noDataMinutes">,
  { kind, settings }: Pick<Watched, "kind" | "settings">,
): number | null {
  if (noDataMinutes === null || !kind.isOrdered) return null;
  return noDataMinutes + settings.frequency;
}
