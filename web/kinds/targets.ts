import { apiTarget } from "./api/target.ts";
import { dnsTarget } from "./dns/target.ts";
import { heartbeatTarget } from "./heartbeat/target.ts";
import { icmpTarget } from "./icmp/target.ts";
import type { KindTarget } from "./kind-target.ts";
import { sslTarget } from "./ssl/target.ts";
import { tcpTarget } from "./tcp/target.ts";
import { urlTarget } from "./url/target.ts";

/** All check types, in display order. */
export const kindTargets: readonly KindTarget[] = [
  urlTarget,
  icmpTarget,
  tcpTarget,
  apiTarget,
  dnsTarget,
  sslTarget,
  heartbeatTarget,
];

const byType = new Map(kindTargets.map((kind) => [kind.type, kind]));

export function findKind(type: unknown): KindTarget | null {
  return typeof type === "string" ? (byType.get(type.toUpperCase()) ?? null) : null;
}

/** Returns the label of a check type, such as "Ping" or "Certificate". */
export const nameKind = (type: string): string => findKind(type)?.label ?? type;
