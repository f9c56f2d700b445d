import type { KindTarget } from "../kind-target.ts";

export const heartbeatTarget: KindTarget = {
  type: "HEARTBEAT",
  label: "Heartbeat",
  hint: "Waits for a job of yours to report, and tells when it does not",
  isOrdered: false,
  holdsVariables: false,
  defaults: {
    heartbeat: {
      period: 1,
      periodUnit: "days",
      grace: 5,
      graceUnit: "minutes",
      cron: null,
      timezone: "UTC",
    },
  },
  target: null,
};
