import type { WebSocket } from "ws";
import {
  type AdmittedKey,
  dismissProbe,
  isPrivate,
  registerProbe,
} from "../../../checks/locations/index.ts";
import {
  type FromProbe,
  type FromServer,
  type Hello,
  parseCloseNotice,
  parseFromProbe,
  parseHello,
} from "../../../contract/link.ts";
import { parseOrder, type SignedOrder } from "../../../contract/order.ts";
import {
  contractVersion,
  explainVersionGap,
  fullFrameBytes,
  maxOpenOrders,
  maxOrdersInFrame,
  subjects,
} from "../../../contract/protocol.ts";
import {
  parseResult,
  parseTrialEvent,
  type SignedResult,
  type TrialEvent,
} from "../../../contract/result.ts";
import { type Consumer, ReturnedMessageError } from "../../../platform/bus.ts";
import { isTooDeep } from "../../../platform/text/json-depth.ts";
import type { ProbesContext } from "../context.ts";
import { type LinkMeter, malformedFrameForgeries } from "./link-limits.ts";

interface FrameIntakeOptions {
  readonly socket: Pick<WebSocket, "pause" | "resume">;
  readonly meter: LinkMeter;
  readonly onFrame: (text: string) => void;
}

/**
 * Processes the frames of a connection in order, within the limits of its key. While a frame waits,
 * the server does not read from the socket, so that further data stays on the probe.
 */
class FrameIntake {
  readonly #options: FrameIntakeOptions;
  readonly #waiting: string[] = [];
  #isBusy = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FrameIntakeOptions) {
    this.#options = options;
  }

  receive(text: string): void {
    this.#waiting.push(text);
    if (!this.#isBusy) void this.#process();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    clearTimeout(this.#timer);
  }

  /** Processes the waiting frames. Runs synchronously until a frame must wait. */
  async #process(): Promise<void> {
    const { meter, onFrame } = this.#options;
    this.#isBusy = true;
    for (;;) {
      const text = this.#waiting.shift();
      if (text === undefined || this.#isClosed) break;
      const waitMs = meter.charge({ bytes: text.length, results: 0 });
      if (waitMs > 0 || !meter.hasCapacity) await this.#waitFor(waitMs);
      if (!this.#isClosed) onFrame(text);
    }
    this.#isBusy = false;
  }

  async #waitFor(waitMs: number): Promise<void> {
    const { socket, meter } = this.#options;
    socket.pause();
    await new Promise<void>((resume) => {
      this.#timer = setTimeout(resume, Math.ceil(waitMs));
    });
    await meter.waitForCapacity();
    meter.restartFrame();
    socket.resume();
  }
}

interface OpenOrder {
  readonly order: SignedOrder;
  readonly settled: PromiseWithResolvers<void>;
}

/** Additional time for the result of an order after its deadline. */
const graceMs = 5_000;

/** Orders that were sent to one probe and have no result yet. */
class OpenOrders {
  readonly #byRun = new Map<string, OpenOrder>();

  get size(): number {
    return this.#byRun.size;
  }

  find(runId: string): SignedOrder | null {
    return this.#byRun.get(runId)?.order ?? null;
  }

  /**
   * Adds an order. `settled` resolves when the result arrives or the order expires, and rejects
   * when the probe disconnects.
   */
  add(order: SignedOrder): { readonly isNew: boolean; readonly settled: Promise<void> } {
    const existing = this.#byRun.get(order.runId);
    if (existing !== undefined) return { isNew: false, settled: existing.settled.promise };
    const settled = Promise.withResolvers<void>();
    this.#byRun.set(order.runId, { order, settled });
    return { isNew: true, settled: settled.promise };
  }

  settle(runId: string): void {
    this.#byRun.get(runId)?.settled.resolve();
    this.#byRun.delete(runId);
  }

  /**
   * Settles expired orders and returns their number. Expired orders are not sent to another probe,
   * and their runs are recorded as unanswered.
   */
  settleOverdue(nowMs: number): number {
    let count = 0;
    for (const [runId, { order }] of this.#byRun) {
      if (nowMs <= order.deadlineAtMs + graceMs) continue;
      this.settle(runId);
      count += 1;
    }
    return count;
  }

