import {
  AF_INET,
  AF_INET6,
  ICMP_FILTER,
  ICMP6_FILTER,
  IP_MTU_DISCOVER,
  IP_PMTUDISC_PROBE,
  IP_PMTUDISC_WANT,
  IP_RECVERR,
  IP_RECVTTL,
  IPPROTO_ICMP,
  IPPROTO_ICMPV6,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPV6_RECVERR,
  IPV6_RECVHOPLIMIT,
  SK_MEMINFO_DROPS_WORD,
  SK_MEMINFO_WORDS,
  SO_ATTACH_FILTER,
  SO_MEMINFO,
  SO_RCVBUF,
  SO_RCVBUFFORCE,
  SO_SNDBUF,
  SO_SNDBUFFORCE,
  SO_TIMESTAMPING,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCK_FPROG,
  SOCK_NONBLOCK,
  SOCK_RAW,
  SOF_TIMESTAMPING_RX_SOFTWARE,
  SOF_TIMESTAMPING_SOFTWARE,
  SOF_TIMESTAMPING_TX_SOFTWARE,
  SOL_RAW,
  SOL_SOCKET,
} from "../../../wire/kernel/kernel-layout.ts";
import type { Libc } from "../../../wire/kernel/libc.ts";
import {
  branch,
  type FilterInstruction,
  JUMP,
  LOAD_BYTE,
  LOAD_BYTE_INDEXED,
  LOAD_HALF,
  LOAD_HALF_INDEXED,
  LOAD_IP_HEADER_LENGTH,
  RETURN,
  step,
  WHOLE_PACKET,
  writeFilter,
} from "../../../wire/kernel/packet-filter.ts";
import { EchoWriter, type IpFamily, PacketParser, type ProcessCookie } from "./packet.ts";

// A raw socket also receives echo replies to other processes. The filters below keep these replies
// out of its queue.

/**
 * Offsets of the ICMP identifier: in an echo reply, and in an ICMP error that quotes an echo
 * request.
 */
const IDENT_IN_REPLY = 4;
const IDENT_IN_IPV4_ERROR = 8 + 20 + 4;
const IDENT_IN_IPV6_ERROR = 8 + 40 + 4;

/** Builds the filter for a raw IPv4 socket, whose data starts at the IP header. */
function buildIpv4Filter(ident: number): readonly FilterInstruction[] {
  return [
    step(LOAD_IP_HEADER_LENGTH, 0),
    step(LOAD_BYTE_INDEXED, 0),
    branch(0, 2),
    step(LOAD_HALF_INDEXED, IDENT_IN_REPLY),
    step(JUMP, 1),
    step(LOAD_HALF_INDEXED, IDENT_IN_IPV4_ERROR),
    branch(ident, 1),
    step(RETURN, WHOLE_PACKET),
    step(RETURN, 0),
  ];
}

/** Builds the filter for a raw IPv6 socket, whose data starts at the ICMPv6 header. */
function buildIpv6Filter(ident: number): readonly FilterInstruction[] {
  return [
    step(LOAD_BYTE, 0),
    branch(129, 2),
    step(LOAD_HALF, IDENT_IN_REPLY),
    step(JUMP, 1),
    step(LOAD_HALF, IDENT_IN_IPV6_ERROR),
    branch(ident, 1),
    step(RETURN, WHOLE_PACKET),
    step(RETURN, 0),
  ];
}

export type SocketKind = "datagram" | "raw";

const DEFAULT_BUFFER_BYTES = 8 * 1024 * 1024;
const SCRATCH_BYTES = 512;
const STAMPS =
  SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
/** Bit mask in which a set bit blocks the ICMP type. Types 0, 3, 11 and 12 are received. */
const ICMP4_BLOCKED_TYPES = ~((1 << 0) | (1 << 3) | (1 << 11) | (1 << 12)) >>> 0;
/** Bit mask in which a set bit blocks the ICMPv6 type. Types 1 to 4 and 129 are received. */
const ICMP6_BLOCKED_TYPES = [~0b11110 >>> 0, ~0, ~0, ~0, ~0b10 >>> 0, ~0, ~0, ~0];

export interface EchoSocket {
  readonly fd: number;
  readonly family: IpFamily;
  readonly kind: SocketKind;
  readonly writer: EchoWriter;
  readonly parser: PacketParser;
  readonly receiveBufferBytes: number;
  /** Index of the socket in the loop's list. Each packet refers to its socket by this index. */
  index: number;
  mayFragment: boolean;
  dropCount: number;
  lastDropSeenMs: number;
}

type SocketOutcome =
  | { readonly ok: true; readonly socket: EchoSocket }
  | { readonly ok: false; readonly errno: number };

/** Opens and configures sockets. A few bytes of arena memory hold the option values. */
export class SocketOpener {
  readonly #libc: Libc;
  readonly #cookie: ProcessCookie;
  readonly #bufferBytes: number;
  readonly #scratch: number;
  readonly #scratchLength: number;

  constructor(libc: Libc, cookie: ProcessCookie, bufferBytes = DEFAULT_BUFFER_BYTES) {
    this.#libc = libc;
    this.#cookie = cookie;
    this.#bufferBytes = bufferBytes;
    this.#scratch = libc.arena.take(SCRATCH_BYTES);
    this.#scratchLength = libc.arena.take(8);
  }

