import { startIcmpProber } from "./icmp/prober/prober.ts";
import type { StartProber } from "./prober.ts";
import { startTcpProber } from "./tcp/prober/prober.ts";

/** Check type → how it is probed. One line per kind. */
export const probers = {
  ICMP: startIcmpProber,
  TCP: startTcpProber,
} as const satisfies Readonly<Record<string, StartProber>>;
