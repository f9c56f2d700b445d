import { defaultAlertSettings } from "../../../src/checks/checks/alert-settings.ts";
import type { AlertRules } from "../../../src/response/alerting/alert-rules.ts";

/** Rules of an active check with default settings and nothing that holds its alerts. */
export const plainRules: AlertRules = {
  settings: defaultAlertSettings,
  muted: false,
  activated: true,
  inMaintenance: () => false,
  heldByParent: null,
  probeIsSuspect: false,
  escalationStages: [],
  flapDamping: null,
  noDataMinutes: null,
};
