import { withBothFamilies } from "./kit/families/add-families.ts";
import type { StartProber } from "./kit/prober.ts";
import { startScriptProber } from "./kit/scripts/script-prober.ts";
import { startApiProber } from "./of/api/prober/prober.ts";
import { startBrowserProber } from "./of/browser/prober.ts";
import { startDnsProber } from "./of/dns/prober/prober.ts";
import { startGrpcProber } from "./of/grpc/prober/prober.ts";
import { startIcmpProber } from "./of/icmp/prober/prober.ts";
import { startSuiteProber } from "./of/playwright/prober.ts";
import { startSslProber } from "./of/ssl/prober/prober.ts";
import { startTcpProber } from "./of/tcp/prober/prober.ts";
import { startTracerouteProber } from "./of/traceroute/prober/prober.ts";
import { startUrlProber } from "./of/url/prober/prober.ts";

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
