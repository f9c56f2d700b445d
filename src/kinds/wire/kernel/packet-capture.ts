// Captures the packets between this host and one address, in the socket thread.

import type { CaptureTarget } from "../../../contract/order.ts";
import { parseIpv4, parseIpv6 } from "../../../platform/net/host.ts";
import type { Serve } from "../network/socket-work.ts";
import {
  IPPROTO_ICMP,
  IPPROTO_ICMPV6,
  IPPROTO_TCP,
  IPPROTO_UDP,
  SO_RCVBUFFORCE,
  SO_TIMESTAMPING,
  SOF_TIMESTAMPING_RX_SOFTWARE,
  SOF_TIMESTAMPING_SOFTWARE,
  SOL_SOCKET,
} from "./kernel-layout.ts";
import {
  branch,
  type FilterInstruction,
  LOAD_BYTE,
  LOAD_IP_HEADER_LENGTH,
  LOAD_WORD,
  LOAD_WORD_INDEXED,
  RETURN,
  step,
} from "./packet-filter.ts";
import { type Received, SocketCalls } from "./socket-calls.ts";

interface CaptureStart {
  readonly id: string;
  readonly target: CaptureTarget;
  readonly comment: string;
}

/**
 * A request to the capture module. With a target, it starts a capture. Otherwise, it ends the
 * capture and returns its file.
 */
export type CaptureCall = CaptureStart | { readonly id: string };

/**
 * Answer to a `CaptureCall`: whether the capture started, or the file of the ended capture. The
 * file is `null` if no packets were captured.
 */
export type CaptureAnswer = boolean | Uint8Array | null;

export interface CapturedPacket {
  readonly stampNs: bigint;
  readonly isOutgoing: boolean;
  /** Size of the packet on the wire, counted from the IP header. */
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** Maximum number of packets in a file. Older packets are dropped. */
export const maxPackets = 200;
/**
 * Maximum stored bytes per packet, enough for the headers and for the payload of an ICMP message.
 */
const snapBytes = 192;
const maxCaptures = 8;
const maxCaptureMs = 90_000;
const readEveryMs = 50;
/** Size of the receive queue, enough for some thousand packets. A full queue drops new ones. */
const queueBytes = 2_000_000;
/** Maximum number of successive reads, enough to empty a full queue. */
const maxReads = 128;
const stamps = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
const ipv6HeaderBytes = 40;
const icmpHeaderBytes = 8;
const udpHeaderBytes = 8;
/**
 * Number of bytes to store of a quoted packet after its IP header. Further bytes may be connection
 * data.
 */
const quotedTransportBytes = 8;

/** Builds filter instructions that accept a packet if the words at an offset equal the address. */
function matchAddress(address: Uint8Array, operation: number, offset: number): FilterInstruction[] {
  const view = new DataView(address.buffer, address.byteOffset, address.length);
  const count = address.length / 4;
  const words = Array.from({ length: count }, (_, index) => index);
  return [
    ...words.flatMap((index) => [
      step(operation, offset + 4 * index),
      branch(view.getUint32(4 * index), 2 * (count - 1 - index) + 1),
    ]),
    step(RETURN, snapBytes),
  ];
}

/** Builds a filter for packets of the address and for ICMP errors that quote a packet to it. */
export function buildCaptureFilter(address: Uint8Array): FilterInstruction[] {
  const isV4 = address.length === 4;
  const [sourceAt, targetAt, protocolAt] = isV4 ? [12, 16, 9] : [8, 24, 6];
  const quoted = isV4
    ? [
        step(LOAD_IP_HEADER_LENGTH, 0),
        ...matchAddress(address, LOAD_WORD_INDEXED, icmpHeaderBytes + targetAt),
      ]
    : matchAddress(address, LOAD_WORD, ipv6HeaderBytes + icmpHeaderBytes + targetAt);
  return [
    ...matchAddress(address, LOAD_WORD, sourceAt),
    ...matchAddress(address, LOAD_WORD, targetAt),
    step(LOAD_BYTE, protocolAt),
    branch(isV4 ? IPPROTO_ICMP : IPPROTO_ICMPV6, quoted.length),
    ...quoted,
    step(RETURN, 0),
  ];
}

const readShort = (bytes: Uint8Array, at: number) => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);

