// Explains what a process without CAP_NET_RAW cannot trace, and how to change that.

import { readFileSync } from "node:fs";
import type { Protocol } from "./packet.ts";

const openPingRange = 'sysctl -w net.ipv4.ping_group_range="0 2147483647"';

/** Explains why no socket could be opened, with commands that grant the permission. */
export function explainDenied(
  protocol: Protocol,
  denied: { readonly raw: number; readonly ping: number | null },
): string {
  const isPing = denied.ping !== null;
  return [
    `Traceroute checks over ${protocol} cannot run: this process may not open raw sockets` +
      `${isPing ? ", nor ICMP datagram sockets" : ""}.`,
    "Do one of the following, then restart:",
    "  systemd    AmbientCapabilities=CAP_NET_RAW   in the unit",
    "  Docker     permit NET_RAW, and do not set no-new-privileges",
    '  Kubernetes capabilities.add: ["NET_RAW"] and allowPrivilegeEscalation: true',
    ...(isPing ? [`  sysctl     ${openPingRange}   (covers IPv6 too)`] : []),
    "Or set the protocol of the check to UDP, which needs no privilege.",
    'This check is marked "cannot check", not "down".',
  ].join("\n");
}

/** Number of the CAP_NET_RAW bit in the capability set of a process. */
const rawSocketBit = 13n;

/** Returns whether a process with this /proc status may open raw sockets; `null` if unknown. */
export function mayOpenRawSockets(status: string): boolean | null {
  const [, effective] = /^CapEff:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  return effective === undefined ? null : ((BigInt(`0x${effective}`) >> rawSocketBit) & 1n) === 1n;
}

export function listRawLimitations(): string[] {
  const mayOpen = mayOpenRawSockets(readStatus());
  if (mayOpen !== false) return [];
  return [
    "Traceroute checks over TCP use ICMP or UDP instead: CAP_NET_RAW is missing, see " +
      "docs/traceroute-checks.md.",
  ];
}

function readStatus(): string {
  try {
    return readFileSync("/proc/self/status", "utf8");
  } catch {
    return "";
  }
}
