import { type AlertSettings, defaultAlertSettings } from "../../checks/index.ts";
import type { Watched } from "../../runs/index.ts";
import type { FlapDamping } from "../alert-rules.ts";

/** For checks that use the account's settings. The fields below apply to all of its checks. */
export interface AccountAlertSettings extends AlertSettings {
  readonly escalationStages: readonly AccountStage[];
  /** Null: every change is sent. */
  readonly flapDamping: FlapDamping | null;
  /** Null: no alert when there is no data. */
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
 * How long after a run the check counts as silent. The time starts when the next run was due: a
 * check that runs once an hour is not silent after ten minutes. Null: never, as where runs come in
 * by themselves: one that is missing is a failing run there.
 */
export function findSilenceMinutes(
  { noDataMinutes }: Pick<AccountAlertSettings, "noDataMinutes">,
  { kind, settings }: Pick<Watched, "kind" | "settings">,
): number | null {
  if (noDataMinutes === null || !kind.isOrdered) return null;
  return noDataMinutes + settings.frequency;
}
