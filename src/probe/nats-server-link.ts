import { randomUUID } from "node:crypto";
import { Registry } from "prom-client";
import type { FromProbe } from "../contract/link.ts";
import {
  type Hello,
  type ProbeCall,
  parseProbeAnswer,
  parseWelcome,
  type Welcome,
} from "../contract/link.ts";
import {
  callSubjectOf,
  deriveNatsLogin,
  deriveProofKey,
  inboxPrefixOf,
} from "../contract/nats-key.ts";
import type { SignedOrder } from "../contract/order.ts";
import { contractVersion, explainVersionGap, subjects } from "../contract/protocol.ts";
import {
  type NoData,
  proveResult,
  type Result,
  type SignedResult,
  type TrialEvent,
} from "../contract/result.ts";
import { type Consumer, MessageTooBigError } from "../platform/bus.ts";
import { createBusMetrics } from "../platform/nats/bus-metrics.ts";
import type { NatsAddress } from "../platform/nats/nats-address.ts";
import { createNatsBus, type NatsBus } from "../platform/nats/nats-bus.ts";
import { pause } from "../platform/nats/nats-link.ts";
import { hashSecret } from "../platform/secrets.ts";
import type { LinkOptions } from "./server-link.ts";

const helloEveryMs = 10_000;
/** How long to wait after the deadline of a run until its result has reached NATS. */
const graceMs = 5_000;

interface NatsServerLinkOptions
  extends Pick<
    LinkOptions,
    "token" | "clock" | "log" | "describe" | "onUp" | "onDown" | "onRecorded" | "onRejected"
  > {
  readonly address: NatsAddress;
  /** Executes a run order; resolves when its result is stored. */
  readonly onOrder: (order: unknown) => Promise<void>;
}

/** Connection of a probe to the servers over NATS. `ServerLink` is the same over a WebSocket. */
export class NatsServerLink {
  readonly #options: NatsServerLinkOptions;
  readonly #user: string;
  readonly #proofKey: Uint8Array;
  readonly #inbox: string;
  #bus: NatsBus | null = null;
  #welcome: Welcome | null = null;
  #isUp = false;
  /** Aborted when the connection ends. The unsent results are then written to disk. */
  #session = new AbortController();
  #hellos: NodeJS.Timeout | undefined;
  #orders: Consumer | null = null;
  /** Name of the NATS consumer of run orders, as a server last reported it. */
  #ordersFrom = "";
  /** Runs whose results have not reached NATS yet, by run id. */
  readonly #unsent = new Map<string, PromiseWithResolvers<void>>();

  constructor(options: NatsServerLinkOptions) {
    this.#options = options;
    const keyHash = hashSecret(options.token);
    this.#user = deriveNatsLogin(keyHash).user;
    this.#proofKey = deriveProofKey(keyHash);
    this.#inbox = `${inboxPrefixOf(this.#user)}.hello.${randomUUID()}`;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  connect(): void {
    const { address, token, log, describe } = this.#options;
    this.#bus = createNatsBus({
      address: { ...address, ...deriveNatsLogin(hashSecret(token)) },
      log,
      name: `vedette probe ${describe().name}`,
      metrics: createBusMetrics(new Registry()),
      makesStreams: false,
      inboxPrefix: inboxPrefixOf(this.#user),
      listenTo: [this.#inbox, callSubjectOf(this.#user)],
      consumerNames: { nameOf: () => this.#ordersFrom, renew: async () => {} },
      onConsumerGone: () => this.sayHelloNow(),
      onMessage: (message) => this.#receive(message),
      onConnected: (isConnected) => (isConnected ? this.#begin() : this.#lose()),
    });
  }

  /** Sends a frame. Returns false if the probe is not connected. */
  send(frame: FromProbe): boolean {
    const welcome = this.#welcome;
    if (!this.#isUp || welcome === null) return false;
    if (frame.type === "results") {
      const results = frame.results as readonly SignedResult[];
      void this.#publishResults(frame.batch, results, welcome);
    } else if (frame.type === "news") {
      for (const event of frame.news as readonly TrialEvent[])
        void this.#publishTrialEvent(event, welcome);
    }
    return true;
  }

  sayHelloNow(): void {
    if (this.#isUp) this.#sayHello();
  }

  async stop(timeoutMs: number): Promise<void> {
    clearInterval(this.#hellos);
    const signal = AbortSignal.timeout(timeoutMs);
    if (this.#isUp) {
      const { name } = this.#options.describe();
      const call: ProbeCall = { farewell: { version: contractVersion, reason: "it stops", name } };
      await this.#publish(subjects.probesFrom(this.#user), [call], signal).catch(() => {});
    }
    await this.#stopOrders();
    this.#lose();
    await this.#bus?.loop.stop();
  }

  #publish(subject: string, messages: readonly unknown[], signal: AbortSignal): Promise<void> {
    return this.#bus?.publish(subject, messages, { signal }) ?? Promise.resolve();
  }

  #begin(): void {
    this.#session = new AbortController();
    this.#sayHello();
    clearInterval(this.#hellos);
    this.#hellos = setInterval(() => this.#sayHello(), helloEveryMs);
  }

  #lose(): void {
    const wasUp = this.#isUp;
    this.#isUp = false;
    this.#session.abort(new Error("the connection to NATS ended"));
    if (wasUp) this.#options.onDown();
    for (const { resolve } of [...this.#unsent.values()]) resolve();
  }

  #sayHello(): void {
    const { describe, clock, log } = this.#options;
    const about = { version: contractVersion, clockSkewMs: clock.skewMs() };
    const hello: Hello = { ...describe(), ...about, sentAtMs: clock.monotonicMs };
    const call: ProbeCall = { hello, answerTo: this.#inbox };
    const { signal } = this.#session;
    this.#publish(subjects.probesFrom(this.#user), [call], signal).catch((error) => {
      if (!signal.aborted) log.warn({ err: error }, "hello could not be sent over NATS");
    });
  }

  #receive(message: unknown): void {
    const receivedAtMs = this.#options.clock.monotonicMs;
    const answer = parseProbeAnswer(message);
    if (answer === null) return;
    if ("sayHello" in answer) {
      this.sayHelloNow();
      return;
    }
    if ("refused" in answer) {
      this.#options.onRejected(answer.refused);
      return;
    }
    const welcome = parseWelcome(answer.welcome);
    if (welcome === null) return;
    const gap = explainVersionGap(welcome.version, contractVersion);
    if (gap !== null) {
      this.#options.onRejected(gap.message);
      return;
    }
    const isFirstEver = this.#options.clock.skewMs() === null;
    this.#options.clock.note({ ...welcome, receivedAtMs });
    this.#welcome = welcome;
    // If the server reports a new name of the NATS consumer, it has deleted the previous consumer.
    if (answer.ordersFrom !== this.#ordersFrom) void this.#stopOrders();
    this.#ordersFrom = answer.ordersFrom;
    this.#consumeOrders(answer.mayTakeOrders, welcome.route);
    if (this.#isUp || this.#session.signal.aborted) return;
    this.#isUp = true;
    this.#options.onUp(welcome);
    if (isFirstEver) this.#sayHello();
  }

  /**
   * Starts or stops consuming run orders. A probe that is in quarantine or is stopping does not
   * consume orders, so that other probes receive them.
   */
  #consumeOrders(mayTake: boolean, route: string): void {
    const { maxOpen } = this.#options.describe();
    if (!mayTake || maxOpen === 0) void this.#stopOrders();
    else {
      this.#orders ??=
        this.#bus?.consumeEach<SignedOrder>(subjects.ordersOf(route), {
          maxOpen,
          handle: (order) => this.#handle(order),
        }) ?? null;
    }
  }

  async #stopOrders(): Promise<void> {
    const orders = this.#orders;
    this.#orders = null;
    await orders?.stop();
  }

