import { fromTrouble, type NoData, type Trouble } from "../../../contract/result.ts";
import { parseIpv4 } from "../../../platform/net/host.ts";
import type { Run } from "../../kit/definition.ts";
import { DetailReader, DetailWriter, toShortest } from "../../kit/detail-bytes.ts";
import type { FigureVisitor } from "../../kit/figures.ts";
import type { IcmpMeasurement, Packet } from "./measurement.ts";
import type { IcmpRequest } from "./request.ts";

/**
 * Encoding of one packet in 16 bytes, little-endian:
 *
 *     0  u32  microseconds from the start of the run to sending; 0xffffffff if not sent
 *     4  f64  round trip in milliseconds; NaN without a reply
 *    12  u8   TTL
 *    13  u8   ICMP type
 *    14  u8   ICMP code
 *    15  u8   flags that show whether TTL (1), type (2) and code (4) are present
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

/** Visits every round-trip time in concatenated packet encodings, without allocating memory. */
export function forEachRtt(bytes: Uint8Array, visit: (rttMs: number) => void): void {
  assertWhole(bytes);
  const view = viewOf(bytes);
  for (let at = 4; at < bytes.length; at += packetBytes) {
    const rttMs = view.getFloat64(at, true);
    if (!Number.isNaN(rttMs)) visit(rttMs);
  }
}

/**
 * Returns the time from the start of the run to the sending of a packet in microseconds. 32 bits
 * hold 71 minutes, far more than the duration of a run; times out of range are clamped.
 */
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

/**
 * Encoding of one run. The figures come first at fixed offsets, so that statistics can read them
 * without decoding the rest. The figures are big-endian, like numbers in the binary format of
 * PostgreSQL.
 *
 *     u8   1 if the run was measured; otherwise 0, and the fields up to the packets are absent
 *     2 × i16  packets sent, packets received
 *     5 × f32  loss in percent; minimum, maximum, average and standard deviation of round trips
 *              in milliseconds; NaN if there is no value
 *     u8   number of packets
 *     [16 each]  packets
 *
 * A run with a single packet and its reply starts with these fields instead:
 *
 *     u8   2; all figures are computed from the packet
 *     [16] packet
 *
 * The following fields of every run are little-endian. The flags show which fields are present:
 *
 *     u16  flags
 *     u8   number of requested packets
 *     [4]  resolved address if it is IPv4; other addresses are text, prefixed with the length as u8
 *     str  host name, prefixed with its length as u8; absent if equal to the resolved address
 *     f32  duration of the name resolution in milliseconds; absent if 0
 *     u16  packet size in bytes
 *     f32  jitter in milliseconds; absent if 0
 *     4 × u16  longest loss burst, duplicates, reordered and late replies; absent if all are 0
 */
const wasMeasured = 1;
const wasOneReply = 2;

const isIpv6 = 1;
const hasAddress = 2;
const isShortAddress = 4;
const isNamedByAddress = 8;
const hasDns = 16;
const hasDnsTime = 32;
const isMeasured = 64;
const hasJitter = 128;
const hasJitterTime = 256;
const hasOddities = 512;

export const figureBytes = 25;
const lossAt = 5;
const packetsAt = 26;
const maxPackets = 255;

/**
 * Maximum size of the fields after the packets. The address and the host name take up to 256 bytes
 * each, including the length byte.
 */
const maxRestBytes = 2 + 1 + 256 + 256 + 4 + 2 + 4 + 8;
const writer = new DetailWriter(packetsAt + maxPackets * packetBytes + maxRestBytes);

type IcmpRun = Run<IcmpRequest, IcmpMeasurement>;

export function encode(run: IcmpRun): Buffer {
  const { outcome } = run;
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  writer.begin();
  if (measured === null) writer.byte(0);
  else if (isOneReply(measured)) writeOneReply(measured, run.startedAtMs);
  else writeFigures(measured, run.startedAtMs);
  writeRest(run.request, measured);
  return writer.finish();
}

/**
 * Returns whether a measurement has one packet with a reply, from which all figures can be
 * computed.
 */
