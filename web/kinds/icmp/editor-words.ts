export const words = {
  packets: "Packets per run",
  packetsHint: "1 to 50, half a second apart",
  degraded: "Degraded from this loss on",
  failing: "Failing from this loss on",
  latency: "Latency",
  result: "Place in the result",
  assertionsHint: "What must hold beside the loss. Latencies are in milliseconds.",
} as const;
