// Encoding of probes and decoding of what they cause. Pure: no sockets, no clock.

import type { IpFamily } from "../../network/host.ts";
import { type Label, maxLabels } from "../measurement.ts";

export type Protocol = "ICMP" | "UDP" | "TCP";

/**
 * What all probes of a trace have in common, so that every router that balances by flow sends them
 * the same way: addresses, ports, and for ICMP identifier and checksum.
 */
export interface Flow {
  readonly family: IpFamily;
  readonly protocol: Protocol;
  /** Our address and the target's, as bytes in network order. */
  readonly source: Uint8Array;
  readonly target: Uint8Array;
  /** The ICMP identifier, or the source port. */
  readonly sourcePort: number;
  /** 0 for ICMP. */
  readonly targetPort: number;
  /** Random bytes in every payload: a quote that contains them cannot be guessed. */
  readonly cookie: Uint8Array;
  /** The upper half of TCP sequence numbers; the lower half identifies the probe. */
  readonly sequenceBase: number;
}

export const cookieBytes = 8;
const protocolNumbers = { ICMP: 1, TCP: 6, UDP: 17 } as const;
const icmp6Number = 58;
const headerBytes = 8;
const tcpHeaderBytes = 24;
/** Two bytes that set the checksum, the cookie, and the token. */
const headBytes = 2 + cookieBytes + 2;
const ipBytes = { IPv4: 20, IPv6: 40 } as const;
const synFlag = 0x02;
const rstFlag = 0x04;
const ackFlag = 0x10;
const windowSize = 64_240;
/** The option "maximum segment size" with 1,460, without which some firewalls drop a SYN. */
const segmentOption = [2, 4, 5, 180];

/** The smallest IP packet of a probe. */
export function smallestSize({ family, protocol }: Pick<Flow, "family" | "protocol">): number {
  return ipBytes[family] + (protocol === "TCP" ? tcpHeaderBytes : headerBytes + headBytes);
}

/** Number of the protocol in the IP header. */
export function numberOf({ family, protocol }: Pick<Flow, "family" | "protocol">): number {
  return protocol === "ICMP" && family === "IPv6" ? icmp6Number : protocolNumbers[protocol];
}

function addOnes(sum: number, value: number): number {
  const total = sum + value;
  return (total & 0xffff) + (total >>> 16);
}

/** Adds the bytes as 16-bit numbers in network order, in one's complement. */
function sumBytes(bytes: Uint8Array, from = 0): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) {
    sum = addOnes(sum, ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
  }
  return addOnes(from, sum);
}

/** The sum of the addresses, the protocol and the length that transport checksums include. */
function sumPseudoHeader(flow: Flow, length: number): number {
  const sum = sumBytes(flow.target, sumBytes(flow.source));
  return addOnes(addOnes(sum, numberOf(flow)), length);
}

function writeShort(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value & 0xff;
}

function readShort(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/**
 * Returns what is to be sent: for ICMP from the ICMP header on, for TCP from the TCP header on, for
 * UDP the payload, because the kernel writes its header. `size` is that of the IP packet.
 */
export function buildProbe(flow: Flow, token: number, size: number): Uint8Array {
  const length = Math.max(size, smallestSize(flow)) - ipBytes[flow.family];
  if (flow.protocol === "TCP") return buildSyn(flow, token);
  return flow.protocol === "UDP"
    ? buildDatagram(flow, token, length)
    : buildEcho(flow, token, length);
}

function buildEcho(flow: Flow, token: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes[0] = flow.family === "IPv4" ? 8 : 128;
  writeShort(bytes, 4, flow.sourcePort);
  writeShort(bytes, 6, token);
  // The complement of the sequence number keeps the checksum the same for every probe.
  writeShort(bytes, headerBytes, ~token & 0xffff);
  bytes.set(flow.cookie, headerBytes + 2);
  // The kernel writes the checksum of ICMPv6.
  if (flow.family === "IPv4") writeShort(bytes, 2, ~sumBytes(bytes) & 0xffff);
  return bytes;
}

function buildDatagram(flow: Flow, token: number, length: number): Uint8Array {
  const payload = new Uint8Array(length - headerBytes);
  payload.set(flow.cookie, 2);
  writeShort(payload, 2 + cookieBytes, token);
  let sum = sumPseudoHeader(flow, length);
  for (const field of [flow.sourcePort, flow.targetPort, length]) sum = addOnes(sum, field);
  sum = sumBytes(payload, sum);
  // The first two bytes make the checksum of the datagram equal to the token, because routers quote
  // the checksum even if they quote no payload.
  writeShort(payload, 0, addOnes(~token & 0xffff, ~sum & 0xffff));
  return payload;
}

function buildSyn(flow: Flow, token: number): Uint8Array {
  const bytes = new Uint8Array(tcpHeaderBytes);
  writeShort(bytes, 0, flow.sourcePort);
  writeShort(bytes, 2, flow.targetPort);
  writeShort(bytes, 4, flow.sequenceBase);
  writeShort(bytes, 6, token);
  bytes[12] = (tcpHeaderBytes / 4) << 4;
  bytes[13] = synFlag;
  writeShort(bytes, 14, windowSize);
  bytes.set(segmentOption, 20);
  writeShort(bytes, 16, ~sumBytes(bytes, sumPseudoHeader(flow, tcpHeaderBytes)) & 0xffff);
  return bytes;
}

/** An ICMP error, or the reply of the target. The token names the probe that caused it. */
export interface Arrival {
  readonly token: number;
  readonly kind: "exceeded" | "unreachable" | "too-big" | "reply";
  readonly type: number;
  readonly code: number;
  /** Of the next link, if a packet was too big for it. */
  readonly mtu: number | null;
  readonly labels: readonly Label[];
}

function isEqual(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let place = 0; place < expected.length; place += 1) {
    if (bytes[at + place] !== expected[place]) return false;
  }
  return true;
}

