import type { Packet } from "./measurement.ts";

/**
 * One packet in 16 bytes, little-endian:
 *
 *     0  u32  microseconds from the start of the run to sending; all ones if not sent
 *     4  f64  round trip in milliseconds; NaN without a reply
 *    12  u8   TTL
 *    13  u8   ICMP type
 *    14  u8   ICMP code
 *    15  u8   which of the three are present: 1, 2, 4
 *
 * The sequence number of a packet is its index, because packets are stored in sending order.
 */
export const packetBytes = 16;

const notSent = 0xffffffff;
const hasTtl = 1;
const hasType = 2;
const hasCode = 4;

export function encodePackets(packets: readonly Packet[], startedAtMs: number): Buffer {
  const bytes = Buffer.alloc(packets.length * packetBytes);
  const view = viewOf(bytes);
  let at = 0;
  for (const packet of packets) {
    view.setUint32(at, writeOffset(packet.sentAtMs, startedAtMs), true);
    view.setFloat64(at + 4, packet.rttMs ?? Number.NaN, true);
    view.setUint8(at + 12, packet.ttl ?? 0);
    view.setUint8(at + 13, packet.type ?? 0);
    view.setUint8(at + 14, packet.code ?? 0);
    view.setUint8(at + 15, writePresence(packet));
    at += packetBytes;
  }
  return bytes;
}

export function decodePackets(bytes: Uint8Array, startedAtMs: number): Packet[] {
  assertWhole(bytes);
  const view = viewOf(bytes);
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; at += packetBytes) {
    const offsetUs = view.getUint32(at, true);
    const rttMs = view.getFloat64(at + 4, true);
    const presence = view.getUint8(at + 15);
    packets.push({
      sequence: at / packetBytes,
      sentAtMs: offsetUs === notSent ? null : startedAtMs + offsetUs / 1_000,
      rttMs: Number.isNaN(rttMs) ? null : rttMs,
      ttl: (presence & hasTtl) === 0 ? null : view.getUint8(at + 12),
      type: (presence & hasType) === 0 ? null : view.getUint8(at + 13),
      code: (presence & hasCode) === 0 ? null : view.getUint8(at + 14),
    });
  }
  return packets;
}

/** Visits the round trips of any number of concatenated encodings, without allocating. */
export function forEachRtt(bytes: Uint8Array, visit: (rttMs: number) => void): void {
  assertWhole(bytes);
  const view = viewOf(bytes);
  for (let at = 4; at < bytes.length; at += packetBytes) {
    const rttMs = view.getFloat64(at, true);
    if (!Number.isNaN(rttMs)) visit(rttMs);
  }
}

/** A run is far shorter than the 71 minutes that fit; times outside are clamped. */
function writeOffset(sentAtMs: number | null, startedAtMs: number): number {
  if (sentAtMs === null) return notSent;
  const offsetUs = Math.round((sentAtMs - startedAtMs) * 1_000);
  return Math.min(Math.max(offsetUs, 0), notSent - 1);
}

function writePresence(packet: Packet): number {
  return (
    (packet.ttl === null ? 0 : hasTtl) |
    (packet.type === null ? 0 : hasType) |
    (packet.code === null ? 0 : hasCode)
  );
}

function assertWhole(bytes: Uint8Array): void {
  if (bytes.length % packetBytes !== 0) {
    throw new RangeError(`packets are ${packetBytes} bytes each, these are ${bytes.length}`);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
