import { formatIpBytes } from "../../../../platform/net/host.ts";
import {
  ERRNO,
  nameErrno,
  SO_EE_ORIGIN_ICMP,
  SO_EE_ORIGIN_ICMP6,
  SO_EE_ORIGIN_TIMESTAMPING,
} from "../../../wire/kernel/kernel-layout.ts";
import { maxBatches, type Received, type SocketCalls } from "../../../wire/kernel/socket-calls.ts";
import type { Hop, SocketMode, TraceEnd } from "../measurement.ts";
import {
  type Arrival,
  buildProbe,
  classifyError,
  describeReply,
  readExtensions,
  readIcmp,
  readPayloadToken,
  readSegment,
  readToken,
} from "./packet.ts";
import { Trace, type TraceLimits } from "./trace.ts";
import type { TraceSockets } from "./trace-sockets.ts";

interface TraceOrder extends TraceLimits {
  readonly sockets: TraceSockets;
  /** Size of the IP packets in bytes; 0 for the smallest size. */
  readonly packetSize: number;
  /** Called when a hop responds for the first time. */
  readonly onHop?: (hop: number, address: string, rttMs: number) => void;
}

export interface TraceResult {
  readonly mode: SocketMode;
  readonly end: TraceEnd;
  readonly hops: readonly Hop[];
  readonly ignoredPackets: number;
  /** Name of the error that ended the trace because no packet could be sent; otherwise `null`. */
  readonly sendError: string | null;
}

/**
 * Interval at which the sockets are read. Round-trip times from kernel timestamps do not depend on
 * this interval.
 */
const tickMs = 5;
/**
 * Maximum amount by which a round-trip time from kernel timestamps may exceed the observed time. If
 * the difference is larger, the clock was set and the kernel timestamps are invalid.
 */
const clockToleranceMs = 1;

/** Number of ignored packets after which a trace reads only one batch of packets at a time. */
export const floodPackets = 1_000;

/**
 * Number of possible tokens: all 16-bit values except 0 and 65,535, which are the same UDP
 * checksum.
 */
const tokenCount = 0xfffe;

class RunningTrace {
  readonly order: TraceOrder;
  readonly finish: (result: TraceResult) => void;
  readonly #calls: SocketCalls;
  readonly #trace: Trace;
  readonly #firstToken: number;
  readonly #target: string;
  /**
   * Kernel timestamps of sent packets. The index is the number that the kernel assigned to the
   * packet.
   */
  readonly #sentStampsMs: number[] = [];
  readonly #shownHops = new Set<number>();
  #areStampsNumbered = true;
  #sendError: string | null = null;

  constructor(calls: SocketCalls, order: TraceOrder, finish: (result: TraceResult) => void) {
    this.#calls = calls;
    this.order = order;
    this.finish = finish;
    const { cookie, target } = order.sockets.flow;
    this.#target = formatIpBytes(target);
    this.#firstToken = ((cookie[0] ?? 0) << 8) | (cookie[1] ?? 0);
    this.#trace = new Trace(order, this.#target, performance.now());
  }

