import {
  ERRNO,
  IOVEC,
  MMSGHDR,
  MSG_DONTWAIT,
  MSG_ERRQUEUE,
  SO_EE_ORIGIN_ICMP,
  SO_EE_ORIGIN_ICMP6,
  SO_EE_ORIGIN_LOCAL,
  SO_EE_ORIGIN_TIMESTAMPING,
  SOCKADDR_IN,
  SOCKADDR_IN6,
} from "../../../wire/kernel/kernel-layout.ts";
import { type Libc, NULL_POINTER } from "../../../wire/kernel/libc.ts";
import type { EngineCounters } from "./counters.ts";
import {
  ControlReader,
  createArrival,
  type Matcher,
  NO_STAMP,
  NOTHING_CHANGED,
} from "./matcher.ts";
import { ECHO_REPLY, ICMP_ERROR } from "./packet.ts";
import type { EchoSocket } from "./socket.ts";

/**
 * Maximum number of packets per receive call. A send batch is smaller, so one call is usually
 * enough.
 */
const BATCH = 128;
const DATA_BYTES = 192;
const NAME_BYTES = 32;
const CONTROL_BYTES = 256;
/**
 * Maximum number of consecutive receive calls for one socket. With this limit, the loop can send
 * packets even during a flood.
 */
const MAX_BATCHES_PER_DRAIN = 128;
const MAX_STALE_RETRIES = 3;

interface ReceiverParts {
  readonly libc: Libc;
  readonly matcher: Matcher;
  readonly counters: EngineCounters;
  readonly baseSeconds: number;
  /** Called with each slot that received a reply, an error or a transmit timestamp. */
  readonly onChanged: (slot: number) => void;
}