/** Whether the quote ends before the cookie, or contains it. */
function hasNoOtherCookie(flow: Flow, bytes: Uint8Array, at: number): boolean {
  return at + cookieBytes > bytes.length || isEqual(bytes, at, flow.cookie);
}

/** Returns the token of a quoted transport header, or `null` if it is not one of the flow. */
export function readToken(flow: Flow, bytes: Uint8Array): number | null {
  if (bytes.length < headerBytes) return null;
  if (flow.protocol === "ICMP") {
    const isEcho = bytes[0] === (flow.family === "IPv4" ? 8 : 128) && bytes[1] === 0;
    if (!isEcho || readShort(bytes, 4) !== flow.sourcePort) return null;
    return hasNoOtherCookie(flow, bytes, headerBytes + 2) ? readShort(bytes, 6) : null;
  }
  if (readShort(bytes, 0) !== flow.sourcePort) return null;
  if (readShort(bytes, 2) !== flow.targetPort) return null;
  if (flow.protocol === "TCP") {
    return readShort(bytes, 4) === flow.sequenceBase ? readShort(bytes, 6) : null;
  }
  const payload = bytes.subarray(headerBytes);
  // A translator of addresses may have changed the checksum, but not the payload.
  return payload.length < headBytes ? readShort(bytes, 6) : readPayloadToken(flow, payload);
}

/** Returns the token in the payload of a UDP probe, or `null` if it is not ours or too short. */
export function readPayloadToken(flow: Flow, payload: Uint8Array): number | null {
  if (payload.length < headBytes || !isEqual(payload, 2, flow.cookie)) return null;
  return readShort(payload, 2 + cookieBytes);
}

/** Names an ICMP error; `null` if the type is not one that ends a probe. */
export function classifyError(
  family: IpFamily,
  type: number,
  code: number,
): Arrival["kind"] | null {
  if (family === "IPv6") {
    if (type === 3) return code === 0 ? "exceeded" : null;
    return type === 1 ? "unreachable" : type === 2 ? "too-big" : null;
  }
  if (type === 11) return code === 0 ? "exceeded" : null;
  if (type !== 3) return null;
  return code === 4 ? "too-big" : "unreachable";
}

/**
 * Reads an ICMP message from its header on. Returns `null` unless it is an error that quotes a probe
 * of the flow, or a reply to one.
 */
export function readIcmp(flow: Flow, bytes: Uint8Array): Arrival | null {
  if (bytes.length < headerBytes) return null;
  const [type = 0, code = 0] = bytes;
  const replyType = flow.family === "IPv4" ? 0 : 129;
  if (flow.protocol === "ICMP" && type === replyType) return readEchoReply(flow, bytes);
  const kind = classifyError(flow.family, type, code);
  if (kind === null) return null;
  const token = readQuote(flow, bytes.subarray(headerBytes));
  if (token === null) return null;
  const mtu = kind === "too-big" ? readMtu(flow.family, bytes) : null;
  return { token, kind, type, code, mtu, labels: readLabels(flow.family, bytes) };
}