interface IpHeader {
  readonly protocol: number;
  readonly headerBytes: number;
  readonly length: number;
}

function readIpHeader(bytes: Uint8Array): IpHeader | null {
  const [first = 0] = bytes;
  if (first >>> 4 === 4 && bytes.length >= 20) {
    const headerBytes = (first & 0x0f) * 4;
    return { protocol: bytes[9] ?? 0, headerBytes, length: readShort(bytes, 2) };
  }
  if (first >>> 4 !== 6 || bytes.length < ipv6HeaderBytes) return null;
  const length = ipv6HeaderBytes + readShort(bytes, 4);
  return { protocol: bytes[6] ?? 0, headerBytes: ipv6HeaderBytes, length };
}

const transports: Readonly<Record<number, string>> = {
  [IPPROTO_ICMP]: "ICMP",
  [IPPROTO_ICMPV6]: "ICMP",
  [IPPROTO_TCP]: "TCP",
  [IPPROTO_UDP]: "UDP",
};

function isIcmpError(protocol: number, type: number): boolean {
  return protocol === IPPROTO_ICMP ? [3, 11, 12].includes(type) : type >= 1 && type <= 4;
}

/**
 * Removes the data of a connection from a packet, because data can contain secrets. Returns `null`
 * if the packet does not belong to the target, because other programs may communicate with the same
 * address.
 */
export function clipPacket(
  bytes: Uint8Array,
  { protocol, port }: Omit<CaptureTarget, "address">,
): Pick<CapturedPacket, "length" | "bytes"> | null {
  const ip = readIpHeader(bytes);
  if (ip === null) return null;
  const rest = bytes.subarray(ip.headerBytes);
  const length = Math.max(ip.length, bytes.length);
  const clip = (count: number) => ({ length, bytes: bytes.subarray(0, ip.headerBytes + count) });
  const transport = transports[ip.protocol];
  if (transport === "ICMP") {
    if (!isIcmpError(ip.protocol, rest[0] ?? 0)) {
      return protocol === "ICMP" ? clip(rest.length) : null;
    }
    const quoted = readIpHeader(rest.subarray(icmpHeaderBytes));
    if (quoted === null || transports[quoted.protocol] !== protocol) return null;
    return clip(icmpHeaderBytes + quoted.headerBytes + quotedTransportBytes);
  }
  if (transport !== protocol) return null;
  if (readShort(rest, 0) !== port && readShort(rest, 2) !== port) return null;
  return clip(transport === "TCP" ? ((rest[12] ?? 0) >>> 4) * 4 : udpHeaderBytes);
}

const sectionHeader = 0x0a0d_0d0a;
const byteOrderMagic = 0x1a2b_3c4d;
const interfaceDescription = 1;
const enhancedPacket = 6;
/** Link type in the file, which declares that packets start with the IP header. */
const rawLinkType = 101;

function padded(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}

function option(code: number, value: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(code, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, padded(value)]);
}

function block(type: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  const tail = Buffer.alloc(4);
  head.writeUInt32LE(type, 0);
  head.writeUInt32LE(body.length + 12, 4);
  tail.writeUInt32LE(body.length + 12, 0);
  return Buffer.concat([head, body, tail]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, index * 4);
  return bytes;
}

const endOfOptions = Buffer.alloc(4);

