import type { KindTarget } from "../kind.ts";

export const heartbeatTarget: KindTarget = {
  type: "HEARTBEAT",
  label: "Heartbeat",
  hint: "Expects pings from a scheduled job and alerts when they stop",
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
