import { randomUUID } from "node:crypto";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Bus, MessageTooBigError, type PublishOptions } from "../bus.ts";
import type { Log } from "../log.ts";
import type { Loop } from "../loop.ts";
import type { BusMetrics } from "./bus-metrics.ts";
import type { NatsAddress } from "./nats-address.ts";
import { type ConsumerPlace, startNatsConsumer, startNatsEachConsumer } from "./nats-consumer.ts";
import { NatsLink, type NatsSession, pause } from "./nats-link.ts";
import { encodeMessage, noStream, type Outgoing } from "./nats-publisher.ts";
import {
  type ConsumerNames,
  ensureConsumer,
  findStream,
  type NatsStream,
  nameConsumer,
  natsStreams,
  type RecreatedStream,
  StreamKeeper,
} from "./nats-streams.ts";

interface NatsBusOptions {
  readonly address: NatsAddress;
  readonly log: Log;
  readonly name: string;
  readonly metrics: BusMetrics;
  /** Whether this process creates streams and consumers. Probes do not have this permission. */
  readonly makesStreams: boolean;
  /** Determines the names of NATS consumers. By default, a name is derived from the subject. */
  readonly consumerNames?: ConsumerNames;
  /** Called if the NATS consumer that this process uses does not exist or does not respond. */
  readonly onConsumerGone?: () => void;
  readonly replicas?: number;
  readonly inboxPrefix?: string;
  readonly streams?: readonly NatsStream[];
  /** Subjects to subscribe to without a stream. NATS does not store their messages. */
  readonly listenTo?: readonly string[];
  readonly onMessage?: (message: unknown) => void;
  readonly onConnected?: (isConnected: boolean) => void;
}

export interface NatsBus extends Bus {
  /**
   * Creates the NATS consumer of a subject for a client that does not have the permission to create
   * it.
   */
  readonly ensureConsumer: (subject: string) => Promise<void>;
  /** Returns the current name of the NATS consumer of a subject. */
  readonly nameConsumer: (subject: string) => string;
  /** Sends a message to all current subscribers of a subject. NATS does not store the message. */
  readonly notify: (subject: string, message: unknown) => Promise<void>;
  readonly isConnected: () => boolean;
  /** Number of messages in each stream; `null` while NATS does not respond. */
  readonly countMessages: () => Promise<ReadonlyMap<string, number> | null>;
  /** Lists the streams that were missing and that this process has recreated. */
  readonly listRecreatedStreams: () => readonly RecreatedStream[];
  /**
   * Starts a loop that recreates deleted streams; `null` for a probe, which lacks the permission.
   */
  readonly startStreamWatch: () => Loop | null;
  /**
   * Stops the connection to NATS and reports its progress. The connection is not a loop, but it has
   * the interface of a loop, so that it is monitored together with the background loops.
   */
  readonly loop: Required<Pick<Loop, "stop" | "progress">>;
}

/** Maximum number of messages that are published together as one batch. */
const portionSize = 500;
/** Maximum number of batches that are published concurrently. Further batches wait. */
const maxPortions = 8;
const firstPauseMs = 20;
const maxPauseMs = 1_000;
const adminTimeoutMs = 3_000;

/** Publishes messages, and retries until NATS has stored them or the signal is aborted. */
class RetryingPublisher {
  readonly #link: NatsLink;
  readonly #metrics: BusMetrics;
  readonly #log: Log;
  readonly #onNoStream: () => void;
  readonly #waiting: (() => void)[] = [];
  #portions = 0;

  constructor(
    link: NatsLink,
    { metrics, log }: Pick<NatsBusOptions, "metrics" | "log">,
    onNoStream: () => void,
  ) {
    this.#link = link;
    this.#metrics = metrics;
    this.#log = log;
    this.#onNoStream = onNoStream;
  }

  async publish<Message>(
    subject: string,
    messages: readonly Message[],
    { idOf, signal }: PublishOptions<Message>,
  ): Promise<void> {
    signal?.throwIfAborted();
    const unique = idOf === undefined ? randomUUID() : "";
    const tooBig: number[] = [];
    let maxBytes = 0;
    for (let from = 0; from < messages.length; from += portionSize) {
      const session = await this.#link.session(signal);
      maxBytes = session.publisher.maxBytes;
      const portion: Outgoing[] = [];
      for (const [at, message] of messages.slice(from, from + portionSize).entries()) {
        const id = idOf?.(message) ?? `${unique}.${from + at}`;
        const encoded = encodeMessage(message);
        if (encoded.bytes.length > maxBytes) tooBig.push(from + at);
        else portion.push({ id, ...encoded });
      }
      if (portion.length > 0) await this.#publishPortion(subject, portion, signal);
    }
    if (tooBig.length > 0) throw new MessageTooBigError(subject, tooBig, maxBytes);
  }

