// Encodes probe packets and decodes the packets that respond to them, without sockets or a clock.

import type { IpFamily } from "../../../../platform/net/host.ts";
import { type Label, maxLabels } from "../measurement.ts";

export type Protocol = "ICMP" | "UDP" | "TCP";

/**
 * Fields that all probes of a trace share. All probes also have the same ICMP checksum. Routers
 * that balance the load per flow therefore send all probes along the same path.
 */
export interface Flow {
  readonly family: IpFamily;
  readonly protocol: Protocol;
  /**
   * Source address of the probes as bytes in network order. `target` is the destination address.
   */
  readonly source: Uint8Array;
  readonly target: Uint8Array;
  /** Source port of the probes, or the ICMP identifier. */
  readonly sourcePort: number;
  /** Destination port of the probes; 0 for ICMP. */
  readonly targetPort: number;
  /**
   * Random bytes in the payload of every ICMP and UDP probe, so that an attacker cannot forge
   * responses.
   */
  readonly cookie: Uint8Array;
  /** Upper 16 bits of all TCP sequence numbers. The lower 16 bits identify the probe. */
  readonly sequenceBase: number;
}

export const cookieBytes = 8;
const protocolNumbers = { ICMP: 1, TCP: 6, UDP: 17 } as const;
const icmp6Number = 58;
const headerBytes = 8;
const tcpHeaderBytes = 24;
/**
 * Length of the data at the start of every ICMP and UDP payload: two bytes that adjust the
 * checksum, then the cookie of the flow, then two bytes for the token that identifies the probe.
 * ICMP probes contain the token in their sequence number instead.
 */
const headBytes = 2 + cookieBytes + 2;
const ipBytes = { IPv4: 20, IPv6: 40 } as const;
const synFlag = 0x02;
const rstFlag = 0x04;
const ackFlag = 0x10;
const windowSize = 64_240;
/**
 * TCP option "maximum segment size" with the value 1,460. Some firewalls drop a SYN without this
 * option.
 */
const segmentOption = [2, 4, 5, 180];

/** Returns the size of the smallest IP packet for a probe, in bytes. */
export function smallestSize({ family, protocol }: Pick<Flow, "family" | "protocol">): number {
  return ipBytes[family] + (protocol === "TCP" ? tcpHeaderBytes : headerBytes + headBytes);
}

/** Returns the protocol number for the IP header. */
export function numberOf({ family, protocol }: Pick<Flow, "family" | "protocol">): number {
  return protocol === "ICMP" && family === "IPv6" ? icmp6Number : protocolNumbers[protocol];
}

function addOnes(sum: number, value: number): number {
  const total = sum + value;
  return (total & 0xffff) + (total >>> 16);
}

/** Adds 16-bit numbers in network order with one's complement arithmetic, as checksums do. */
function sumBytes(bytes: Uint8Array, from = 0): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) {
    sum = addOnes(sum, ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
  }
  return addOnes(from, sum);
}

/** Returns the one's complement sum of the pseudo header: addresses, protocol and length. */
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
 * Returns the bytes to send: an ICMP message, a TCP segment, or only the payload for UDP, because
 * the kernel writes the UDP header. `size` is the size of the whole IP packet and does not apply to
 * TCP.
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
  // Writes the complement of the sequence number, so that every probe has the same checksum.
  writeShort(bytes, headerBytes, ~token & 0xffff);
  bytes.set(flow.cookie, headerBytes + 2);
  // Writes the checksum for ICMPv4 only, because the kernel writes the checksum of ICMPv6.
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
  // Makes the UDP checksum equal to the token, because a router quotes the UDP header even if it
  // quotes no payload.
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

/**
 * A received ICMP error, or a reply of the target. The token identifies the probe to which the
 * packet responds.
 */
export interface Arrival {
  readonly token: number;
  readonly kind: "exceeded" | "unreachable" | "too-big" | "reply";
  readonly type: number;
  readonly code: number;
  /**
   * MTU of the next link, if the packet was too big and the router reported the MTU; otherwise
   * `null`.
   */
  readonly mtu: number | null;
  readonly labels: readonly Label[];
}

function isEqual(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let place = 0; place < expected.length; place += 1) {
    if (bytes[at + place] !== expected[place]) return false;
  }
  return true;
}

/**
 * Returns whether a quote contains the cookie of the flow, or is too short to contain any cookie.
 */
function hasNoOtherCookie(flow: Flow, bytes: Uint8Array, at: number): boolean {
  return at + cookieBytes > bytes.length || isEqual(bytes, at, flow.cookie);
}

/** Returns the token of a quoted transport header; `null` if the header is of another flow. */
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
  // Prefers the token in the payload, because address translation may have changed the checksum.
  return payload.length < headBytes ? readShort(bytes, 6) : readPayloadToken(flow, payload);
}

/** Returns the token in a UDP payload; `null` if the payload is too short or has another cookie. */
export function readPayloadToken(flow: Flow, payload: Uint8Array): number | null {
  if (payload.length < headBytes || !isEqual(payload, 2, flow.cookie)) return null;
  return readShort(payload, 2 + cookieBytes);
}

/** Classifies an ICMP error by type and code; `null` if traces ignore such errors. */
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
 * Reads an ICMP message, including its header. Returns `null` unless the message is a reply to a
 * probe of the flow, or an error that quotes such a probe.
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

/**
 * Reads the token from a quoted packet, which starts with the IP header; `null` if the packet
 * belongs to another flow.
 */
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
 * Reads a TCP segment, including its header. Returns a reply to the probe that the segment
 * acknowledges; `null` for other segments. The caller has checked that the segment came from the
 * target.
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

/** Describes the target's reply to the UDP probe with this token. */
export function describeReply(token: number): Arrival {
  return { ...reply, token };
}

/**
 * Length of the quoted packet in ICMP messages that do not specify this length. The extensions
 * follow the quoted packet.
 */
const legacyQuoteBytes = 128;

/** Reads MPLS labels (RFC 4950) from the extensions of an ICMP error (RFC 4884). */
function readLabels(family: IpFamily, bytes: Uint8Array): Label[] {
  const said = family === "IPv4" ? (bytes[5] ?? 0) * 4 : (bytes[4] ?? 0) * 8;
  // An ICMPv6 message "packet too big" contains the MTU where other messages contain the length.
  const isPlain = family === "IPv6" ? bytes[0] === 2 : false;
  if (isPlain) return [];
  return readExtensions(bytes.subarray(headerBytes + (said === 0 ? legacyQuoteBytes : said)));
}

/** Reads the MPLS labels of an ICMP extension structure; empty if the structure is invalid. */
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
