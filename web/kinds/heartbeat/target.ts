import type { KindTarget } from "../kind.ts";

export const heartbeatTarget: KindTarget = {
  type: "HEARTBEAT",
  label: "Heartbeat",
  hint: "Expects pings from a scheduled job and alerts when they stop",
  isOrdered: false,
  holdsVariables: false,
  noTrial: "A heartbeat cannot be tried: your job sends the pings.",
  fieldLabels: { heartbeat: "heartbeat schedule" },
  readOnlyPaths: ["heartbeat.pingUrl"],
  uniquePaths: ["heartbeat.pingToken"],
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
