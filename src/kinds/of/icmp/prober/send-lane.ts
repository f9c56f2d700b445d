import {
  AF_INET,
  AF_INET6,
  CLOCK_REALTIME,
  ERRNO,
  IOVEC,
  MMSGHDR,
  MSG_DONTWAIT,
  SOCKADDR_IN,
  SOCKADDR_IN6,
  TIMESPEC,
} from "../../../wire/kernel/kernel-layout.ts";
import type { Libc } from "../../../wire/kernel/libc.ts";
import { COOKIE_BYTES, ECHO_HEAD_BYTES, ICMP_HEADER_BYTES, type IpFamily } from "./packet.ts";
import { SENT, type Slots } from "./slots.ts";
import type { EchoSocket, SocketOpener } from "./socket.ts";

const BUCKETS = 65_536;
const QUARANTINE_MS = 600_000;

/**
 * Remembers targets that did not reply recently, because packets to these targets use a separate
 * socket. A packet to a missing host on the local network waits three seconds for address
 * resolution, and blocks its socket during this time.
 */
export class Quarantine {
  readonly #untilMs = new Float64Array(BUCKETS);

  holds(address: Uint32Array, first: number, nowMs: number): boolean {
    return (this.#untilMs[hashAddress(address, first)] ?? 0) > nowMs;
  }

  note(address: Uint32Array, first: number, answered: boolean, nowMs: number): void {
    this.#untilMs[hashAddress(address, first)] = answered ? 0 : nowMs + QUARANTINE_MS;
  }
}

/** Two addresses with the same hash share their quarantine state, which is harmless. */
function hashAddress(address: Uint32Array, first: number): number {
  let hash = 0;
  for (let word = 0; word < 4; word += 1) {
    hash = Math.imul(hash ^ (address[first + word] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash & (BUCKETS - 1);
}

/**
 * Reads the wall clock of the kernel in nanoseconds since `baseSeconds`, like packet timestamps.
 */
export class WallClock {
  readonly #libc: Libc;
  readonly #timespec: number;
  readonly #pointer: bigint;
  readonly #baseSeconds: number;

  constructor(libc: Libc, baseSeconds: number) {
    this.#libc = libc;
    this.#timespec = libc.arena.take(TIMESPEC.size);
    this.#pointer = libc.arena.pointer(this.#timespec);
    this.#baseSeconds = baseSeconds;
  }

  nowNs(): number {
    this.#libc.call.clock_gettime(CLOCK_REALTIME, this.#pointer);
    const words = this.#libc.arena.words;
    const seconds = words[(this.#timespec + TIMESPEC.seconds) / 4] ?? 0;
    const nanoseconds = words[(this.#timespec + TIMESPEC.nanoseconds) / 4] ?? 0;
    return (seconds - this.#baseSeconds) * 1e9 + nanoseconds;
  }
}

export const MAX_BATCH = 64;
const NAME_STRIDE_BYTES = 32;
const VECTORS_STRIDE_BYTES = 2 * IOVEC.size;
/**
 * Number of bytes reserved per packet for its beginning. Smaller packets fit completely; the rest
 * of larger packets is shared padding.
 */
const HEAD_STRIDE_BYTES = 128;
const MAX_STALE_RETRIES = 2;
/**
 * Maximum payload that needs no fragmentation. IPv4 packets of 576 bytes, of which 28 are headers,
 * are assumed to pass every path.
 */
const MAX_UNCUT_PAYLOAD_BYTES = 548;

/** Callbacks that report what happened to each packet of a batch. */
export interface SendOutcomes {
  onSent(slot: number): void;
  onRefused(slot: number, packet: number, errno: number): void;
  onBlocked(slot: number): void;
  /** Reads pending errors, because a send call may fail with the error of an earlier packet. */
  drainErrors(socket: EchoSocket): void;
}

interface LaneParts {
  readonly libc: Libc;
  readonly slots: Slots;
  readonly opener: Pick<SocketOpener, "allowFragments">;
  readonly clock: WallClock;
  readonly outcomes: SendOutcomes;
  /** Address of a block of zeros, with which all large packets are padded. */
  readonly paddingPointer: bigint;
}

/** Sends the packets of one IP family in batches. Each batch uses the next socket in turn. */
export class SendLane {
  /**
   * Maximum number of packets per batch. Without transmit timestamps from the kernel, all packets
   * of a batch share one send time, so the batches must be small.
   */
  batchLimit = MAX_BATCH;
  readonly #parts: LaneParts;
  readonly #family: IpFamily;
  readonly #messages: number;
  readonly #heads: number;
  readonly #names: number;
  readonly #vectors: number;
  readonly #messagePointers: bigint[] = [];
  readonly #batchSlots = new Int32Array(MAX_BATCH);
  readonly #batchPackets = new Int32Array(MAX_BATCH);
  #sockets: readonly EchoSocket[] = [];
  #socket: EchoSocket | undefined;
  #turn = 0;
  #count = 0;
  /** Whether the kernel may fragment the packets of the current batch. */
  #mayFragment = true;

  constructor(family: IpFamily, parts: LaneParts) {
    const { arena } = parts.libc;
    this.#parts = parts;
    this.#family = family;
    this.#messages = arena.take(MAX_BATCH * MMSGHDR.size);
    this.#names = arena.take(MAX_BATCH * NAME_STRIDE_BYTES);
    this.#vectors = arena.take(MAX_BATCH * VECTORS_STRIDE_BYTES);
    this.#heads = arena.take(MAX_BATCH * HEAD_STRIDE_BYTES);
    for (let entry = 0; entry < MAX_BATCH; entry += 1) {
      this.#layOut(entry, this.#messages + entry * MMSGHDR.size);
    }
  }

  useSockets(sockets: readonly EchoSocket[]): void {
    this.#sockets = sockets;
    this.#socket = sockets[0];
  }

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  add(slot: number, packet: number): void {
    const { libc, slots } = this.#parts;
    const payloadBytes = slots.payloadBytes[slot] ?? COOKIE_BYTES;
    const mayFragment = this.#family === "IPv6" || payloadBytes > MAX_UNCUT_PAYLOAD_BYTES;
    if (mayFragment !== this.#mayFragment) this.flush();
    this.#mayFragment = mayFragment;
    const socket = this.#socket;
    if (socket === undefined) return;
    const { words } = libc.arena;
    const entry = this.#count;
    const head = (this.#heads + entry * HEAD_STRIDE_BYTES) >>> 2;
    socket.writer.write(words, head, packet, slots.generation[slot] ?? 0);
    this.#writeLengths(entry, payloadBytes);
    this.#writeAddress(entry, slot * 4);
    this.#batchSlots[entry] = slot;
    this.#batchPackets[entry] = packet;
    this.#count = entry + 1;
    if (this.#count >= this.batchLimit) this.flush();
  }

  flush(): void {
    const socket = this.#socket;
    if (this.#count === 0 || socket === undefined) return;
    const { libc, clock, outcomes, opener } = this.#parts;
    const count = this.#count;
    this.#count = 0;
    this.#turn += 1;
    this.#socket = this.#sockets[this.#turn % this.#sockets.length];
    if (socket.mayFragment !== this.#mayFragment) opener.allowFragments(socket, this.#mayFragment);
    const monotonicMs = performance.now();
    const clockNs = clock.nowNs();
    let done = 0;
    let staleRetries = 0;
    while (done < count) {
      const from = this.#messagePointers[done] ?? 0n;
      const sent = libc.call.sendmmsg(socket.fd, from, count - done, MSG_DONTWAIT);
      if (sent > 0) {
        for (let entry = done; entry < done + sent; entry += 1) {
          this.#markSent(entry, socket.index, monotonicMs, clockNs);
        }
        done += sent;
        staleRetries = 0;
        continue;
      }
      const errno = libc.errno();
      if (errno === ERRNO.EINTR) continue;
      if (errno === ERRNO.EAGAIN || errno === ERRNO.ENOBUFS) {
        while (done < count) outcomes.onBlocked(this.#batchSlots[done++] ?? 0);
        return;
      }
      if (staleRetries < MAX_STALE_RETRIES) {
        staleRetries += 1;
        outcomes.drainErrors(socket);
        continue;
      }
      const refused = this.#batchPackets[done] ?? 0;
      this.#parts.slots.sentClockNs[refused] = clockNs;
      outcomes.onRefused(this.#batchSlots[done] ?? 0, refused, errno);
      done += 1;
      staleRetries = 0;
    }
  }

  #markSent(entry: number, socketIndex: number, monotonicMs: number, clockNs: number): void {
    const { slots, outcomes } = this.#parts;
    const packet = this.#batchPackets[entry] ?? 0;
    slots.status[packet] = SENT;
    slots.socketIndex[packet] = socketIndex;
    slots.sentMonotonicMs[packet] = monotonicMs;
    slots.sentClockNs[packet] = clockNs;
    outcomes.onSent(this.#batchSlots[entry] ?? 0);
  }

  #writeLengths(entry: number, payloadBytes: number): void {
    const { words } = this.#parts.libc.arena;
    const vectors = this.#vectors + entry * VECTORS_STRIDE_BYTES;
    const packetBytes = ICMP_HEADER_BYTES + payloadBytes;
    const isSmall = packetBytes <= HEAD_STRIDE_BYTES;
    const headBytes = isSmall ? packetBytes : ECHO_HEAD_BYTES;
    words[(vectors + IOVEC.length) >>> 2] = headBytes;
    words[(vectors + IOVEC.size + IOVEC.length) >>> 2] = packetBytes - headBytes;
    words[(this.#messages + entry * MMSGHDR.size + MMSGHDR.vectorCount) >>> 2] = isSmall ? 1 : 2;
  }

  #writeAddress(entry: number, addressIndex: number): void {
    const { words } = this.#parts.libc.arena;
    const { address } = this.#parts.slots;
    const name = this.#names + entry * NAME_STRIDE_BYTES;
    if (this.#family === "IPv4") {
      words[(name + SOCKADDR_IN.address) >>> 2] = address[addressIndex] ?? 0;
      return;
    }
    const at = (name + SOCKADDR_IN6.address) >>> 2;
    for (let word = 0; word < 4; word += 1) words[at + word] = address[addressIndex + word] ?? 0;
  }

  #layOut(entry: number, message: number): void {
    const { arena } = this.#parts.libc;
    const name = this.#names + entry * NAME_STRIDE_BYTES;
    const vectors = this.#vectors + entry * VECTORS_STRIDE_BYTES;
    const head = this.#heads + entry * HEAD_STRIDE_BYTES;
    const isV4 = this.#family === "IPv4";
    arena.halfWords[name / 2] = isV4 ? AF_INET : AF_INET6;
    arena.longs[(vectors + IOVEC.start) / 8] = arena.pointer(head);
    arena.longs[(vectors + IOVEC.size + IOVEC.start) / 8] = this.#parts.paddingPointer;
    arena.longs[(message + MMSGHDR.name) / 8] = arena.pointer(name);
    arena.words[(message + MMSGHDR.nameLength) / 4] = isV4 ? SOCKADDR_IN.size : SOCKADDR_IN6.size;
    arena.longs[(message + MMSGHDR.vectors) / 8] = arena.pointer(vectors);
    this.#messagePointers.push(arena.pointer(message));
  }
}