/** Reads packets from sockets, many per call, and passes them to the matcher. */
export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #control: ControlReader;
  readonly #arrival = createArrival();
  readonly #replies: number;
  /** Message headers for the error queue, whose entries need no space for a source address. */
  readonly #errors: number;
  readonly #names: number;
  readonly #data: number;
  readonly #controls: number;

  constructor(parts: ReceiverParts) {
    const { arena } = parts.libc;
    this.#parts = parts;
    this.#control = new ControlReader(parts.baseSeconds);
    this.#replies = arena.take(BATCH * MMSGHDR.size);
    this.#errors = arena.take(BATCH * MMSGHDR.size);
    this.#names = arena.take(BATCH * NAME_BYTES);
    this.#data = arena.take(BATCH * DATA_BYTES);
    this.#controls = arena.take(BATCH * CONTROL_BYTES);
    const vectors = arena.take(BATCH * IOVEC.size);
    for (let entry = 0; entry < BATCH; entry += 1) {
      const vector = vectors + entry * IOVEC.size;
      arena.longs[(vector + IOVEC.start) / 8] = arena.pointer(this.#data + entry * DATA_BYTES);
      arena.longs[(vector + IOVEC.length) / 8] = BigInt(DATA_BYTES);
      const reply = this.#replies + entry * MMSGHDR.size;
      this.#layOut(entry, reply, arena.pointer(vector));
      arena.longs[(reply + MMSGHDR.name) / 8] = arena.pointer(this.#names + entry * NAME_BYTES);
      arena.words[(reply + MMSGHDR.nameLength) / 4] = NAME_BYTES;
      this.#layOut(entry, this.#errors + entry * MMSGHDR.size, arena.pointer(vector));
    }
  }

  /** Reads the queued replies of a socket and returns the number of packets. */
  drainReplies(socket: EchoSocket): number {
    let total = 0;
    let staleRetries = 0;
    for (let batch = 0; batch < MAX_BATCHES_PER_DRAIN; batch += 1) {
      const received = this.#receive(socket, this.#replies, MSG_DONTWAIT);
      if (received < 0) {
        const errno = this.#parts.libc.errno();
        if (errno === ERRNO.EAGAIN || staleRetries >= MAX_STALE_RETRIES) return total;
        staleRetries += 1;
        this.#parts.counters.staleErrors += 1;
        total += this.drainErrors(socket);
        continue;
      }
      this.#arrival.monotonicMs = performance.now();
      for (let entry = 0; entry < received; entry += 1) this.#takeReply(socket, entry);
      total += received;
      if (received < BATCH) return total;
    }
    return total;
  }

  /**
   * Reads the queued transmit timestamps and ICMP errors of a socket, because unread entries would
   * make every ppoll return immediately. Returns the number of entries.
   */
  drainErrors(socket: EchoSocket): number {
    let total = 0;
    let staleRetries = 0;
    for (let batch = 0; batch < MAX_BATCHES_PER_DRAIN; batch += 1) {
      const received = this.#receive(socket, this.#errors, MSG_DONTWAIT | MSG_ERRQUEUE);
      if (received < 0) {
        if (this.#parts.libc.errno() === ERRNO.EAGAIN || staleRetries >= MAX_STALE_RETRIES) break;
        staleRetries += 1;
        continue;
      }
      for (let entry = 0; entry < received; entry += 1) this.#takeError(socket, entry);
      total += received;
      if (received < BATCH) break;
    }
    return total;
  }

  #receive(socket: EchoSocket, messages: number, flags: number): number {
    const { arena, call } = this.#parts.libc;
    return call.recvmmsg(socket.fd, arena.pointer(messages), BATCH, flags, NULL_POINTER);
  }

  #takeReply(socket: EchoSocket, entry: number): void {
    const { matcher, counters, libc, onChanged } = this.#parts;
    const { arena } = libc;
    const arrival = this.#arrival;
    const message = this.#replies + entry * MMSGHDR.size;
    const end = this.#readEnvelope(entry, message);
    arena.words[(message + MMSGHDR.nameLength) >>> 2] = NAME_BYTES;
    arrival.ttl = this.#control.ttl;
    arrival.stampNs = this.#control.stampNs;
    const start = this.#data + entry * DATA_BYTES;
    const kind = socket.parser.parseReceived(arena.bytes, start, end, arrival);
    let slot = NOTHING_CHANGED;
    if (kind === ECHO_REPLY) {
      this.#readSource(socket, entry);
      slot = matcher.acceptReply(arrival);
    } else if (kind === ICMP_ERROR) {
      slot = matcher.acceptError(arrival, ERRNO.EHOSTUNREACH);
    } else {
      counters.foreign += 1;
    }
    if (slot !== NOTHING_CHANGED) onChanged(slot);
  }

  #takeError(socket: EchoSocket, entry: number): void {
    const { matcher, libc, onChanged } = this.#parts;
    const { bytes } = libc.arena;
    const arrival = this.#arrival;
    const control = this.#control;
    const end = this.#readEnvelope(entry, this.#errors + entry * MMSGHDR.size);
    const start = this.#data + entry * DATA_BYTES;
    arrival.stampNs = control.stampNs;
    let slot = NOTHING_CHANGED;
    const origin = control.errorOrigin;
    if (origin === SO_EE_ORIGIN_TIMESTAMPING) {
      if (control.stampNs === NO_STAMP) return;
      if (socket.parser.parseLooped(bytes, start, end, arrival)) {
        slot = matcher.acceptTransmitStamp(arrival);
      }
    } else if (isPacketError(origin) && socket.parser.parseQuoted(bytes, start, end, arrival)) {
      arrival.type = control.errorType;
      arrival.code = control.errorCode;
      slot = matcher.acceptError(arrival, control.errno);
    }
    if (slot !== NOTHING_CHANGED) onChanged(slot);
  }

  /**
   * Reads the control messages of a received packet, resets its message header for the next call
   * and returns the end of the packet data.
   */
  #readEnvelope(entry: number, message: number): number {
    const { words } = this.#parts.libc.arena;
    const controlBytes = words[(message + MMSGHDR.controlLength) >>> 2] ?? 0;
    const length = words[(message + MMSGHDR.movedLength) >>> 2] ?? 0;
    this.#control.read(words, this.#controls + entry * CONTROL_BYTES, controlBytes);
    words[(message + MMSGHDR.controlLength) >>> 2] = CONTROL_BYTES;
    return this.#data + entry * DATA_BYTES + Math.min(length, DATA_BYTES);
  }

  #readSource(socket: EchoSocket, entry: number): void {
    const { words } = this.#parts.libc.arena;
    const { source } = this.#arrival;
    const name = this.#names + entry * NAME_BYTES;
    if (socket.family === "IPv4") {
      source[0] = words[(name + SOCKADDR_IN.address) >>> 2] ?? 0;
      return;
    }
    const at = (name + SOCKADDR_IN6.address) >>> 2;
    for (let word = 0; word < 4; word += 1) source[word] = words[at + word] ?? 0;
  }

  #layOut(entry: number, message: number, vectorPointer: bigint): void {
    const { arena } = this.#parts.libc;
    const control = arena.pointer(this.#controls + entry * CONTROL_BYTES);
    arena.longs[(message + MMSGHDR.vectors) / 8] = vectorPointer;
    arena.longs[(message + MMSGHDR.vectorCount) / 8] = 1n;
    arena.longs[(message + MMSGHDR.control) / 8] = control;
    arena.words[(message + MMSGHDR.controlLength) / 4] = CONTROL_BYTES;
  }
}

function isPacketError(origin: number): boolean {
  return (
    origin === SO_EE_ORIGIN_ICMP || origin === SO_EE_ORIGIN_ICMP6 || origin === SO_EE_ORIGIN_LOCAL
  );
}