  /**
   * Executes a run order, then waits until the result is in NATS, the connection has ended, or a
   * timeout has passed. After that, the order is acknowledged.
   */
  async #handle(order: SignedOrder): Promise<void> {
    const { runId, deadlineAtMs } = order;
    // NATS may deliver an order again while the first delivery is still in progress. The two
    // deliveries then share one promise, which resolves when the result is sent.
    const sent = this.#unsent.get(runId) ?? Promise.withResolvers<void>();
    this.#unsent.set(runId, sent);
    try {
      await this.#options.onOrder(order);
      const leftMs = Math.max(0, deadlineAtMs - this.#options.clock.nowMs()) + graceMs;
      await Promise.race([sent.promise, pause(leftMs, this.#session.signal)]);
    } finally {
      this.#unsent.delete(runId);
    }
  }

  async #publishResults(
    batch: number,
    results: readonly SignedResult[],
    { route, probeId }: Welcome,
  ): Promise<void> {
    const { signal } = this.#session;
    const subject = subjects.resultsFrom(route, this.#user);
    // NATS drops a message if it already knows the id of the message. If the id were the run id, an
    // attacker who guesses the run id could send a forged message first, and NATS would drop the
    // real result. So the id is the proof of the result, a signature with the probe's key, which
    // cannot be guessed. A result that is sent again has the same proof, so NATS drops the
    // duplicate.
    const idOf = ({ proof = randomUUID() }: SignedResult) => proof;
    const prove = (result: SignedResult): SignedResult => {
      const named = { ...result, probeId };
      return { ...named, proof: proveResult(this.#proofKey, named) };
    };
    try {
      await publishFitting(results, async (fitting) =>
        this.#bus?.publish(subject, fitting.map(prove), { signal, idOf }),
      );
    } catch (error) {
      if (signal.aborted) return;
      this.#options.log.error({ err: error }, "failed to send results");
    }
    this.#options.onRecorded(batch);
    for (const { runId } of results) this.#unsent.get(runId)?.resolve();
  }

  async #publishTrialEvent(event: TrialEvent, { route, probeId }: Welcome): Promise<void> {
    const subject = subjects.trialEventsFrom(event.tellServer, route, this.#user);
    const { signal } = this.#session;
    const publish = (message: TrialEvent) => this.#publish(subject, [message], signal);
    const published =
      "result" in event
        ? publishFitting([{ ...event.result, probeId }], async ([result = event.result]) =>
            publish({ ...event, result }),
          )
        : publish({ ...event, ...("probeId" in event && { probeId }) });
    await published.catch(() => {});
    if ("result" in event) this.#unsent.get(event.runId)?.resolve();
  }
}

/** Publishes results. A result above the message limit is replaced by an error result. */
export async function publishFitting<Sent extends Result>(
  results: readonly Sent[],
  publish: (results: readonly Sent[]) => Promise<void>,
): Promise<void> {
  try {
    await publish(results);
  } catch (error) {
    if (!(error instanceof MessageTooBigError)) throw error;
    const message = `The result is too large to send: it exceeds ${error.maxBytes} bytes.`;
    const outcome: NoData = { kind: "cannot-check", message };
    const places = new Set(error.places);
    const tooBig = results.filter((_, place) => places.has(place));
    await publish(tooBig.map((result) => ({ ...result, outcome })));
  }
}
