import type { KindTarget } from "../kind.ts";

export const heartbeatTarget: KindTarget<"HEARTBEAT"> = {
  type: "HEARTBEAT",
  label: "Heartbeat",
  hint: "Expects pings from a scheduled job and alerts when they stop",
  isOrdered: false,
  noTrial: "A heartbeat cannot be tried: your job sends the pings.",
  fieldLabels: { heartbeat: "heartbeat schedule" },
  proposed: { heartbeat: { period: 1 } },
  target: null,
};