  /**
   * Opens a socket. `ident` applies only to raw sockets, and each raw socket needs a different
   * value.
   */
  open(family: IpFamily, kind: SocketKind, ident: number): SocketOutcome {
    const type = (kind === "raw" ? SOCK_RAW : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC;
    const [domain, protocol] =
      family === "IPv4" ? [AF_INET, IPPROTO_ICMP] : [AF_INET6, IPPROTO_ICMPV6];
    const fd = this.#libc.call.socket(domain, type, protocol);
    if (fd < 0) return { ok: false, errno: this.#libc.errno() };
    if (kind === "raw") this.#filterRaw(fd, family, ident);
    else this.#enableErrorQueue(fd, family);
    if (family === "IPv6") this.#setNumber(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
    this.#setNumber(fd, SOL_SOCKET, SO_TIMESTAMPING, STAMPS);
    this.#enlargeBuffer(fd, SO_SNDBUFFORCE, SO_SNDBUF);
    this.#enlargeBuffer(fd, SO_RCVBUFFORCE, SO_RCVBUF);
    const socket: EchoSocket = {
      fd,
      family,
      kind,
      writer: new EchoWriter(family, swapBytes(ident), this.#cookie),
      parser: new PacketParser(family, kind, this.#cookie),
      receiveBufferBytes: this.#readWords(fd, SO_RCVBUF, 1)[0] ?? 0,
      index: 0,
      mayFragment: true,
      dropCount: 0,
      lastDropSeenMs: Number.NEGATIVE_INFINITY,
    };
    socket.dropCount = this.readDrops(socket);
    return { ok: true, socket };
  }

  /** Returns the number of packets that the kernel dropped because this socket's queue was full. */
  readDrops(socket: EchoSocket): number {
    return this.#readWords(socket.fd, SO_MEMINFO, SK_MEMINFO_WORDS)[SK_MEMINFO_DROPS_WORD] ?? 0;
  }

  /**
   * Sets whether the kernel may fragment IPv4 packets. A packet that must not be fragmented needs
   * no IP identifier, and choosing the identifier is the most expensive step of sending a small
   * packet.
   */
  allowFragments(socket: EchoSocket, isAllowed: boolean): void {
    const value = isAllowed ? IP_PMTUDISC_WANT : IP_PMTUDISC_PROBE;
    this.#setNumber(socket.fd, IPPROTO_IP, IP_MTU_DISCOVER, value);
    socket.mayFragment = isAllowed;
  }

  close(socket: EchoSocket): void {
    this.#libc.call.close(socket.fd);
  }

  #enableErrorQueue(fd: number, family: IpFamily): void {
    if (family === "IPv6") {
      this.#setNumber(fd, IPPROTO_IPV6, IPV6_RECVERR, 1);
    } else {
      this.#setNumber(fd, IPPROTO_IP, IP_RECVERR, 1);
      this.#setNumber(fd, IPPROTO_IP, IP_RECVTTL, 1);
    }
  }

  #filterRaw(fd: number, family: IpFamily, ident: number): void {
    if (family === "IPv4") {
      this.#setNumber(fd, SOL_RAW, ICMP_FILTER, ICMP4_BLOCKED_TYPES);
      this.#attachFilter(fd, buildIpv4Filter(ident));
    } else {
      this.#libc.arena.words.set(ICMP6_BLOCKED_TYPES, this.#scratch / 4);
      this.#setOption(fd, IPPROTO_ICMPV6, ICMP6_FILTER, ICMP6_BLOCKED_TYPES.length * 4);
      this.#attachFilter(fd, buildIpv6Filter(ident));
    }
  }

  #attachFilter(fd: number, program: readonly FilterInstruction[]): void {
    writeFilter(this.#libc.arena, this.#scratch, program);
    this.#setOption(fd, SOL_SOCKET, SO_ATTACH_FILTER, SOCK_FPROG.size);
  }

  // The kernel limits the size of a socket buffer. The forced option, such as SO_RCVBUFFORCE, can
  // exceed this limit but needs the capability CAP_NET_ADMIN. Without this capability, the plain
  // option, such as SO_RCVBUF, is used.
  #enlargeBuffer(fd: number, forcedOption: number, plainOption: number): void {
    if (!this.#setNumber(fd, SOL_SOCKET, forcedOption, this.#bufferBytes)) {
      this.#setNumber(fd, SOL_SOCKET, plainOption, this.#bufferBytes);
    }
  }

  #setNumber(fd: number, level: number, option: number, value: number): boolean {
    this.#libc.arena.words[this.#scratch / 4] = value;
    return this.#setOption(fd, level, option, 4);
  }

  #setOption(fd: number, level: number, option: number, byteCount: number): boolean {
    const value = this.#libc.arena.pointer(this.#scratch);
    return this.#libc.call.setsockopt(fd, level, option, value, byteCount) === 0;
  }

  #readWords(fd: number, option: number, wordCount: number): Uint32Array {
    const { arena, call } = this.#libc;
    arena.words[this.#scratchLength / 4] = wordCount * 4;
    const value = arena.pointer(this.#scratch);
    const length = arena.pointer(this.#scratchLength);
    const failed = call.getsockopt(fd, SOL_SOCKET, option, value, length) !== 0;
    return failed
      ? new Uint32Array(wordCount)
      : arena.words.subarray(this.#scratch / 4, this.#scratch / 4 + wordCount);
  }
}

function swapBytes(halfWord: number): number {
  return ((halfWord & 0xff) << 8) | (halfWord >>> 8);
}