function isOneReply({ packets, statistics }: IcmpMeasurement): boolean {
  const rttMs = packets[0]?.rttMs;
  if (packets.length !== 1 || typeof rttMs !== "number") return false;
  const { packetsSent, packetsReceived, packetLossPercent, stdDevMs } = statistics;
  const { minMs, maxMs, avgMs } = statistics;
  return (
    packetsSent === 1 &&
    packetsReceived === 1 &&
    packetLossPercent === 0 &&
    stdDevMs === 0 &&
    [minMs, maxMs, avgMs].every((ms) => ms !== null && Math.fround(ms) === Math.fround(rttMs))
  );
}

function writeOneReply({ packets }: IcmpMeasurement, startedAtMs: number): void {
  writer.byte(wasOneReply);
  writer.bytes(encodePackets(packets, startedAtMs));
}

function writeFigures({ packets, statistics }: IcmpMeasurement, startedAtMs: number): void {
  const { minMs, maxMs, avgMs, stdDevMs } = statistics;
  writer.byte(wasMeasured);
  writer.networkShort(statistics.packetsSent);
  writer.networkShort(statistics.packetsReceived);
  for (const value of [statistics.packetLossPercent, minMs, maxMs, avgMs, stdDevMs]) {
    writer.networkReal(value ?? Number.NaN);
  }
  const kept = packets.length > maxPackets ? packets.slice(0, maxPackets) : packets;
  writer.byte(kept.length);
  writer.bytes(encodePackets(kept, startedAtMs));
}

/**
 * Returns the flags for an optional number: `has` unless the number is `null`, and `hasValue`
 * unless the number is `null` or 0. A 0 is not stored.
 */
function flagsOf(value: number | null, has: number, hasValue: number): number {
  if (value === null) return 0;
  return value === 0 ? has : has | hasValue;
}

function writeAddress(address: string | null, hostname: string): number {
  let flags = 0;
  if (address !== null) {
    const short = parseIpv4(address);
    if (short === null) writer.text(address);
    else writer.bytes(short);
    flags = short === null ? hasAddress : hasAddress | isShortAddress;
  }
  if (address === hostname) return flags | isNamedByAddress;
  writer.text(hostname);
  return flags;
}

function writeRest(request: IcmpRequest, measured: IcmpMeasurement | null): void {
  const flagsAt = writer.position;
  writer.short(0);
  writer.byte(request.pingCount);
  let flags = request.ipFamily === "IPv6" ? isIpv6 : 0;
  flags |= writeAddress(measured?.resolvedIp ?? null, request.hostname);
  if (measured !== null) {
    const { dnsMs, packetSizeBytes, statistics } = measured;
    const { jitterMs, longestLossBurst, duplicates, reordered, lateReplies } = statistics;
    const oddities = [longestLossBurst, duplicates, reordered, lateReplies];
    flags |= isMeasured | flagsOf(dnsMs, hasDns, hasDnsTime);
    flags |= flagsOf(jitterMs, hasJitter, hasJitterTime);
    if (dnsMs !== 0) writer.real(dnsMs);
    writer.short(packetSizeBytes);
    if (jitterMs !== null && jitterMs !== 0) writer.real(jitterMs);
    if (oddities.some((value) => value !== 0)) {
      flags |= hasOddities;
      for (const value of oddities) writer.short(value);
    }
  }
  writer.replaceShort(flagsAt, flags);
}

export function decode(
  detail: Buffer,
  rest: { readonly startedAtMs: number; readonly trouble: object | null },
): IcmpRun {
  const { startedAtMs } = rest;
  const reader = new DetailReader(detail);
  const figures = readHead(reader, startedAtMs);
  const { request, ...more } = readRest(reader);
  if (figures === null) {
    return { request, startedAtMs, outcome: fromTrouble(rest.trouble as Trouble | NoData) };
  }
  const { packets, ...counted } = figures;
  const { resolvedIp, dnsMs, packetSizeBytes, ...oddities } = more;
  const statistics = { ...counted, ...oddities };
  const measurement = { resolvedIp, dnsMs, packetSizeBytes, packets, statistics };
  return { request, startedAtMs, outcome: { kind: "measured", measurement } };
}

