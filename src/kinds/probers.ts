import { startApiProber } from "./api/prober/prober.ts";
import { startBrowserProber } from "./browser/prober.ts";
import { startDnsProber } from "./dns/prober/prober.ts";
import { withBothFamilies } from "./families/add-families.ts";
import { startGrpcProber } from "./grpc/prober/prober.ts";
import { startIcmpProber } from "./icmp/prober/prober.ts";
import { startSuiteProber } from "./playwright/prober.ts";
import type { StartProber } from "./prober.ts";
import { startScriptProber } from "./scripts/script-prober.ts";
import { startSslProber } from "./ssl/prober/prober.ts";
import { startTcpProber } from "./tcp/prober/prober.ts";
import { startTracerouteProber } from "./traceroute/prober/prober.ts";
import { startUrlProber } from "./url/prober/prober.ts";

/** Functions that start the prober of each kind, by check type. */
export const probers = {
  ICMP: withBothFamilies(startIcmpProber),
  API: withBothFamilies(startApiProber),
  TCP: withBothFamilies(startTcpProber),
  DNS: withBothFamilies(startDnsProber),
  SSL: startSslProber,
  GRPC: startGrpcProber,
  TRACEROUTE: startTracerouteProber,
  URL: withBothFamilies(startUrlProber),
  MULTI_STEP: startScriptProber,
  BROWSER: startBrowserProber,
  PLAYWRIGHT: startSuiteProber,
} as const satisfies Readonly<Record<string, StartProber>>;
