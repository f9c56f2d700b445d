import { ERRNO } from "./kernel-layout.ts";
import { ICMP4, type IpFamily } from "./packet.ts";
import { nameErrno } from "./self-test.ts";
import { FAILED, REFUSED } from "./slots.ts";
import type { WirePacket } from "./wire.ts";

/** Why a packet has no round-trip time. */
export interface PacketError {
  readonly code: string;
  readonly message: string;
}

const REFUSALS: Readonly<Record<number, string>> = {
  [ERRNO.EPERM]: "A firewall rule on this host rejected the packet",
  [ERRNO.EACCES]: "This host may not send to this address",
  [ERRNO.EINVAL]: "This host cannot send to this address",
  [ERRNO.EMSGSIZE]: "The packet is larger than the path MTU",
  [ERRNO.ENETDOWN]: "The network interface is down",
  [ERRNO.ENETUNREACH]: "This host has no route to the address",
  [ERRNO.EADDRNOTAVAIL]: "This host has no source address for this target",
  [ERRNO.EHOSTUNREACH]: "The next hop does not respond",
};

const UNREACHABLE_V4 = [
  "Network unreachable",
  "Host unreachable",
  "Protocol unreachable",
  "Port unreachable",
  "Fragmentation needed",
  "Source route failed",
  "Network unknown",
  "Host unknown",
  "Source host isolated",
  "Network prohibited",
  "Host prohibited",
  "Network unreachable for this type of service",
  "Host unreachable for this type of service",
  "Communication prohibited",
];
const UNREACHABLE_V6 = [
  "No route",
  "Communication prohibited",
  "Beyond the scope of the source address",
  "Address unreachable",
  "Port unreachable",
  "Source address rejected by policy",
  "Route rejected",
];

export function describePacketError(
  family: IpFamily,
  packet: WirePacket,
  timeoutMs: number,
): PacketError | null {
  if (packet.rttMs !== null) return null;
  if (packet.late) {
    return { code: "LATE_REPLY", message: `The reply took longer than ${timeoutMs} ms` };
  }
  if (packet.status === REFUSED) {
    const message = REFUSALS[packet.errno] ?? "This host could not send the packet";
    return { code: nameErrno(packet.errno), message };
  }
  if (packet.status === FAILED) return describeIcmpError(family, packet.type, packet.code);
  return { code: "NO_REPLY", message: `No reply within ${timeoutMs} ms` };
}

export function describeIcmpError(family: IpFamily, type: number, code: number): PacketError {
  return family === "IPv4" ? describeIcmp4(type, code) : describeIcmp6(type, code);
}

function describeIcmp4(type: number, code: number): PacketError {
  if (type === ICMP4.exceeded) {
    return { code: "TTL_EXCEEDED", message: "The packet's time to live expired in transit" };
  }
  if (type === ICMP4.parameter) {
    return { code: "PARAMETER_PROBLEM", message: "A router rejected the packet's header" };
  }
  return { code: "UNREACHABLE", message: UNREACHABLE_V4[code] ?? `Unreachable (code ${code})` };
}

function describeIcmp6(type: number, code: number): PacketError {
  if (type === 2) return { code: "PACKET_TOO_BIG", message: "The packet is larger than the MTU" };
  if (type === 3) {
    return { code: "TTL_EXCEEDED", message: "The packet's hop limit was exceeded in transit" };
  }
  if (type === 4) {
    return { code: "PARAMETER_PROBLEM", message: "A router rejected the packet's header" };
  }
  return { code: "UNREACHABLE", message: UNREACHABLE_V6[code] ?? `Unreachable (code ${code})` };
}
