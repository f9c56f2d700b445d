import { randomInt } from "node:crypto";
import type { Libc } from "../../../wire/kernel/libc.ts";
import { createCounters, type EngineCounters } from "./counters.ts";
import { DropWatch } from "./drop-watch.ts";
import { Matcher, NO_STAMP } from "./matcher.ts";
import type { IpFamily, ProcessCookie } from "./packet.ts";
import { HAS_ERRORS, Poller, READABLE } from "./poller.ts";
import { Receiver } from "./receiver.ts";
import { RunReport } from "./run-report.ts";
import { MAX_BATCH, Quarantine, SendLane, type SendOutcomes, WallClock } from "./send-lane.ts";
import {
  ANSWERED,
  FAMILY_V4,
  NO_TIME,
  REFUSED,
  type RunOrder,
  SENDING,
  SETTLING,
  type SlotCounts,
  Slots,
  WAITING,
} from "./slots.ts";
import { type EchoSocket, type SocketKind, SocketOpener } from "./socket.ts";
import { TimingWheel } from "./timing-wheel.ts";
import { LOCAL_OVERLOAD, MEASURED, NO_FREE_SLOT, NO_SOCKET, ResultList } from "./wire.ts";

const WHEEL_BUCKETS = 65_536;
const TICK_MS = 4;
const SOCKETS_PER_FAMILY = 8;
/** Minimum size of the receive buffer at which a single raw socket is enough for an IP family. */
const LARGE_BUFFER_BYTES = 4 * 1024 * 1024;
/**
 * Maximum number of sockets for both IP families. Each family has one additional socket for targets
 * that did not reply recently.
 */
const MAX_SOCKETS = 2 * (SOCKETS_PER_FAMILY + 1);
const MAX_PADDING_BYTES = 65_536;
/**
 * Maximum number of packets sent between two reads. The replies to a larger burst could overflow
 * the receive queues.
 */
const PACKETS_PER_TURN = 128;
const MAX_SLEEP_MS = 1000;
/**
 * Maximum delay before replies are read. Reading several replies at once saves wake-ups, and the
 * delay costs no precision, because the kernel adds timestamps to replies.
 */
const NAP_MS = 4;
const SETTLE_MS = 5;
const BLOCKED_RETRY_MS = 5;
const REPEAT_DELAY_MS = 50;
const MAX_REPEATS = 2;
const SMALL_BATCH = 4;
const STAMP_SAMPLE = 1000;
const MAX_MISSING_SHARE = 0.01;

interface LoopOptions {
  readonly libc: Libc;
  readonly cookie: ProcessCookie;
  readonly slotCounts: SlotCounts;
  /** Wall-clock time in seconds. All packet timestamps are relative to this time. */
  readonly baseSeconds: number;
  /** Requested size of the socket buffers. Tests use a size that is too small. */
  readonly bufferBytes?: number;
}

interface Lanes {
  readonly healthy: SendLane;
  readonly quarantined: SendLane;
}

/**
 * Sends echo requests, matches replies and detects timeouts in one thread. Only polling blocks the
 * thread.
 */
export class EchoLoop implements SendOutcomes {
  readonly counters: EngineCounters = createCounters();
  readonly results = new ResultList();
  readonly #opener: SocketOpener;
  readonly #slots: Slots;
  readonly #wheel: TimingWheel;
  readonly #matcher: Matcher;
  readonly #receiver: Receiver;
  readonly #poller: Poller;
  readonly #report: RunReport;
  readonly #dropWatch: DropWatch;
  readonly #quarantine = new Quarantine();
  readonly #lanes: Record<IpFamily, Lanes>;
  readonly #allLanes: readonly SendLane[];
  readonly #socketsOf: Record<IpFamily, readonly EchoSocket[]> = { IPv4: [], IPv6: [] };
  #sockets: readonly EchoSocket[] = [];
  #expectsTransmitStamps = true;
  #mayNap = true;
  #lastReadMs = Number.NEGATIVE_INFINITY;
  #nowMs = performance.now();