/** Encodes packets as a pcapng file for Wireshark, with timestamps in nanoseconds. */
export function writePcapng(packets: readonly CapturedPacket[], comment: string): Uint8Array {
  const section = [
    words(byteOrderMagic, 1, 0xffff_ffff, 0xffff_ffff),
    option(1, Buffer.from(comment)),
    option(4, Buffer.from("Vedette")),
    endOfOptions,
  ];
  const device = [words(rawLinkType, snapBytes), option(9, Uint8Array.of(9)), endOfOptions];
  return Buffer.concat([
    block(sectionHeader, ...section),
    block(interfaceDescription, ...device),
    ...packets.map(({ stampNs, isOutgoing, length, bytes }) =>
      block(
        enhancedPacket,
        words(0, Number(stampNs >> 32n), Number(stampNs & 0xffff_ffffn), bytes.length, length),
        padded(bytes),
        option(2, words(isOutgoing ? 2 : 1)),
        endOfOptions,
      ),
    ),
  ]);
}

/**
 * One capture. The kernel filter accepts only packets of the target's address and ICMP errors about
 * them.
 */
class Capture {
  readonly #fd: number;
  readonly #calls: SocketCalls;
  readonly #target: CaptureTarget;
  readonly #comment: string;
  readonly #packets: CapturedPacket[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #limit: NodeJS.Timeout;

  constructor(calls: SocketCalls, fd: number, { id, target, comment }: CaptureStart) {
    this.#calls = calls;
    this.#fd = fd;
    this.#target = target;
    this.#comment = comment;
    this.#timer = setInterval(() => this.#readAll(), readEveryMs);
    this.#limit = setTimeout(() => end(id), maxCaptureMs);
  }

  /** Empties the queue. A full queue would drop new packets, and the newest packets are needed. */
  #readAll(): void {
    for (let round = 0; round < maxReads && this.#read() > 0; ) round += 1;
  }

  /** Reads waiting packets up to a limit and returns their number. */
  #read(): number {
    const waiting = this.#calls.receive(this.#fd, false);
    for (const received of waiting) this.#add(received);
    this.#packets.splice(0, this.#packets.length - maxPackets);
    return waiting.length;
  }

  #add({ bytes, stampMs, link }: Received): void {
    // The loopback device shows each packet twice, so its outgoing packets are skipped.
    if (link === null || stampMs === null || (link.isLoopback && link.isOutgoing)) return;
    const clipped = clipPacket(bytes, this.#target);
    if (clipped === null) return;
    const stampNs = this.#calls.toEpochNs(stampMs);
    this.#packets.push({ ...clipped, stampNs, isOutgoing: link.isOutgoing });
  }

  end(): Uint8Array | null {
    clearInterval(this.#timer);
    clearTimeout(this.#limit);
    this.#readAll();
    this.#calls.close(this.#fd);
    return this.#packets.length === 0 ? null : writePcapng(this.#packets, this.#comment);
  }
}

let calls: SocketCalls | undefined;
const captures = new Map<string, Capture>();

/**
 * Starts a capture. Returns false if this is impossible, for example without CAP_NET_RAW or if too
 * many captures are running.
 */
function start(call: CaptureStart): boolean {
  const { address } = call.target;
  const bytes = address.includes(":") ? parseIpv6(address) : parseIpv4(address);
  if (bytes === null || captures.has(call.id) || captures.size >= maxCaptures) return false;
  calls ??= new SocketCalls();
  const fd = calls.openLink(buildCaptureFilter(bytes));
  if (fd < 0) return false;
  calls.setNumber(fd, SOL_SOCKET, SO_RCVBUFFORCE, queueBytes);
  calls.setNumber(fd, SOL_SOCKET, SO_TIMESTAMPING, stamps);
  captures.set(call.id, new Capture(calls, fd, call));
  return true;
}

function end(id: string): Uint8Array | null {
  const capture = captures.get(id);
  captures.delete(id);
  return capture?.end() ?? null;
}

export const serve: Serve<CaptureCall, CaptureAnswer> = async (call) =>
  "target" in call ? start(call) : end(call.id);
