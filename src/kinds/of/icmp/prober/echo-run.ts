import { ERRNO, nameErrno } from "../../../wire/kernel/kernel-layout.ts";
import { COOKIE_BYTES, ICMP4, type IpFamily } from "./packet.ts";
import { ANSWERED, FAILED, REFUSED, UNSENT } from "./slots.ts";
import { computeStatistics, type EchoStatistics, type PacketRecord } from "./statistics.ts";
import type { WirePacket } from "./wire.ts";

/** Reason why a packet has no round-trip time. */
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

function describePacketError(
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

function describeIcmpError(family: IpFamily, type: number, code: number): PacketError {
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

/** A request for one run: `pingCount` echo requests to one numeric address. */
export interface EchoRequest {
  readonly address: string;
  readonly family: IpFamily;
  readonly pingCount: number;
  readonly spacingMs: number;
  readonly timeoutMs: number;
  /**
   * Number of bytes after the ICMP header. The engine sends at least 16 bytes, because the data by
   * which it recognizes replies takes 16 bytes.
   */
  readonly payloadBytes: number;
}

export type EchoMode = "datagram" | "raw" | "ping" | "none";

export interface EchoPacket extends PacketRecord {
  readonly ttl: number | null;
  readonly type: number | null;
  readonly code: number | null;
  readonly error: PacketError | null;
}

export interface MeasuredRun {
  readonly kind: "measured";
  readonly mode: EchoMode;
  /** Payload size of the packets that were sent. */
  readonly payloadBytes: number;
  /** Number of times that the run was repeated because local queues overflowed. */
  readonly repeats: number;
  readonly packets: readonly EchoPacket[];
  readonly statistics: EchoStatistics;
}

/**
 * Result of a run. Only `measured` describes the target; the other kinds explain why there is no
 * result.
 */
export type EchoRun =
  | MeasuredRun
  | { readonly kind: "cannot-check"; readonly reason: string }
  | { readonly kind: "local-overload"; readonly reason: string }
  | { readonly kind: "overloaded"; readonly reason: string }
  | { readonly kind: "interrupted"; readonly reason: string };

export const MAX_PINGS = 64;
const MAX_MS = 60_000;
const MAX_PAYLOAD_BYTES = { IPv4: 65_507, IPv6: 65_487 } as const;

/**
 * Throws if a value is out of bounds, which only a bug in the caller can cause. Any payload size
 * that is not negative is allowed, because the engine clamps it.
 */
export function checkRequest(request: EchoRequest): void {
  const { pingCount, spacingMs, timeoutMs, payloadBytes } = request;
  if (!Number.isInteger(pingCount) || pingCount < 1 || pingCount > MAX_PINGS) {
    throw new RangeError(`pingCount must be a whole number from 1 to ${MAX_PINGS}`);
  }
  if (!(spacingMs >= 0 && spacingMs <= MAX_MS)) {
    throw new RangeError(`spacingMs must be from 0 to ${MAX_MS}`);
  }
  if (!(timeoutMs > 0 && timeoutMs <= MAX_MS)) {
    throw new RangeError(`timeoutMs must be above 0 and at most ${MAX_MS}`);
  }
  if (!(payloadBytes >= 0)) throw new RangeError("payloadBytes must not be negative");
}

export function fitPayloadBytes(family: IpFamily, payloadBytes: number): number {
  const whole = Math.floor(payloadBytes);
  return Math.min(Math.max(whole, COOKIE_BYTES), MAX_PAYLOAD_BYTES[family]);
}

export function describePacket(
  request: EchoRequest,
  sequence: number,
  packet: WirePacket,
): EchoPacket {
  const hasMessage = packet.status === ANSWERED || packet.status === FAILED;
  return {
    sequence,
    sent: packet.status !== REFUSED && packet.status !== UNSENT,
    sentAt: packet.sentAt,
    rttMs: packet.rttMs,
    ttl: packet.ttl === 0 ? null : packet.ttl,
    type: hasMessage ? packet.type : null,
    code: hasMessage ? packet.code : null,
    duplicates: packet.duplicates,
    lateReplies: packet.late ? 1 : 0,
    error: describePacketError(request.family, packet, request.timeoutMs),
  };
}

export function buildMeasuredRun(
  packets: readonly EchoPacket[],
  facts: Pick<MeasuredRun, "mode" | "payloadBytes" | "repeats">,
): MeasuredRun {
  return { kind: "measured", ...facts, packets, statistics: computeStatistics(packets) };
}
