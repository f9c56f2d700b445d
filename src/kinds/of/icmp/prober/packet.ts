// Encodes echo requests and decodes replies, without access to sockets or the clock.

import type { IpFamily } from "../../../../platform/net/host.ts";

export type { IpFamily };

export const ICMP4 = { echoReply: 0, unreachable: 3, echoRequest: 8, exceeded: 11, parameter: 12 };
export const ICMP6 = { unreachable: 1, parameter: 4, echoRequest: 128, echoReply: 129 };
export const ICMP_HEADER_BYTES = 8;
export const COOKIE_BYTES = 16;
export const ECHO_HEAD_BYTES = ICMP_HEADER_BYTES + COOKIE_BYTES;
const IPV4_HEADER_BYTES = 20;
const IPV6_HEADER_BYTES = 40;
const MAX_LOOPED_SCAN_BYTES = 160;

/**
 * 64 random bits that identify a worker of this process. Received packets without these bits are
 * ignored.
 */
export interface ProcessCookie {
  readonly low: number;
  readonly high: number;
}

/** Result of parsing a packet. One object is reused, so that no memory is allocated per packet. */
export interface ParsedPacket {
  packetId: number;
  generation: number;
  type: number;
  code: number;
  ttl: number;
}

export const UNKNOWN_TTL = 0;
export const NOT_OURS = 0;
export const ECHO_REPLY = 1;
export const ICMP_ERROR = 2;
type PacketKind = typeof NOT_OURS | typeof ECHO_REPLY | typeof ICMP_ERROR;

export function createParsedPacket(): ParsedPacket {
  return { packetId: 0, generation: 0, type: 0, code: 0, ttl: UNKNOWN_TTL };
}

/**
 * Writes the first 24 bytes of an echo request: the ICMP header, the process cookie, the packet id
 * and the generation. The rest of the packet is zero.
 */
export class EchoWriter {
  readonly #family: IpFamily;
  readonly #identBits: number;
  readonly #cookie: ProcessCookie;
  readonly #constantSum: number;

  /** `ident` is the ICMP identifier in memory byte order. */
  constructor(family: IpFamily, ident: number, cookie: ProcessCookie) {
    this.#family = family;
    this.#identBits = ident;
    this.#cookie = cookie;
    this.#constantSum =
      ICMP4.echoRequest + ident + sumOfHalves(cookie.low) + sumOfHalves(cookie.high);
  }

  write(words: Uint32Array, wordIndex: number, packetId: number, generation: number): void {
    const sequence = packetId & 0xffff;
    if (this.#family === "IPv4") {
      // The sum uses memory byte order, because the Internet checksum is independent of byte order.
      let sum = this.#constantSum + sequence + sumOfHalves(packetId) + sumOfHalves(generation);
      sum = (sum & 0xffff) + (sum >>> 16);
      sum = (sum & 0xffff) + (sum >>> 16);
      words[wordIndex] = (ICMP4.echoRequest | ((~sum & 0xffff) << 16)) >>> 0;
    } else {
      // The ICMPv6 checksum stays 0. The kernel computes it, because the checksum covers the source
      // address.
      words[wordIndex] = ICMP6.echoRequest;
    }
    words[wordIndex + 1] = (this.#identBits | (sequence << 16)) >>> 0;
    words[wordIndex + 2] = this.#cookie.low;
    words[wordIndex + 3] = this.#cookie.high;
    words[wordIndex + 4] = packetId;
    words[wordIndex + 5] = generation;
  }
}

function sumOfHalves(word: number): number {
  return (word & 0xffff) + (word >>> 16);
}

/** Parses packets in the format that one kind of socket delivers. */
export class PacketParser {
  readonly #family: IpFamily;
  readonly #startsWithIpHeader: boolean;
  readonly #cookie: ProcessCookie;

  constructor(family: IpFamily, socketKind: "datagram" | "raw", cookie: ProcessCookie) {
    this.#family = family;
    this.#startsWithIpHeader = family === "IPv4" && socketKind === "raw";
    this.#cookie = cookie;
  }

