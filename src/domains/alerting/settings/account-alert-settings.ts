import { type AlertSettings, defaultAlertSettings } from "../../checks/index.ts";
import type { FlapDamping } from "../alert-rules.ts";

/** For checks that use the account's settings, and for all of its checks what only it has. */
export interface AccountAlertSettings extends AlertSettings {
  readonly escalationStages: readonly AccountStage[];
  /** Null: every change is told. */
  readonly flapDamping: FlapDamping | null;
  /** Null: silence is never told. */
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
 * How long after a run its silence is news. A check that runs once an hour is not silent after
 * ten minutes, so the time counts from the moment at which the next run was due.
 */
export function findSilenceMinutes(
  { noDataMinutes }: Pick<AccountAlertSettings, "noDataMinutes">,
  frequencyMinutes: number,
): number | null {
  return noDataMinutes === null ? null : noDataMinutes + frequencyMinutes;
}