  constructor(options: LoopOptions) {
    const { libc, baseSeconds } = options;
    this.#opener = new SocketOpener(libc, options.cookie, options.bufferBytes);
    this.#slots = new Slots(options.slotCounts);
    this.#wheel = new TimingWheel(this.#slots.slotCount, WHEEL_BUCKETS, TICK_MS, this.#nowMs);
    this.#matcher = new Matcher(this.#slots, this.counters);
    this.#receiver = new Receiver({
      libc,
      matcher: this.#matcher,
      counters: this.counters,
      baseSeconds,
      onChanged: (slot) => this.#reconsider(slot),
    });
    this.#poller = new Poller(libc, MAX_SOCKETS);
    this.#report = new RunReport(this.#slots, this.counters, this.results, baseSeconds);
    this.#dropWatch = new DropWatch(this.#opener, this.#slots, this.counters);
    const parts = {
      libc,
      slots: this.#slots,
      opener: this.#opener,
      clock: new WallClock(libc, baseSeconds),
      outcomes: this,
      paddingPointer: libc.arena.pointer(libc.arena.take(MAX_PADDING_BYTES)),
    };
    this.#lanes = {
      IPv4: { healthy: new SendLane("IPv4", parts), quarantined: new SendLane("IPv4", parts) },
      IPv6: { healthy: new SendLane("IPv6", parts), quarantined: new SendLane("IPv6", parts) },
    };
    this.#allLanes = Object.values(this.#lanes).flatMap((pair) => [pair.healthy, pair.quarantined]);
  }

  get bellFd(): number {
    return this.#poller.bellFd;
  }

  get socketFds(): number[] {
    return this.#sockets.map((socket) => socket.fd);
  }

  get openRuns(): number {
    return this.#slots.openCount;
  }

  receiveBufferBytes(family: IpFamily): number {
    return this.#socketsOf[family][0]?.receiveBufferBytes ?? 0;
  }

  /** Opens all sockets of an IP family. Returns 0, or the errno of the failure. */
  openFamily(family: IpFamily, kind: SocketKind): number {
    this.closeFamily(family);
    const opened: EchoSocket[] = [];
    const firstIdent = randomInt(65_536);
    let wanted = 1;
    for (let position = 0; position < wanted; position += 1) {
      const outcome = this.#opener.open(family, kind, (firstIdent + position) & 0xffff);
      if (!outcome.ok) {
        for (const socket of opened) this.#opener.close(socket);
        return outcome.errno;
      }
      opened.push(outcome.socket);
      wanted = decideSocketCount(outcome.socket);
    }
    this.#setSockets(family, opened);
    return 0;
  }

  closeFamily(family: IpFamily): void {
    for (const socket of this.#socketsOf[family]) this.#opener.close(socket);
    this.#setSockets(family, []);
  }

  /** Adapts the loop to the kernel timestamps that are available on this system. */
  adaptToStamps(stamps: { readonly transmit: boolean; readonly receive: boolean }): void {
    if (!stamps.transmit) this.#expectsTransmitStamps = false;
    if (!stamps.receive) this.#mayNap = false;
    const limit = stamps.transmit && stamps.receive ? MAX_BATCH : SMALL_BATCH;
    for (const lane of this.#allLanes) lane.batchLimit = Math.min(lane.batchLimit, limit);
  }

  submit(order: RunOrder): void {
    this.#nowMs = performance.now();
    const family = order.family === FAMILY_V4 ? "IPv4" : "IPv6";
    if (!this.#lanes[family].healthy.isOpen) {
      this.results.beginRun(order.requestId, NO_SOCKET, 0, 0);
      return;
    }
    const slot = this.#slots.open(order);
    if (slot < 0) {
      this.results.beginRun(order.requestId, NO_FREE_SLOT, 0, 0);
      return;
    }
    const isQuarantined = this.#quarantine.holds(order.address, 0, this.#nowMs);
    this.#slots.quarantined[slot] = isQuarantined ? 1 : 0;
    this.#slots.sendAtMs[slot] = this.#nowMs;
    this.#wheel.arm(slot, this.#nowMs);
  }

  /**
   * Waits at most until `untilMs`, reads the packets that arrived, sends the packets that are due
   * and closes the runs that are due. The main thread rings the bell after it has posted a message,
   * which ends the wait early.
   */
  turn(untilMs: number): { bellRang: boolean } {
    this.counters.polls += 1;
    if (this.#nap(untilMs)) return { bellRang: true };
    const sleepMs = Math.min(untilMs, this.#wheel.nextDueMs()) - performance.now();
    const bellRang = this.#poller.waitForAll(Math.min(MAX_SLEEP_MS, Math.max(0, sleepMs)));
    // Deadlines are compared with `#nowMs`, which is set before the queued replies are read.
    // Otherwise, a run could time out while its reply is waiting in a queue. During a flood of
    // packets, this is still possible, because the receiver reads a limited number of packets per
    // turn.
    this.#nowMs = performance.now();
    if (this.#drainReady() > 0) this.#lastReadMs = this.#nowMs;
    this.#dropWatch.checkPeriodically(this.#nowMs);
    this.#watchStamps();
    this.#serveDue();
    return { bellRang };
  }

  onSent(slot: number): void {
    this.counters.packetsSent += 1;
    this.#slots.blockedSinceMs[slot] = NO_TIME;
    this.#advance(slot);
  }

  onRefused(slot: number, packet: number, errno: number): void {
    this.counters.sendRefused += 1;
    this.#slots.status[packet] = REFUSED;
    this.#slots.errno[packet] = errno;
    this.#slots.failedCount[slot] = (this.#slots.failedCount[slot] ?? 0) + 1;
    this.#advance(slot);
  }

  onBlocked(slot: number): void {
    this.counters.sendBlocked += 1;
    const sinceMs = this.#slots.blockedSinceMs[slot] ?? NO_TIME;
    if (sinceMs === NO_TIME) this.#slots.blockedSinceMs[slot] = this.#nowMs;
    else if (this.#nowMs - sinceMs > (this.#slots.timeoutMs[slot] ?? 0)) {
      this.#close(slot, LOCAL_OVERLOAD);
      return;
    }
    this.#wheel.arm(slot, this.#nowMs + BLOCKED_RETRY_MS);
  }

  drainErrors(socket: EchoSocket): void {
    this.counters.staleErrors += 1;
    this.#receiver.drainErrors(socket);
  }

  /**
   * Waits until a few milliseconds after the last read, so that the next read receives several
   * replies. The bell ends the wait early. Returns whether the bell rang.
   */
  #nap(untilMs: number): boolean {
    if (!this.#mayNap) return false;
    const wakeMs = Math.min(this.#lastReadMs + NAP_MS, untilMs, this.#wheel.nextDueMs());
    const napMs = wakeMs - performance.now();
    return napMs > 0 && this.#poller.waitForBell(Math.min(NAP_MS, napMs));
  }

  #drainReady(): number {
    let received = 0;
    for (let position = 0; position < this.#sockets.length; position += 1) {
      const events = this.#poller.events(position);
      const socket = this.#sockets[position];
      if (events === 0 || socket === undefined) continue;
      if ((events & HAS_ERRORS) !== 0) received += this.#receiver.drainErrors(socket);
      if ((events & READABLE) !== 0) received += this.#receiver.drainReplies(socket);
    }
    return received;
  }

  #serveDue(): void {
    let budget = PACKETS_PER_TURN;
    while (budget > 0) {
      const slot = this.#wheel.takeDue(this.#nowMs);
      if (slot < 0) break;
      if (this.#slots.state[slot] === SENDING) {
        this.#sendNext(slot);
        budget -= 1;
      } else {
        this.#finish(slot);
      }
    }
    for (const lane of this.#allLanes) lane.flush();
  }

  #sendNext(slot: number): void {
    const lanes = this.#lanes[this.#slots.family[slot] === FAMILY_V4 ? "IPv4" : "IPv6"];
    const lane = this.#slots.quarantined[slot] === 1 ? lanes.quarantined : lanes.healthy;
    if (!lane.isOpen) this.#close(slot, NO_SOCKET);
    else lane.add(slot, this.#slots.firstPacket(slot) + (this.#slots.nextIndex[slot] ?? 0));
  }

  /** Schedules the next packet of a run, or the timeout after the last packet. */
  #advance(slot: number): void {
    const slots = this.#slots;
    const nextIndex = (slots.nextIndex[slot] ?? 0) + 1;
    slots.nextIndex[slot] = nextIndex;
    if (nextIndex < (slots.packetCount[slot] ?? 0)) {
      // After a stall, the overdue packets are not sent at once, because a burst would measure the
      // local queue. The schedule restarts at the current time instead.
      const spacingMs = slots.spacingMs[slot] ?? 0;
      const plannedMs = (slots.sendAtMs[slot] ?? 0) + spacingMs;
      const isFarBehind = this.#nowMs > plannedMs - spacingMs / 2;
      slots.sendAtMs[slot] = isFarBehind ? this.#nowMs + spacingMs : plannedMs;
      this.#wheel.arm(slot, slots.sendAtMs[slot] ?? 0);
      return;
    }
    slots.state[slot] = WAITING;
    this.#wheel.arm(slot, this.#nowMs + (slots.timeoutMs[slot] ?? 0));
    this.#reconsider(slot);
  }

  #reconsider(slot: number): void {
    if (!this.#matcher.isSettled(slot)) return;
    if (!this.#lacksTransmitStamp(slot)) {
      this.#finish(slot);
    } else if (this.#slots.state[slot] !== SETTLING) {
      this.#slots.state[slot] = SETTLING;
      this.#wheel.arm(slot, this.#nowMs + SETTLE_MS);
    }
  }

  #lacksTransmitStamp(slot: number): boolean {
    if (!this.#expectsTransmitStamps) return false;
    const slots = this.#slots;
    const first = slots.firstPacket(slot);
    const end = first + (slots.packetCount[slot] ?? 0);
    for (let packet = first; packet < end; packet += 1) {
      const isMissing = slots.transmitStampNs[packet] === NO_STAMP;
      if (isMissing && slots.status[packet] === ANSWERED) return true;
    }
    return false;
  }

  #finish(slot: number): void {
    const slots = this.#slots;
    const answered = slots.answeredCount[slot] ?? 0;
    const hasLoss = answered + (slots.failedCount[slot] ?? 0) < (slots.packetCount[slot] ?? 0);
    if (hasLoss && this.#dropWatch.mayHaveDropped(slot, this.#nowMs)) {
      this.#repeat(slot);
      return;
    }
    this.#quarantine.note(slots.address, slot * 4, answered > 0, this.#nowMs);
    this.#close(slot, MEASURED);
  }

  #repeat(slot: number): void {
    const repeats = this.#slots.repeats[slot] ?? 0;
    if (repeats >= MAX_REPEATS) {
      this.#close(slot, LOCAL_OVERLOAD);
      return;
    }
    this.counters.repeats += 1;
    this.#slots.repeats[slot] = repeats + 1;
    this.#slots.restart(slot);
    this.#slots.sendAtMs[slot] = this.#nowMs + REPEAT_DELAY_MS;
    this.#wheel.arm(slot, this.#nowMs + REPEAT_DELAY_MS);
  }

  #close(slot: number, outcome: number): void {
    this.#wheel.disarm(slot);
    this.#report.write(slot, outcome);
    this.#slots.release(slot);
  }

  #watchStamps(): void {
    const { repliesMatched, missingTransmitStamps } = this.counters;
    if (!this.#expectsTransmitStamps || missingTransmitStamps < STAMP_SAMPLE) return;
    if (missingTransmitStamps > repliesMatched * MAX_MISSING_SHARE) {
      this.adaptToStamps({ transmit: false, receive: true });
    }
  }

  #setSockets(family: IpFamily, sockets: readonly EchoSocket[]): void {
    this.#socketsOf[family] = sockets;
    this.#sockets = [...this.#socketsOf.IPv4, ...this.#socketsOf.IPv6];
    this.#sockets.forEach((socket, position) => {
      socket.index = position;
    });
    this.#poller.useSockets(this.#sockets);
    this.#dropWatch.useSockets(this.#sockets);
    this.#lanes[family].healthy.useSockets(sockets.slice(0, SOCKETS_PER_FAMILY));
    const isSplit = sockets.length > SOCKETS_PER_FAMILY;
    const spare = isSplit ? sockets.slice(SOCKETS_PER_FAMILY) : sockets;
    this.#lanes[family].quarantined.useSockets(spare);
  }
}

/**
 * Returns the number of sockets to open for an IP family. Small receive buffers could overflow, so
 * the packets are spread over several sockets. A raw socket with a large buffer is used alone,
 * because the kernel copies every reply to every raw socket.
 */
function decideSocketCount(first: EchoSocket): number {
  const isLarge = first.receiveBufferBytes >= LARGE_BUFFER_BYTES;
  return first.kind === "raw" && isLarge ? 1 : SOCKETS_PER_FAMILY + 1;
}
