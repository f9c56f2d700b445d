// System calls on sockets for one thread. Kernel structs are outside the JavaScript heap.

import type { IpFamily } from "../../../platform/net/host.ts";
import {
  AF_INET,
  AF_INET6,
  AF_PACKET,
  ARPHRD_LOOPBACK,
  CMSGHDR,
  ERRNO,
  ETH_P_ALL,
  EXTENDED_ERROR,
  IOVEC,
  IP_RECVERR,
  IP_TTL,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPV6_RECVERR,
  IPV6_UNICAST_HOPS,
  MMSGHDR,
  MSG_DONTWAIT,
  MSG_ERRQUEUE,
  PACKET_OUTGOING,
  POLLFD,
  POLLIN,
  SO_ATTACH_FILTER,
  SO_TIMESTAMPING,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCK_FPROG,
  SOCK_NONBLOCK,
  SOCKADDR_IN,
  SOCKADDR_IN6,
  SOCKADDR_LL,
  SOL_SOCKET,
  TIMESPEC,
} from "./kernel-layout.ts";
import { type Libc, NULL_POINTER, openLibc } from "./libc.ts";
import { type FilterInstruction, writeFilter } from "./packet-filter.ts";

/** A socket address: an IP address in network byte order, and a port or an ICMP identifier. */
interface Endpoint {
  readonly address: Uint8Array;
  readonly port: number;
}

/** An entry of a socket's error queue: an ICMP error, or the transmit timestamp of a packet. */
interface QueuedError {
  readonly origin: number;
  readonly type: number;
  readonly code: number;
  readonly info: number;
  readonly data: number;
  /** Address of the host that sent the ICMP error. */
  readonly offender: Uint8Array;
}

export interface Received {
  readonly bytes: Uint8Array;
  readonly from: Endpoint;
  /**
   * Kernel timestamp in milliseconds, counted from the second in which the `SocketCalls` object was
   * created; `null` if there is none.
   */
  readonly stampMs: number | null;
  readonly error: QueuedError | null;
  /** Direction of the packet; `null` unless the socket comes from `openLink`. */
  readonly link: { readonly isOutgoing: boolean; readonly isLoopback: boolean } | null;
}

const arenaBytes = 256 * 1024;
const batch = 32;
const dataBytes = 2_048;
const nameBytes = 32;
const controlBytes = 256;
const maxSendBytes = 65_536;
const scratchBytes = 512;
/** Maximum number of packets per batch, so that a flood cannot occupy the thread. */
export const packetsPerBatch = batch;
export const maxBatches = 4;
const maxStaleErrors = 4;
export const maxPolled = 1_024;

export class SocketCalls {
  readonly #libc: Libc;
  readonly #baseSeconds = Math.floor(Date.now() / 1_000);
  readonly #scratch: number;
  readonly #length: number;
  readonly #name: number;
  readonly #outgoing: number;
  readonly #outgoingVector: number;
  readonly #outgoingData: number;
  readonly #messages: number;
  readonly #names: number;
  readonly #data: number;
  readonly #controls: number;
  readonly #polled: number;
  readonly #timespec: number;

  constructor() {
    this.#libc = openLibc(arenaBytes, null);
    const { arena } = this.#libc;
    this.#scratch = arena.take(scratchBytes);
    this.#length = arena.take(8);
    this.#name = arena.take(nameBytes);
    this.#outgoing = arena.take(MMSGHDR.size);
    this.#outgoingVector = arena.take(IOVEC.size);
    this.#outgoingData = arena.take(maxSendBytes);
    this.#messages = arena.take(batch * MMSGHDR.size);
    this.#names = arena.take(batch * nameBytes);
    this.#data = arena.take(batch * dataBytes);
    this.#controls = arena.take(batch * controlBytes);
    this.#polled = arena.take(maxPolled * POLLFD.size);
    this.#timespec = arena.take(TIMESPEC.size);
    this.#layOut(arena.take(batch * IOVEC.size));
  }

