import { COOKIE_BYTES, type IpFamily } from "./packet.ts";
import { describePacketError, type PacketError } from "./packet-error.ts";
import { ANSWERED, FAILED, REFUSED, UNSENT } from "./slots.ts";
import { computeStatistics, type EchoStatistics, type PacketRecord } from "./statistics.ts";
import type { WirePacket } from "./wire.ts";

/** A requested run: `pingCount` echo requests to one numeric address. */
export interface EchoRequest {
  readonly address: string;
  readonly family: IpFamily;
  readonly pingCount: number;
  readonly spacingMs: number;
  readonly timeoutMs: number;
  /** Bytes after the ICMP header; at least 16, which the cookie needs. */
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
  /** The size that was used. */
  readonly payloadBytes: number;
  /** How often the run was repeated because our own queues overflowed. */
  readonly repeats: number;
  readonly packets: readonly EchoPacket[];
  readonly statistics: EchoStatistics;
}

/** Only `measured` is a result about the target; the others say why there is none. */
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
 * Values outside these bounds are a caller's bug, except for the payload size, which is clamped.
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