  giveBack(reason: Error): void {
    for (const { settled } of this.#byRun.values()) settled.reject(reason);
    this.#byRun.clear();
  }
}

/** Maximum number of bytes in the socket's send buffer. Above this limit, orders wait in memory. */
const maxBufferedBytes = 4 * 1024 * 1024;

/** Sends orders to a probe, several per frame. Waits while the socket's send buffer is full. */
class OrderSender {
  readonly #socket: Pick<WebSocket, "send" | "bufferedAmount">;
  #waiting: SignedOrder[] = [];
  #isPlanned = false;

  constructor(socket: Pick<WebSocket, "send" | "bufferedAmount">) {
    this.#socket = socket;
  }

  add(order: SignedOrder): void {
    this.#waiting.push(order);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#waiting.length > 0 && this.#socket.bufferedAmount < maxBufferedBytes) {
      const texts: string[] = [];
      let bytes = 0;
      for (const order of this.#waiting.slice(0, maxOrdersInFrame)) {
        const text = JSON.stringify(order);
        bytes += Buffer.byteLength(text);
        if (bytes > fullFrameBytes && texts.length > 0) break;
        texts.push(text);
      }
      this.#waiting = this.#waiting.slice(texts.length);
      const frame = `{"type":"orders","orders":[${texts.join(",")}]}`;
      this.#socket.send(frame, () => this.#flush());
    }
  }
}

interface ConnectionOptions {
  readonly context: ProbesContext;
  readonly serverId: string;
  readonly socket: WebSocket;
  readonly admitted: AdmittedKey;
  readonly meter: LinkMeter;
  /** Assigns the probe id to a connection. Returns an error message, or `null` on success. */
  readonly claim: (connection: ProbeConnection) => string | null;
}

/**
 * WebSocket close codes of this application. A `refused` frame with the reason precedes 4400 and
 * 4401.
 */
export const closeCodes = { refused: 4400, revoked: 4401, replaced: 4409 } as const;
const malformedCode = 1007;
const tryAgainCode = 1013;
/** Maximum JSON nesting depth of a frame. Valid frames are less deep. */
const maxFrameDepth = 64;
/** Estimated memory of a parsed result in bytes, in addition to its text. */
const resultBytes = 2_000;
/** Work units of a hello. A hello costs more than a result because of a database write. */
const helloUnits = 1_000;
/** Time from the close until the socket is terminated, and maximum bytes received until then. */
const closeMs = 2_000;
const maxLateBytes = 65_536;
const forged = "Too many forged or malformed results. The key is locked for one minute.";