function readHead(reader: DetailReader, startedAtMs: number) {
  const form = reader.byte();
  if (form === wasOneReply) return readOneReply(reader, startedAtMs);
  if (form !== wasMeasured) return null;
  return {
    packetsSent: reader.networkShort(),
    packetsReceived: reader.networkShort(),
    packetLossPercent: reader.networkReal() ?? 0,
    minMs: reader.networkReal(),
    maxMs: reader.networkReal(),
    avgMs: reader.networkReal(),
    stdDevMs: reader.networkReal(),
    packets: decodePackets(reader.bytes(reader.byte() * packetBytes), startedAtMs),
  };
}

function readOneReply(reader: DetailReader, startedAtMs: number) {
  const packets = decodePackets(reader.bytes(packetBytes), startedAtMs);
  const rttMs = toShortest(Math.fround(packets[0]?.rttMs ?? 0));
  return {
    packetsSent: 1,
    packetsReceived: 1,
    packetLossPercent: 0,
    minMs: rttMs,
    maxMs: rttMs,
    avgMs: rttMs,
    stdDevMs: 0,
    packets,
  };
}

function readRest(reader: DetailReader) {
  const flags = reader.short();
  const has = (flag: number) => (flags & flag) !== 0;
  const pingCount = reader.byte();
  const resolvedIp = readAddress(reader, flags);
  const hostname = has(isNamedByAddress) ? resolvedIp : reader.text();
  const dnsMs = has(hasDnsTime) ? reader.real() : 0;
  const packetSizeBytes = has(isMeasured) ? reader.short() : 0;
  const jitterMs = has(hasJitterTime) ? reader.real() : has(hasJitter) ? 0 : null;
  const readOddity = () => (has(hasOddities) ? reader.short() : 0);
  const ipFamily = has(isIpv6) ? "IPv6" : "IPv4";
  return {
    request: { hostname, ipFamily, pingCount } as const,
    resolvedIp,
    dnsMs,
    packetSizeBytes,
    jitterMs,
    longestLossBurst: readOddity(),
    duplicates: readOddity(),
    reordered: readOddity(),
    lateReplies: readOddity(),
  };
}

function readAddress(reader: DetailReader, flags: number): string {
  if ((flags & isShortAddress) !== 0) return reader.bytes(4).join(".");
  return (flags & hasAddress) === 0 ? "" : reader.text();
}

/**
 * Reads the figures of a run without allocating memory, because statistics read millions of runs.
 */
export function readFigures(
  bytes: DataView,
  from: number,
  to: number,
  visitor: FigureVisitor,
): void {
  if (to - from < figureBytes) return;
  const form = bytes.getUint8(from);
  if (form === wasOneReply) visitOneReply(bytes.getFloat64(from + 5, true), visitor, to - from);
  if (form !== wasMeasured) return;
  visitor.counter(0, bytes.getInt16(from + 1));
  visitor.counter(1, bytes.getInt16(from + 3));
  for (let place = 0; place < 5; place += 1) {
    const value = bytes.getFloat32(from + lossAt + place * 4);
    if (!Number.isNaN(value)) visitor.part(place, value);
  }
  if (to - from < packetsAt) return;
  const end = from + packetsAt + bytes.getUint8(from + packetsAt - 1) * packetBytes;
  for (let at = from + packetsAt; at < end && at + packetBytes <= to; at += packetBytes) {
    const rttMs = bytes.getFloat64(at + 4, true);
    if (!Number.isNaN(rttMs)) visitor.sample(rttMs);
  }
}

function visitOneReply(rttMs: number, visitor: FigureVisitor, length: number): void {
  visitor.counter(0, 1);
  visitor.counter(1, 1);
  visitor.part(0, 0);
  for (let place = 1; place < 4; place += 1) visitor.part(place, Math.fround(rttMs));
  visitor.part(4, 0);
  // Statistics may read only the first `figureBytes` bytes of a run, and then expect no samples. If
  // the run has only one packet, these bytes contain the sample, so the length decides whether the
  // sample is reported.
  if (length > figureBytes) visitor.sample(rttMs);
}
