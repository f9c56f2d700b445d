import type { Result } from "../../contract/result.ts";
import { parseIpv4 } from "../network/ip-address.ts";
import type { IcmpMeasurement, IcmpTrouble } from "./measurement.ts";
import type { IcmpRequest } from "./request.ts";

/** What a result has that is only ever read together with the whole of it. */
export interface ResultDetail {
  readonly durationMs: number;
  readonly hostname: string;
  readonly ip_family: string;
  readonly ping_count: number;
  readonly resolved_ip: string | null;
  readonly dns_ms: number | null;
  readonly packet_size: number | null;
  readonly jitter_ms: number | null;
  readonly loss_burst: number | null;
  readonly duplicates: number | null;
  readonly reordered: number | null;
  readonly late_replies: number | null;
}

/**
 * Little-endian, and only what its first two bytes say is there:
 *
 *     u16  which of these follow, and what needs no bytes
 *     u32  microseconds from its start to its end
 *     u8   pings asked for
 *     [4]  the resolved address, of IPv4; or its text, after a u8 with its length
 *     str  the host name, after a u8 with its length, unless it is the resolved address
 *     f32  milliseconds of resolving, unless none
 *     u16  bytes of a packet
 *     f32  jitter in milliseconds, unless none
 *     4 × u16  longest loss burst, duplicates, reordered, late replies, unless all are 0
 */
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

/** No host name is longer than 253 bytes, and no address. */
const maxBytes = 2 + 4 + 1 + 256 + 256 + 4 + 2 + 4 + 8;
const scratch = Buffer.alloc(maxBytes);

/** A probe may say anything: what does not fit goes to the nearest end, and not a number to 0. */
const clamp = (value: number, max: number) => Math.min(Math.max(Math.round(value) || 0, 0), max);

class Writer {
  #at = 2;

  byte(value: number): void {
    this.#at = scratch.writeUInt8(clamp(value, 0xff), this.#at);
  }

  bytes(values: Uint8Array): void {
    scratch.set(values, this.#at);
    this.#at += values.length;
  }

  /** Cut between characters, where it is too long. */
  text(value: string): void {
    const length = scratch.write(value, this.#at + 1, 0xff);
    this.byte(length);
    this.#at += length;
  }

  short(value: number): void {
    this.#at = scratch.writeUInt16LE(clamp(value, 0xffff), this.#at);
  }

  long(value: number): void {
    this.#at = scratch.writeUInt32LE(clamp(value, 0xffff_ffff), this.#at);
  }

  real(value: number): void {
    this.#at = scratch.writeFloatLE(value, this.#at);
  }

  finish(flags: number): Buffer {
    scratch.writeUInt16LE(flags, 0);
    return Buffer.from(scratch.subarray(0, this.#at));
  }
}

/** Whether a number is there, and whether it needs bytes of its own. */
function flagsOf(value: number | null, has: number, hasValue: number): number {
  if (value === null) return 0;
  return value === 0 ? has : has | hasValue;
}

function writeAddress(writer: Writer, address: string | null, hostname: string): number {
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

export type Detailed = Pick<
  Result<IcmpRequest, IcmpMeasurement>,
  "request" | "outcome" | "startedAtMs" | "stoppedAtMs"
>;

export function encodeDetail(result: Detailed): Buffer {
  const { request, outcome } = result;
  const writer = new Writer();
  writer.long((result.stoppedAtMs - result.startedAtMs) * 1_000);
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  const trouble = outcome.kind === "unreachable" ? (outcome.trouble as IcmpTrouble) : null;
  const { dnsMs = null, resolvedIp: address = null } = measured ?? trouble ?? {};
  let flags = request.ipFamily === "IPv6" ? isIpv6 : 0;
  writer.byte(request.pingCount);
  flags |= writeAddress(writer, address, request.hostname);
  flags |= flagsOf(dnsMs, hasDns, hasDnsTime);
  if (dnsMs !== null && dnsMs !== 0) writer.real(dnsMs);
  if (measured === null) return writer.finish(flags);
  const { jitterMs, longestLossBurst, duplicates, reordered, lateReplies } = measured.statistics;
  const oddities = [longestLossBurst, duplicates, reordered, lateReplies];
  writer.short(measured.packetSizeBytes);
  flags |= isMeasured | flagsOf(jitterMs, hasJitter, hasJitterTime);
  if (jitterMs !== null && jitterMs !== 0) writer.real(jitterMs);
  if (oddities.every((value) => value === 0)) return writer.finish(flags);
  for (const value of oddities) writer.short(value);
  return writer.finish(flags | hasOddities);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#skip(1));
  }

  short(): number {
    return this.#bytes.readUInt16LE(this.#skip(2));
  }

  long(): number {
    return this.#bytes.readUInt32LE(this.#skip(4));
  }

  real(): number {
    return toShortest(this.#bytes.readFloatLE(this.#skip(4)));
  }

  text(): string {
    const length = this.byte();
    const from = this.#skip(length);
    return this.#bytes.toString("utf8", from, from + length);
  }

  shortAddress(): string {
    const from = this.#skip(4);
    return this.#bytes.subarray(from, from + 4).join(".");
  }

  #skip(length: number): number {
    const from = this.#at;
    this.#at += length;
    return from;
  }
}

/** The shortest number that is the same in four bytes, as PostgreSQL shows a `real`. */
function toShortest(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

function readNumber(flags: number, has: number, read: () => number): number | null {
  if ((flags & has) === 0) return null;
  return (flags & (has << 1)) === 0 ? 0 : read();
}

export function decodeDetail(bytes: Buffer): ResultDetail {
  const reader = new Reader(bytes);
  const flags = reader.short();
  const has = (flag: number) => (flags & flag) !== 0;
  const durationMs = reader.long() / 1_000;
  const pingCount = reader.byte();
  const address = has(isShortAddress) ? reader.shortAddress() : has(hasAddress) && reader.text();
  const resolvedIp = address === false ? null : address;
  const hostname = has(isNamedByAddress) ? (resolvedIp ?? "") : reader.text();
  const dnsMs = readNumber(flags, hasDns, () => reader.real());
  const packetSize = has(isMeasured) ? reader.short() : null;
  const jitterMs = readNumber(flags, hasJitter, () => reader.real());
  const readOddity = () => (has(hasOddities) ? reader.short() : has(isMeasured) ? 0 : null);
  return {
    durationMs,
    hostname,
    ip_family: has(isIpv6) ? "IPv6" : "IPv4",
    ping_count: pingCount,
    resolved_ip: resolvedIp,
    dns_ms: dnsMs,
    packet_size: packetSize,
    jitter_ms: jitterMs,
    loss_burst: readOddity(),
    duplicates: readOddity(),
    reordered: readOddity(),
    late_replies: readOddity(),
  };
}