  async #publishPortion(
    subject: string,
    portion: readonly Outgoing[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    while (this.#portions >= maxPortions) {
      await new Promise<void>((resume) => this.#waiting.push(resume));
    }
    this.#portions += 1;
    try {
      await this.#tryForEver(subject, portion, signal);
      this.#metrics.published.inc({ subjects: familyOf(subject) }, portion.length);
    } finally {
      this.#portions -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #tryForEver(
    subject: string,
    portion: readonly Outgoing[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    let left = portion;
    let pauseMs = firstPauseMs;
    let isLogged = false;
    for (;;) {
      const { publisher } = await this.#link.session(signal);
      const rejected = await publisher.send(subject, left);
      if (rejected.length === 0) return;
      const reason = rejected[0]?.reason;
      if (reason === noStream) this.#onNoStream();
      this.#metrics.waits.inc({ subjects: familyOf(subject) });
      if (!isLogged)
        this.#log.warn(
          { subject, reason, messages: rejected.length },
          "NATS is full or unavailable; publishing waits",
        );
      isLogged = true;
      left = rejected.map(({ message }) => message);
      await pause(pauseMs, signal);
      signal?.throwIfAborted();
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    }
  }
}

function listen(nc: NatsConnection, subject: string, onMessage: NatsBusOptions["onMessage"]): void {
  nc.subscribe(subject, {
    callback: (error, msg) => {
      if (error !== null) return;
      try {
        onMessage?.(msg.json());
      } catch {
        // Ignore an invalid message.
      }
    },
  });
}

const familyOf = (subject: string) => subject.split(".", 1)[0] ?? "";

const openManager = (nc: NatsConnection): Promise<JetStreamManager> =>
  jetstreamManager(nc, { checkAPI: false, timeout: adminTimeoutMs });

async function countMessages(
  link: NatsLink,
  streams: readonly NatsStream[],
): Promise<ReadonlyMap<string, number> | null> {
  const session = link.current;
  if (session === null) return null;
  const { streams: api } = await openManager(session.nc);
  const counts = streams.map(async ({ name, family }) => {
    const { state } = await api.info(name);
    return [family, state.messages] as const;
  });
  return Promise.all(counts).then(
    (list) => new Map(list),
    () => null,
  );
}

/**
 * Creates a bus across machines. Servers, probes and NATS may start in any order, because the bus
 * waits for NATS, its streams and its consumers.
 */
export function createNatsBus(options: NatsBusOptions): NatsBus {
  const { log, metrics, makesStreams, replicas = 1, streams = natsStreams } = options;
  const keeper: StreamKeeper = new StreamKeeper({
    ...{ streams, replicas, log, metrics },
    openManager: () => (link.current === null ? null : openManager(link.current.nc)),
  });
  const link: NatsLink = new NatsLink({
    address: options.address,
    log,
    name: options.name,
    inboxPrefix: options.inboxPrefix ?? "_INBOX",
    onConnected: (isConnected) => {
      metrics.connected.set(isConnected ? 1 : 0);
      if (isConnected) metrics.connects.inc();
      options.onConnected?.(isConnected);
    },
    onOpen: (nc) => {
      for (const subject of options.listenTo ?? []) listen(nc, subject, options.onMessage);
    },
    ...(makesStreams && { prepare: async (nc) => keeper.ensure(await openManager(nc)) }),
  });
  const publisher = new RetryingPublisher(link, { metrics, log }, keeper.checkNow);
  const names = options.consumerNames ?? { nameOf: nameConsumer, renew: async () => {} };
  const ensure = async ({ nc }: NatsSession, pattern: string) => {
    if (!makesStreams) return;
    await ensureConsumer(await openManager(nc), findStream(streams, pattern), pattern, names);
  };
  const placeOf = (pattern: string): ConsumerPlace => ({
    link,
    pattern,
    log,
    stream: findStream(streams, pattern),
    ensure: (session) => ensure(session, pattern),
    nameConsumer: () => names.nameOf(pattern),
    onGone: () => options.onConsumerGone?.(),
    onRedelivered: (count) => metrics.redelivered.inc({ subjects: familyOf(pattern) }, count),
    onMalformed: (subject) => metrics.malformed.inc({ subjects: familyOf(subject) }),
  });
  return {
    isDurable: true,
    publish: (subject, messages, more = {}) => publisher.publish(subject, messages, more),
    consume: (pattern, more) => startNatsConsumer(placeOf(pattern), more),
    consumeEach: (pattern, more) => startNatsEachConsumer(placeOf(pattern), more),
    depth: async (pattern) => {
      const { nc } = await link.session();
      const { streams: api } = await openManager(nc);
      const { state } = await api.info(findStream(streams, pattern).name, {
        subjects_filter: pattern,
      });
      return Object.values(state.subjects ?? {}).reduce((total, count) => total + count, 0);
    },
    volatileDepth: () => 0,
    isConnected: () => link.current !== null,
    nameConsumer: names.nameOf,
    ensureConsumer: async (subject) => ensure(await link.session(), subject),
    notify: async (subject, message) => {
      const { nc } = await link.session();
      nc.publish(subject, JSON.stringify(message));
    },
    countMessages: () => countMessages(link, streams),
    listRecreatedStreams: () => keeper.recreated,
    startStreamWatch: () => (makesStreams ? keeper.watch() : null),
    loop: { stop: () => link.stop(), progress: () => link.progress() },
  };
}
