export const words = {
  packets: "Packets per run",
  packetsHint: (least: number, most: number) => `${least} to ${most}, half a second apart`,
  degraded: "Degraded at packet loss",
  failing: "Failing at packet loss",
  latency: "Latency",
  result: "Result as JSON",
  assertionsHint: "Conditions in addition to packet loss. Latencies are in milliseconds.",
} as const;