/** WebSocket connection of one probe, with its orders and results. */
export class ProbeConnection {
  readonly #options: ConnectionOptions;
  readonly #open = new OpenOrders();
  readonly #sender: OrderSender;
  readonly #intake: FrameIntake;
  #consumer: Consumer | null = null;
  #hello: Hello | null = null;
  #registration: Promise<void> = Promise.resolve();
  #isClosed = false;
  #missedBeats = 0;
  #lateBytes = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { socket, meter } = options;
    this.#sender = new OrderSender(socket);
    this.#intake = new FrameIntake({ socket, meter, onFrame: (text) => this.#hear(text) });
    socket.on("message", (data, isBinary) => {
      meter.endFrame();
      this.#intake.receive(isBinary ? "" : String(data));
    });
    socket.on("pong", () => {
      this.#missedBeats = 0;
    });
    // Errors need no handling, because a close event follows each error.
    socket.on("error", () => {});
    socket.on("close", () => {
      meter.close();
      void this.#end();
    });
  }

  get keyId(): string {
    return this.#options.admitted.keyId;
  }

  get hello(): Hello | null {
    return this.#hello;
  }

  /** Name with a location suffix, because several locations may have a probe of this name. */
  get probeId(): string {
    const { route } = this.#options.admitted;
    const place = isPrivate({ route }) ? route.slice(-8) : route;
    return `${this.#hello?.name ?? "unnamed"}-${place}`;
  }

  /** Counts bytes received from the socket, including those of incomplete frames. */
  noteBytes(count: number): void {
    this.#missedBeats = 0;
    if (this.#isClosed) this.#lateBytes += count;
    if (!this.#options.meter.addBytes(count)) this.#cut("many-bytes");
    else if (this.#lateBytes > maxLateBytes) this.#options.socket.terminate();
  }

  /** Detects dead connections and expired orders. The gateway calls it every few seconds. */
  beat(maxMissed: number): void {
    const { socket, meter, context } = this.#options;
    // While the socket is paused, responses are not read, so missed pings do not count.
    if (!socket.isPaused) {
      if (meter.isFrameOverdue) this.#cut("slow-frame");
      if (this.#missedBeats >= maxMissed) socket.terminate();
      this.#missedBeats += 1;
    }
    socket.ping();
    const { clock, probeMetrics } = context;
    probeMetrics.expiredOrders.inc(this.#open.settleOverdue(clock.now().getTime()));
  }

  reject(reason: string, message: string, code: number = closeCodes.refused): void {
    this.#options.context.probeMetrics.rejectedProbes.inc({ reason });
    this.#send({ type: "refused", reason, message });
    this.close(code, reason);
  }

  /** Starts or stops the orders of the probe after a change of its quarantine. */
  reviewTrust(): void {
    if (this.#hello !== null) this.#updateConsumer(this.#hello);
  }

  /** Terminates the connection without a close frame and releases its resources immediately. */
  #cut(reason: string): void {
    this.#options.context.probeMetrics.rejectedProbes.inc({ reason });
    this.#options.socket.terminate();
    void this.#end();
  }

  close(code: number, reason: string): void {
    const { socket } = this.#options;
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), closeMs).unref();
    // Data that the probe sends after the close frame is ignored.
    void this.#end();
  }

  #send(frame: FromServer): void {
    this.#options.socket.send(JSON.stringify(frame));
  }

  #hear(text: string): void {
    if (this.#isClosed) return;
    const receivedAtMs = this.#options.context.clock.nowMs();
    const frame = isTooDeep(text, maxFrameDepth) ? null : parseFromProbe(text);
    if (frame === null) {
      this.#options.meter.noteForgeries(malformedFrameForgeries);
      this.reject("malformed", "Malformed frame.", malformedCode);
    } else if (this.#hello === null && frame.type !== "hello") {
      this.reject("no-hello", "The first message must be a hello.");
    } else {
      this.#handle(frame, text.length, receivedAtMs).catch((error) => {
        const { log } = this.#options.context;
        log.warn({ err: error, probeId: this.probeId }, "could not process a message of a probe");
        this.close(tryAgainCode, "try again");
      });
    }
  }

  async #handle(frame: FromProbe, bytes: number, receivedAtMs: number): Promise<void> {
    const { meter } = this.#options;
    switch (frame.type) {
      case "hello":
        meter.charge({ bytes: 0, results: helloUnits });
        return this.#handleHello(frame.hello, receivedAtMs);
      case "results": {
        const heldBytes = bytes + resultBytes * frame.results.length;
        meter.charge({ bytes: 0, results: frame.results.length });
        meter.hold(heldBytes);
        return this.#handleResults(frame.batch, frame.results).finally(() =>
          meter.release(heldBytes),
        );
      }
      case "news":
        meter.charge({ bytes: 0, results: frame.news.length });
        return this.#forwardTrialMessages(frame.news);
      case "farewell":
        return this.#handleFarewell(frame.farewell);
    }
  }

  async #handleHello(value: unknown, receivedAtMs: number): Promise<void> {
    const { admitted, claim, context } = this.#options;
    const hello = parseHello(value);
    if (hello === null) return this.reject("malformed", "Malformed hello.");
    const gap = explainVersionGap(contractVersion, hello.version);
    if (gap !== null) return this.reject(gap.reason, gap.message);
    const before = this.#hello;
    if (before !== null && before.name !== hello.name) {
      return this.reject("malformed", "A probe must not change its name.");
    }
    this.#hello = hello;
    const fault = before === null ? claim(this) : null;
    if (fault !== null) return this.reject("name-taken", fault);
    const { route, location } = admitted;
    const { probeId } = this;
    const answeredAtMs = context.clock.nowMs();
    const { sentAtMs } = hello;
    const answer = { version: contractVersion, probeId, route, location };
    const welcome = { ...answer, sentAtMs, heardAtMs: receivedAtMs, answeredAtMs };
    this.#send({ type: "welcome", welcome });
    const lost = hello.droppedResults - (before?.droppedResults ?? 0);
    if (lost > 0) context.probeMetrics.droppedResults.inc(lost);
    if (hello.maxOpen === 0) context.directory.noteDisconnect(probeId);
    else {
      const { keyId } = admitted;
      context.directory.noteHello({ id: probeId, route, keyId }, admitted);
    }
    this.#updateConsumer(hello);
    this.#registration = this.#register(hello);
    await this.#registration;
  }

  async #register(hello: Hello): Promise<void> {
    const { context, serverId, admitted } = this.#options;
    const { keyId, route, location } = admitted;
    const { clockSkewMs, spoolDepth, isSuspect, limitations, ipv4Sources, ipv6Sources } = hello;
    const startedAtMs = Math.min(hello.startedAtMs - (clockSkewMs ?? 0), context.clock.nowMs());
    const fault = await registerProbe(context, {
      id: this.probeId,
      location,
      isBuiltIn: false,
      version: hello.programVersion,
      ...{ ipv4Sources, ipv6Sources, isSuspect, limitations, route, keyId, serverId },
      ...{ clockSkewMs, spoolDepth, transport: "websocket" },
      startedAt: new Date(startedAtMs),
    }).catch((error) => {
      // If the database fails, the probe stays connected. The probe sends another hello within ten
      // seconds, and the server then tries to store that hello.
      context.directory.noteStored(false);
      context.log.warn(
        { err: error, probeId: this.probeId },
        "could not store the hello of a probe",
      );
      return "unstored" as const;
    });
    if (fault === "unstored") return;
    context.directory.noteStored(true);
    if (fault === null) return;
    context.directory.noteDisconnect(this.probeId);
    this.reject(fault.reason, fault.message);
  }

  /** Starts or stops consuming orders. A quarantined probe receives no orders. */
  #updateConsumer({ maxOpen }: Hello): void {
    const { context, admitted } = this.#options;
    const isTrusted = (context.directory.findProbe(this.probeId)?.quarantinedAt ?? null) === null;
    const acceptsOrders = maxOpen > 0 && isTrusted && !this.#isClosed;
    if (acceptsOrders) {
      this.#consumer ??= context.bus.consumeEach<unknown>(subjects.ordersOf(admitted.route), {
        name: `orders for ${this.probeId}`,
        maxOpen: Math.min(maxOpen, maxOpenOrders),
        handle: (message) => this.#sendOrder(message),
      });
    } else this.#stopConsumer();
  }

  #stopConsumer(): Promise<void> | undefined {
    const consumer = this.#consumer;
    this.#consumer = null;
    return consumer?.stop();
  }

  #sendOrder(message: unknown): Promise<void> {
    const { context } = this.#options;
    if (this.#isClosed) return Promise.reject(new ReturnedMessageError());
    const order = parseOrder(message);
    if (order === null || context.clock.now().getTime() > order.deadlineAtMs) {
      // The order has expired or is malformed. Its run will be recorded as unanswered.
      context.probeMetrics.expiredOrders.inc();
      return Promise.resolve();
    }
    const { isNew, settled } = this.#open.add(order);
    if (isNew) this.#sender.add(order);
    return settled;
  }

  /** Publishes results, and acknowledges them once a crash can no longer lose them. */
  async #handleResults(batch: number, values: readonly unknown[]): Promise<void> {
    const { context, admitted } = this.#options;
    const { bus, recordedRuns } = context;
    const { results, isForger } = this.#readResults(values);
    if (results.length > 0) {
      const runIds = results.map(({ runId }) => runId);
      const recorded = bus.isDurable ? null : recordedRuns.waitFor(runIds);
      // Message ids are random. If they were derived from the run, another sender could use the id
      // first and block the result. The recorder ignores duplicate results of a run.
      await bus.publish(subjects.resultsOf(admitted.route), results);
      await recorded;
      for (const runId of runIds) this.#open.settle(runId);
    }
    // Rejected results are acknowledged too, because they would be rejected again if repeated.
    if (!this.#isClosed) this.#send({ type: "recorded", batch });
    if (isForger && !this.#isClosed) this.reject("forged-results", forged);
  }

  /** Verifies results. Stops after too many forged results, because verification is expensive. */
  #readResults(values: readonly unknown[]) {
    const { context, meter } = this.#options;
    const results: SignedResult[] = [];
    for (const value of values) {
      const result = this.#readResult(value);
      if (typeof result !== "string") results.push(result);
      else {
        context.recordingMetrics.ignored.inc({ reason: result });
        if (meter.noteForgeries(1)) return { results, isForger: true };
      }
    }
    return { results, isForger: false };
  }

  /** Verifies a result. Its probe id is replaced by the id of the connected probe. */
  #readResult(value: unknown): SignedResult | "malformed" | "wrong-route" | "forged-tag" {
    const { context, admitted } = this.#options;
    const result = parseResult(value);
    if (result === null) return "malformed";
    if (result.route !== admitted.route) return "wrong-route";
    const order = this.#open.find(result.runId);
    const isOrdered = order !== null && isAnswerTo(order, result);
    if (!isOrdered && !context.tags.isRight(result)) return "forged-tag";
    return { ...result, probeId: this.probeId };
  }

  /** Forwards messages about trials on this probe to the servers that ordered the trials. */
  async #forwardTrialMessages(values: readonly unknown[]): Promise<void> {
    const { context, admitted } = this.#options;
    for (const value of values) {
      const message = parseTrialEvent(value);
      const { isTrial, tellServer } = this.#open.find(message?.runId ?? "") ?? {};
      if (message === null || !isTrial || tellServer === undefined) continue;
      const forwarded = { ...this.#nameProbe(message), tellServer };
      await context.bus.publish(subjects.trialMessagesOf(tellServer, admitted.route), [forwarded]);
      if ("result" in message) this.#open.settle(message.runId);
    }
  }

  #nameProbe(message: TrialEvent): TrialEvent {
    const { probeId } = this;
    if ("result" in message) return { ...message, result: { ...message.result, probeId } };
    return "probeId" in message ? { ...message, probeId } : message;
  }

  async #handleFarewell(value: unknown): Promise<void> {
    const farewell = parseCloseNotice(value);
    const { context } = this.#options;
    context.log.info({ probeId: this.probeId, reason: farewell?.reason }, "probe disconnected");
    this.close(1000, "farewell");
    context.directory.noteDisconnect(this.probeId);
    // Waits until the last hello is stored. A later write would register the probe again.
    await this.#registration;
    await dismissProbe(context, this.probeId);
  }

  /** Releases the resources of the connection, and returns its open orders to the queue. */
  async #end(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#intake.close();
    const stopped = this.#stopConsumer();
    this.#open.giveBack(new ReturnedMessageError());
    await stopped;
  }
}

/**
 * Whether a result has the tag of an open order and the same values in the signed fields. The tag
 * is a server's signature of the order. The tag of a matching result therefore needs no
 * verification.
 */
function isAnswerTo(order: SignedOrder, result: SignedResult): boolean {
  return (
    order.tag === result.tag &&
    order.checkId === result.checkId &&
    order.route === result.route &&
    order.location === result.location &&
    order.attempt === result.attempt &&
    order.dueAtMs === result.dueAtMs &&
    order.deadlineAtMs === result.deadlineAtMs
  );
}