  #layOut(vectors: number): void {
    const { arena } = this.#libc;
    for (let entry = 0; entry < batch; entry += 1) {
      const vector = vectors + entry * IOVEC.size;
      arena.longs[(vector + IOVEC.start) / 8] = arena.pointer(this.#data + entry * dataBytes);
      arena.longs[(vector + IOVEC.length) / 8] = BigInt(dataBytes);
      const message = this.#messages + entry * MMSGHDR.size;
      arena.longs[(message + MMSGHDR.name) / 8] = arena.pointer(this.#names + entry * nameBytes);
      arena.longs[(message + MMSGHDR.vectors) / 8] = arena.pointer(vector);
      arena.longs[(message + MMSGHDR.vectorCount) / 8] = 1n;
      const control = arena.pointer(this.#controls + entry * controlBytes);
      arena.longs[(message + MMSGHDR.control) / 8] = control;
    }
    arena.longs[(this.#outgoing + MMSGHDR.name) / 8] = arena.pointer(this.#name);
    arena.longs[(this.#outgoing + MMSGHDR.vectors) / 8] = arena.pointer(this.#outgoingVector);
    arena.longs[(this.#outgoing + MMSGHDR.vectorCount) / 8] = 1n;
    const start = arena.pointer(this.#outgoingData);
    arena.longs[(this.#outgoingVector + IOVEC.start) / 8] = start;
  }

  /** Opens a socket. Returns a descriptor, or the negative error number. */
  open(family: IpFamily, type: number, protocol: number): number {
    const domain = family === "IPv4" ? AF_INET : AF_INET6;
    const fd = this.#libc.call.socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    return fd < 0 ? -this.#libc.errno() : fd;
  }

  /**
   * Opens a socket that receives a copy of every IP packet of this host that the filter accepts.
   * Returns a descriptor, or the negative error number.
   */
  openLink(program: readonly FilterInstruction[]): number {
    const { arena, call } = this.#libc;
    // With protocol 0, the socket receives nothing until `bind`, so no packet is queued before the
    // filter is set.
    const fd = call.socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -this.#libc.errno();
    arena.bytes.fill(0, this.#name, this.#name + nameBytes);
    arena.halfWords[(this.#name + SOCKADDR_LL.family) / 2] = AF_PACKET;
    arena.bytes[this.#name + SOCKADDR_LL.protocol + 1] = ETH_P_ALL;
    const isReady =
      this.setFilter(fd, program) &&
      call.bind(fd, arena.pointer(this.#name), SOCKADDR_LL.size) === 0;
    if (isReady) return fd;
    const errno = this.#libc.errno();
    this.close(fd);
    return -errno;
  }

  /** Converts a timestamp of a packet to nanoseconds since the epoch. */
  toEpochNs(stampMs: number): bigint {
    return BigInt(this.#baseSeconds) * 1_000_000_000n + BigInt(Math.round(stampMs * 1e6));
  }

  close(fd: number): void {
    this.#libc.call.close(fd);
  }

  setNumber(fd: number, level: number, option: number, value: number): boolean {
    this.#libc.arena.words[this.#scratch / 4] = value;
    return this.#setOption(fd, level, option, 4);
  }

  setNumbers(fd: number, level: number, option: number, values: readonly number[]): boolean {
    this.#libc.arena.words.set(values, this.#scratch / 4);
    return this.#setOption(fd, level, option, values.length * 4);
  }

  setFilter(fd: number, program: readonly FilterInstruction[]): boolean {
    writeFilter(this.#libc.arena, this.#scratch, program);
    return this.#setOption(fd, SOL_SOCKET, SO_ATTACH_FILTER, SOCK_FPROG.size);
  }

  #setOption(fd: number, level: number, option: number, byteCount: number): boolean {
    const value = this.#libc.arena.pointer(this.#scratch);
    return this.#libc.call.setsockopt(fd, level, option, value, byteCount) === 0;
  }

  /** Binds a socket to a local address. Returns 0 or the error number. */
  bind(fd: number, endpoint: Endpoint): number {
    const size = this.#writeName(endpoint);
    const { call, arena } = this.#libc;
    return call.bind(fd, arena.pointer(this.#name), size) === 0 ? 0 : this.#libc.errno();
  }

  connect(fd: number, endpoint: Endpoint): number {
    const size = this.#writeName(endpoint);
    const { call, arena } = this.#libc;
    return call.connect(fd, arena.pointer(this.#name), size) === 0 ? 0 : this.#libc.errno();
  }

  /** Returns the local address of a socket. */
  findName(fd: number): Endpoint {
    const { call, arena } = this.#libc;
    arena.words[this.#length / 4] = nameBytes;
    call.getsockname(fd, arena.pointer(this.#name), arena.pointer(this.#length));
    return this.#readName(this.#name);
  }

  #writeName({ address, port }: Endpoint): number {
    const { arena } = this.#libc;
    const isV4 = address.length === 4;
    const layout = isV4 ? SOCKADDR_IN : SOCKADDR_IN6;
    arena.bytes.fill(0, this.#name, this.#name + nameBytes);
    arena.halfWords[this.#name / 2] = isV4 ? AF_INET : AF_INET6;
    arena.bytes[this.#name + layout.port] = port >>> 8;
    arena.bytes[this.#name + layout.port + 1] = port & 0xff;
    arena.bytes.set(address, this.#name + layout.address);
    return layout.size;
  }

  #readName(at: number): Endpoint {
    const { bytes, halfWords } = this.#libc.arena;
    const isV4 = halfWords[at / 2] === AF_INET;
    const layout = isV4 ? SOCKADDR_IN : SOCKADDR_IN6;
    const from = at + layout.address;
    const port = ((bytes[at + layout.port] ?? 0) << 8) | (bytes[at + layout.port + 1] ?? 0);
    return { address: bytes.slice(from, from + (isV4 ? 4 : 16)), port };
  }

  #readLink(at: number): Received["link"] {
    const { bytes, halfWords } = this.#libc.arena;
    if (halfWords[at / 2] !== AF_PACKET) return null;
    return {
      isOutgoing: bytes[at + SOCKADDR_LL.packetType] === PACKET_OUTGOING,
      isLoopback: halfWords[(at + SOCKADDR_LL.hardware) / 2] === ARPHRD_LOOPBACK,
    };
  }

  /** Sends one packet with a hop limit. Returns 0 or the error number. */
  send(fd: number, to: Endpoint, hopLimit: number, data: Uint8Array): number {
    const { arena, call } = this.#libc;
    const isV4 = to.address.length === 4;
    if (isV4) this.setNumber(fd, IPPROTO_IP, IP_TTL, hopLimit);
    else this.setNumber(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, hopLimit);
    arena.bytes.set(data, this.#outgoingData);
    arena.longs[(this.#outgoingVector + IOVEC.length) / 8] = BigInt(data.length);
    arena.words[(this.#outgoing + MMSGHDR.nameLength) / 4] = this.#writeName(to);
    const sent = call.sendmmsg(fd, arena.pointer(this.#outgoing), 1, MSG_DONTWAIT);
    return sent === 1 ? 0 : this.#libc.errno();
  }

  /** Reads packets until the queue is empty or the maximum number of batches is reached. */
  receive(fd: number, isErrorQueue: boolean, batches = maxBatches): Received[] {
    const received: Received[] = [];
    const { arena, call } = this.#libc;
    const flags = MSG_DONTWAIT | (isErrorQueue ? MSG_ERRQUEUE : 0);
    let staleErrors = 0;
    for (let round = 0; round < batches; round += 1) {
      for (let entry = 0; entry < batch; entry += 1) this.#prepare(entry);
      const count = call.recvmmsg(fd, arena.pointer(this.#messages), batch, flags, NULL_POINTER);
      if (count < 0) {
        // A call may fail with the error of an earlier packet. The next call then reads the queue.
        staleErrors += 1;
        if (this.#libc.errno() === ERRNO.EAGAIN || staleErrors > maxStaleErrors) break;
        continue;
      }
      for (let entry = 0; entry < count; entry += 1) received.push(this.#read(entry));
      if (count < batch) break;
    }
    return received;
  }

  #prepare(entry: number): void {
    const { words } = this.#libc.arena;
    const message = this.#messages + entry * MMSGHDR.size;
    words[(message + MMSGHDR.nameLength) / 4] = nameBytes;
    words[(message + MMSGHDR.controlLength) / 4] = controlBytes;
  }

  #read(entry: number): Received {
    const { words, bytes } = this.#libc.arena;
    const message = this.#messages + entry * MMSGHDR.size;
    const length = Math.min(words[(message + MMSGHDR.movedLength) / 4] ?? 0, dataBytes);
    const start = this.#data + entry * dataBytes;
    const control = this.#readControl(
      this.#controls + entry * controlBytes,
      words[(message + MMSGHDR.controlLength) / 4] ?? 0,
    );
    return {
      bytes: bytes.slice(start, start + length),
      from: this.#readName(this.#names + entry * nameBytes),
      link: this.#readLink(this.#names + entry * nameBytes),
      ...control,
    };
  }

  #readControl(start: number, byteCount: number): Pick<Received, "stampMs" | "error"> {
    const { words } = this.#libc.arena;
    let stampMs: number | null = null;
    let error: QueuedError | null = null;
    const end = start + Math.min(byteCount, controlBytes);
    let at = start;
    while (at + CMSGHDR.data <= end) {
      const length = words[at / 4] ?? 0;
      if (length < CMSGHDR.data || at + length > end) break;
      const level = words[(at + CMSGHDR.level) / 4];
      const type = words[(at + CMSGHDR.type) / 4];
      const data = at + CMSGHDR.data;
      if (level === SOL_SOCKET && type === SO_TIMESTAMPING) stampMs = this.#readStamp(data);
      const isError =
        (level === IPPROTO_IP && type === IP_RECVERR) ||
        (level === IPPROTO_IPV6 && type === IPV6_RECVERR);
      if (isError) error = this.#readError(data);
      at += (length + CMSGHDR.alignment - 1) & -CMSGHDR.alignment;
    }
    return { stampMs, error };
  }

  #readStamp(at: number): number | null {
    const { words } = this.#libc.arena;
    const seconds = words[(at + TIMESPEC.seconds) / 4] ?? 0;
    const nanoseconds = words[(at + TIMESPEC.nanoseconds) / 4] ?? 0;
    return seconds === 0 ? null : (seconds - this.#baseSeconds) * 1_000 + nanoseconds / 1e6;
  }

  #readError(at: number): QueuedError {
    const { words, bytes } = this.#libc.arena;
    return {
      origin: bytes[at + EXTENDED_ERROR.origin] ?? 0,
      type: bytes[at + EXTENDED_ERROR.type] ?? 0,
      code: bytes[at + EXTENDED_ERROR.code] ?? 0,
      info: words[(at + EXTENDED_ERROR.info) / 4] ?? 0,
      data: words[(at + EXTENDED_ERROR.data) / 4] ?? 0,
      offender: this.#readName(at + EXTENDED_ERROR.size).address,
    };
  }

  /** Returns the descriptors that have packets or errors to read, without waiting. */
  poll(fds: readonly number[]): number[] {
    const { arena, call } = this.#libc;
    const count = Math.min(fds.length, maxPolled);
    for (let place = 0; place < count; place += 1) {
      const entry = this.#polled + place * POLLFD.size;
      arena.signedWords[(entry + POLLFD.fd) / 4] = fds[place] ?? -1;
      arena.halfWords[(entry + POLLFD.events) / 2] = POLLIN;
      arena.halfWords[(entry + POLLFD.revents) / 2] = 0;
    }
    const entries = arena.pointer(this.#polled);
    const ready = call.ppoll(entries, BigInt(count), arena.pointer(this.#timespec), NULL_POINTER);
    if (ready <= 0) return [];
    return fds.filter((_, place) => {
      const entry = this.#polled + place * POLLFD.size;
      return place < count && (arena.halfWords[(entry + POLLFD.revents) / 2] ?? 0) !== 0;
    });
  }
}