  /** Parses a packet from the receive queue. `ttl` stays unchanged if there is no IP header. */
  parseReceived(bytes: Uint8Array, start: number, end: number, out: ParsedPacket): PacketKind {
    let icmp = start;
    if (this.#startsWithIpHeader) {
      if (end - start < IPV4_HEADER_BYTES) return NOT_OURS;
      icmp += ((bytes[start] ?? 0) & 0x0f) * 4;
      out.ttl = bytes[start + 8] ?? UNKNOWN_TTL;
    }
    if (end - icmp < ICMP_HEADER_BYTES) return NOT_OURS;
    out.type = bytes[icmp] ?? 0;
    out.code = bytes[icmp + 1] ?? 0;
    const body = icmp + ICMP_HEADER_BYTES;
    const reply = this.#family === "IPv4" ? ICMP4.echoReply : ICMP6.echoReply;
    if (out.type === reply) return this.#readCookie(bytes, body, end, out) ? ECHO_REPLY : NOT_OURS;
    if (!isIcmpError(this.#family, out.type)) return NOT_OURS;
    const quotedIp = this.#family === "IPv4" ? ((bytes[body] ?? 0) & 0x0f) * 4 : IPV6_HEADER_BYTES;
    const quotedBody = body + quotedIp + ICMP_HEADER_BYTES;
    return this.#readCookie(bytes, quotedBody, end, out) ? ICMP_ERROR : NOT_OURS;
  }

  /** Parses the echo request that an ICMP error in the kernel's error queue quotes. */
  parseQuoted(bytes: Uint8Array, start: number, end: number, out: ParsedPacket): boolean {
    return (
      this.#readCookie(bytes, start + ICMP_HEADER_BYTES, end, out) ||
      this.parseLooped(bytes, start, end, out)
    );
  }

  /**
   * Finds the cookie in a sent packet that the kernel returned with its transmit timestamp. The
   * data starts at the link header, whose length depends on the device: Ethernet, none, or VLAN.
   */
  parseLooped(bytes: Uint8Array, start: number, end: number, out: ParsedPacket): boolean {
    const network = this.#family === "IPv4" ? IPV4_HEADER_BYTES : IPV6_HEADER_BYTES;
    const bare = start + network + ICMP_HEADER_BYTES;
    if (this.#readCookie(bytes, bare + 14, end, out)) return true;
    if (this.#readCookie(bytes, bare, end, out)) return true;
    if (this.#readCookie(bytes, bare + 18, end, out)) return true;
    const last = Math.min(end, start + MAX_LOOPED_SCAN_BYTES) - COOKIE_BYTES;
    for (let offset = start; offset <= last; offset += 2) {
      if (this.#readCookie(bytes, offset, end, out)) return true;
    }
    return false;
  }

  #readCookie(bytes: Uint8Array, offset: number, end: number, out: ParsedPacket): boolean {
    if (offset + COOKIE_BYTES > end) return false;
    if (readWord(bytes, offset) !== this.#cookie.low) return false;
    if (readWord(bytes, offset + 4) !== this.#cookie.high) return false;
    out.packetId = readWord(bytes, offset + 8);
    out.generation = readWord(bytes, offset + 12);
    return true;
  }
}

function isIcmpError(family: IpFamily, type: number): boolean {
  if (family === "IPv6") return type >= ICMP6.unreachable && type <= ICMP6.parameter;
  return type === ICMP4.unreachable || type === ICMP4.exceeded || type === ICMP4.parameter;
}

function readWord(bytes: Uint8Array, offset: number): number {
  const low = (bytes[offset] ?? 0) | ((bytes[offset + 1] ?? 0) << 8);
  return (low | ((bytes[offset + 2] ?? 0) << 16) | ((bytes[offset + 3] ?? 0) << 24)) >>> 0;
}