function readEchoReply(flow: Flow, bytes: Uint8Array): Arrival | null {
  if (bytes[1] !== 0 || readShort(bytes, 4) !== flow.sourcePort) return null;
  const at = headerBytes + 2;
  if (at + cookieBytes > bytes.length || !isEqual(bytes, at, flow.cookie)) return null;
  return { ...reply, type: bytes[0] ?? 0, token: readShort(bytes, 6) };
}

const reply = { kind: "reply", type: 0, code: 0, mtu: null, labels: [] } as const;

/** Reads the quoted packet from its IP header on: addresses and protocol must be the flow's. */
function readQuote(flow: Flow, bytes: Uint8Array): number | null {
  const [first = 0] = bytes;
  const isV4 = flow.family === "IPv4";
  if (first >>> 4 !== (isV4 ? 4 : 6)) return null;
  const [protocolAt, sourceAt] = isV4 ? [9, 12] : [6, 8];
  const targetAt = sourceAt + flow.source.length;
  if (bytes[protocolAt] !== numberOf(flow)) return null;
  if (!isEqual(bytes, sourceAt, flow.source) || !isEqual(bytes, targetAt, flow.target)) return null;
  const length = isV4 ? (first & 0x0f) * 4 : ipBytes.IPv6;
  return length < ipBytes[flow.family] ? null : readToken(flow, bytes.subarray(length));
}

function readMtu(family: IpFamily, bytes: Uint8Array): number | null {
  const mtu =
    family === "IPv4" ? readShort(bytes, 6) : readShort(bytes, 4) * 65_536 + readShort(bytes, 6);
  return mtu === 0 || mtu > 0xffff ? null : mtu;
}

/**
 * Returns the token that a TCP segment of the target acknowledges, from its header on. The address
 * was checked by the caller.
 */
export function readSegment(flow: Flow, bytes: Uint8Array): Arrival | null {
  if (bytes.length < 20) return null;
  if (readShort(bytes, 0) !== flow.targetPort || readShort(bytes, 2) !== flow.sourcePort)
    return null;
  const flags = bytes[13] ?? 0;
  if ((flags & ackFlag) === 0 || (flags & (synFlag | rstFlag)) === 0) return null;
  const acknowledged = (readShort(bytes, 8) * 65_536 + readShort(bytes, 10) - 1) >>> 0;
  if (acknowledged >>> 16 !== flow.sequenceBase) return null;
  return { ...reply, token: acknowledged & 0xffff };
}

/** The reply of a target to a UDP probe has no token: it belongs to the last probe. */
export function describeReply(token: number): Arrival {
  return { ...reply, token };
}

/** Where extensions start if the message does not say: after 128 bytes of quote. */
const legacyQuoteBytes = 128;

/** Reads MPLS labels (RFC 4950) from the extensions of an ICMP error (RFC 4884). */
function readLabels(family: IpFamily, bytes: Uint8Array): Label[] {
  const said = family === "IPv4" ? (bytes[5] ?? 0) * 4 : (bytes[4] ?? 0) * 8;
  // For a packet that is too big, these bytes contain the MTU.
  const isPlain = family === "IPv6" ? bytes[0] === 2 : false;
  if (isPlain) return [];
  return readExtensions(bytes.subarray(headerBytes + (said === 0 ? legacyQuoteBytes : said)));
}

/** Reads the labels of an extension structure, whose checksum must be correct. */
export function readExtensions(bytes: Uint8Array): Label[] {
  if (bytes.length < 8 || (bytes[0] ?? 0) >>> 4 !== 2) return [];
  if (readShort(bytes, 2) !== 0 && sumBytes(bytes) !== 0xffff) return [];
  const labels: Label[] = [];
  let at = 4;
  while (at + 4 <= bytes.length) {
    const length = readShort(bytes, at);
    if (length < 4 || at + length > bytes.length) break;
    const isLabelStack = bytes[at + 2] === 1 && bytes[at + 3] === 1;
    for (let entry = at + 4; isLabelStack && entry + 4 <= at + length; entry += 4) {
      if (labels.length >= maxLabels) return labels;
      const middle = bytes[entry + 2] ?? 0;
      labels.push({
        label: (readShort(bytes, entry) << 4) | (middle >>> 4),
        trafficClass: (middle >>> 1) & 7,
        ttl: bytes[entry + 3] ?? 0,
      });
    }
    at += length;
  }
  return labels;
}