  #tokenOf(index: number): number {
    return ((this.#firstToken + index) % tokenCount) + 1;
  }

  #indexOf(token: number): number {
    return (token - 1 - (this.#firstToken % tokenCount) + 2 * tokenCount) % tokenCount;
  }

  /**
   * Sends the probes that are due. Returns the result if the trace is finished, otherwise `null`.
   */
  advance(): TraceResult | null {
    const nowMs = performance.now();
    for (const hop of this.#trace.listDue(nowMs)) if (!this.#send(hop)) break;
    const isFinished = this.#trace.isFinished(performance.now());
    return isFinished || this.#sendError !== null ? this.#describe() : null;
  }

  #describe(): TraceResult {
    const { mode } = this.order.sockets;
    const { end, ignoredPackets } = this.#trace;
    return { mode, end, ignoredPackets, hops: this.#trace.listHops(), sendError: this.#sendError };
  }

  /**
   * Sends a probe to a hop. Returns false if the trace must end, because its first packet could not
   * be sent or its packets are too large.
   */
  #send(hop: number): boolean {
    const { sockets, packetSize } = this.order;
    const { flow, sender } = sockets;
    const index = this.#trace.nextIndex;
    const packet = buildProbe(flow, this.#tokenOf(index), packetSize);
    const port = flow.protocol === "UDP" ? flow.targetPort : 0;
    const to = { address: flow.target, port };
    const sentAtMs = performance.now();
    let errno = this.#calls.send(sender, to, hop, packet);
    if (errno !== 0 && sockets.mode === "unprivileged") {
      // A send call may fail with the error of an earlier packet, which is also in the error queue.
      // The queue is therefore read before the send is repeated.
      this.readErrors();
      errno = this.#calls.send(sender, to, hop, packet);
    }
    this.#trace.recordSent(hop, sentAtMs);
    if (errno === 0) return true;
    // It is unknown whether the kernel has counted the failed packet, so the numbers of later
    // packets are unknown too.
    this.#areStampsNumbered = false;
    if (index > 0 && errno !== ERRNO.EMSGSIZE) return true;
    this.#sendError = nameErrno(errno);
    return false;
  }

  readAll(ready: ReadonlySet<number>): void {
    const { sender, receiver } = this.order.sockets;
    if (ready.has(sender)) {
      // The round-trip time of a reply depends on the transmit timestamp of its probe. The
      // timestamps, which are in the error queue, are therefore read first.
      this.readErrors();
      for (const one of this.#receive(sender, false)) this.#takePacket(one);
    }
    if (receiver !== null && ready.has(receiver)) {
      for (const one of this.#receive(receiver, false)) this.#takeIcmp(one);
    }
  }

  readErrors(): void {
    for (const one of this.#receive(this.order.sockets.sender, true)) this.#takeError(one);
  }

  #receive(fd: number, isErrorQueue: boolean): Received[] {
    const isFlooded = this.#trace.ignoredPackets >= floodPackets;
    return this.#calls.receive(fd, isErrorQueue, isFlooded ? 1 : maxBatches);
  }

  /** Handles a packet on the sending socket: an ICMP message, a TCP segment or a UDP datagram. */
  #takePacket(received: Received): void {
    const { flow } = this.order.sockets;
    if (flow.protocol === "ICMP") {
      this.#takeIcmp(received);
      return;
    }
    const isTarget = formatIpBytes(received.from.address) === this.#target;
    if (flow.protocol === "TCP") {
      const segment = isTarget ? readSegment(flow, this.#skipIpHeader(received.bytes)) : null;
      this.#accept(segment, received);
      return;
    }
    const token = readPayloadToken(flow, received.bytes);
    const likely = isTarget ? this.#trace.findLikelyIndex() : null;
    const found = token ?? (likely === null ? null : this.#tokenOf(likely));
    this.#accept(isTarget && found !== null ? describeReply(found) : null, received);
  }

  #takeIcmp(received: Received): void {
    const { flow, mode } = this.order.sockets;
    const bytes = mode === "raw" ? this.#skipIpHeader(received.bytes) : received.bytes;
    const arrival = readIcmp(flow, bytes);
    const isForged =
      arrival?.kind === "reply" && formatIpBytes(received.from.address) !== this.#target;
    this.#accept(isForged ? null : arrival, received);
  }

  /** Skips the IP header, which only raw IPv4 sockets deliver. */
  #skipIpHeader(bytes: Uint8Array): Uint8Array {
    const isV4 = this.order.sockets.flow.family === "IPv4";
    return isV4 ? bytes.subarray(((bytes[0] ?? 0) & 0x0f) * 4) : bytes;
  }

  #takeError({ bytes, from, stampMs, error }: Received): void {
    if (error === null) return;
    if (error.origin === SO_EE_ORIGIN_TIMESTAMPING) {
      if (stampMs !== null) this.#sentStampsMs[error.data] = stampMs;
      return;
    }
    if (error.origin !== SO_EE_ORIGIN_ICMP && error.origin !== SO_EE_ORIGIN_ICMP6) return;
    const { flow } = this.order.sockets;
    const kind = classifyError(flow.family, error.type, error.code);
    const token = kind === null ? null : this.#readQueuedToken(bytes);
    const isOurs = formatIpBytes(from.address) === this.#target;
    const extensionsAt = error.data & 0xffff;
    const arrival: Arrival | null =
      kind === null || token === null || !isOurs
        ? null
        : {
            token,
            kind,
            type: error.type,
            code: error.code,
            mtu: kind === "too-big" && error.info <= 0xffff ? error.info || null : null,
            labels: extensionsAt === 0 ? [] : readExtensions(bytes.subarray(extensionsAt)),
          };
    this.#accept(arrival, { from: { address: error.offender }, stampMs });
  }

  /**
   * Reads the token from an entry of the error queue, which quotes the ICMP header or the UDP
   * payload. The kernel has already matched addresses and ports.
   */
  #readQueuedToken(bytes: Uint8Array): number | null {
    const { flow } = this.order.sockets;
    if (flow.protocol === "ICMP") return readToken(flow, bytes);
    const token = readPayloadToken(flow, bytes);
    if (token !== null || bytes.length > 0) return token;
    // Without a quoted payload, only time identifies the probe. From now on, only one hop is probed
    // at a time.
    this.#trace.becomeSequential();
    const index = this.#trace.findSoleOpenIndex(performance.now());
    return index === null ? null : this.#tokenOf(index);
  }

  #accept(
    arrival: Arrival | null,
    { from, stampMs }: { from: Pick<Received["from"], "address">; stampMs: number | null },
  ): void {
    const index = arrival === null ? -1 : this.#indexOf(arrival.token);
    const sentAtMs = this.#trace.findOpen(index);
    if (arrival === null || sentAtMs === null) {
      this.#trace.ignoredPackets += 1;
      return;
    }
    const nowMs = performance.now();
    const address = formatIpBytes(from.address);
    const rttMs = this.#computeRtt(index, stampMs, nowMs - sentAtMs);
    const hop = this.#trace.recordArrival(index, arrival, { address, rttMs }, nowMs);
    if (hop === null || this.#shownHops.has(hop)) return;
    this.#shownHops.add(hop);
    this.order.onHop?.(hop, address, rttMs);
  }

  /**
   * Returns the round-trip time from kernel timestamps, or the observed time if the timestamps are
   * not usable.
   */
  #computeRtt(index: number, receivedMs: number | null, observedMs: number): number {
    const sentMs = this.#areStampsNumbered ? this.#sentStampsMs[index] : undefined;
    if (sentMs === undefined || receivedMs === null) return observedMs;
    const rttMs = receivedMs - sentMs;
    return rttMs >= 0 && rttMs <= observedMs + clockToleranceMs ? rttMs : observedMs;
  }
}

/** Runs all traces of a thread. While traces are running, a timer reads their sockets. */
export class TraceLoop {
  readonly #calls: SocketCalls;
  readonly #running = new Set<RunningTrace>();
  #timer: NodeJS.Timeout | undefined;

  constructor(calls: SocketCalls) {
    this.#calls = calls;
  }

  /** Traces a path and closes the sockets of the trace at the end. */
  run(order: TraceOrder): Promise<TraceResult> {
    return new Promise((finish) => {
      this.#running.add(new RunningTrace(this.#calls, order, finish));
      this.#timer ??= setInterval(() => this.#tick(), tickMs);
    });
  }

  #tick(): void {
    const fds = [...this.#running].flatMap(({ order: { sockets } }) =>
      sockets.receiver === null ? [sockets.sender] : [sockets.sender, sockets.receiver],
    );
    const ready = new Set(this.#calls.poll(fds));
    for (const trace of this.#running) {
      if (ready.size > 0) trace.readAll(ready);
      const result = trace.advance();
      if (result === null) continue;
      this.#running.delete(trace);
      for (const fd of trace.order.sockets.all) this.#calls.close(fd);
      trace.finish(result);
    }
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
