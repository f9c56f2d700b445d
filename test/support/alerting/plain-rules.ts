import type { AlertRules } from "../../../src/domains/alerting/alert-rules.ts";
import { defaultAlertSettings } from "../../../src/domains/checks/alert-settings.ts";

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
