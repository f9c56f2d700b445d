import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import type { Log } from "../log.ts";
import { type Loop, startLoop } from "../loop.ts";
import type { BusMetrics } from "./bus-metrics.ts";

const megabyte = 1_048_576;
const minuteMs = 60_000;

const inUseWithOtherConfig = 10_058;

const otherConsumerIsThere = 10_100;

const lookEveryMs = 5_000;
const restMs = 250;

/** A NATS JetStream work queue with its limits. */
export interface NatsStream {
  readonly name: string;
  /** First part of the subjects of the stream. */
  readonly family: string;
  /** Whether messages are stored on disk. Run orders are not, because they contain secrets. */
  readonly isOnDisk: boolean;
  readonly maxBytes: number;
  readonly maxMessages: number;
  readonly maxPerSubject: number;
  readonly maxAgeMs: number;
  /** How long NATS remembers message ids to detect duplicates. */
  readonly rememberIdsMs: number;
  /** Time after which NATS redelivers an unacknowledged message to another consumer. */
  readonly ackWaitMs: number;
}

/**
 * Streams and their limits. While a size limit is reached, publishers wait. NATS drops messages
 * that exceed the maximum age, because they are no longer useful.
 */
export const natsStreams: readonly NatsStream[] = [
  {
    name: "VEDETTE_ORDERS",
    family: "orders",
    isOnDisk: false,
    maxBytes: 256 * megabyte,
    maxMessages: 500_000,
    maxPerSubject: 100_000,
    maxAgeMs: 5 * minuteMs,
    rememberIdsMs: 2 * minuteMs,
    ackWaitMs: 15_000,
  },
  {
    name: "VEDETTE_RESULTS",
    family: "results",
    isOnDisk: true,
    maxBytes: 1_024 * megabyte,
    maxMessages: 2_000_000,
    maxPerSubject: 1_000_000,
    maxAgeMs: 23 * 60 * minuteMs,
    rememberIdsMs: 5 * minuteMs,
    ackWaitMs: 30_000,
  },
  {
    name: "VEDETTE_NEWS",
    family: "news",
    isOnDisk: false,
    maxBytes: 32 * megabyte,
    maxMessages: 100_000,
    maxPerSubject: 10_000,
    maxAgeMs: 2 * minuteMs,
    rememberIdsMs: minuteMs,
    ackWaitMs: 15_000,
  },
  {
    name: "VEDETTE_PROBES",
    family: "probes",
    isOnDisk: false,
    maxBytes: 32 * megabyte,
    maxMessages: 100_000,
    maxPerSubject: 10_000,
    maxAgeMs: minuteMs,
    rememberIdsMs: minuteMs,
    ackWaitMs: 15_000,
  },
];

const toNanos = (ms: number) => ms * 1_000_000;

export function findStream(streams: readonly NatsStream[], subject: string): NatsStream {
  const [family = ""] = subject.split(".", 1);
  const stream = streams.find((one) => one.family === family);
  if (stream === undefined) throw new Error(`no stream of NATS holds ${subject}`);
  return stream;
}

/**
 * Derives the name of a NATS consumer from a pattern. All servers and probes use the same name, so
 * that they share the consumer and its messages.
 */
export function nameConsumer(pattern: string): string {
  return pattern.replace(/>$/, "all").replaceAll(".", "_");
}

function describeStream(stream: NatsStream, replicas: number): Partial<StreamConfig> {
  return {
    subjects: [`${stream.family}.>`],
    retention: RetentionPolicy.Workqueue,
    storage: stream.isOnDisk ? StorageType.File : StorageType.Memory,
    discard: DiscardPolicy.New,
    discard_new_per_subject: true,
    max_bytes: stream.maxBytes,
    max_msgs: stream.maxMessages,
    max_msgs_per_subject: stream.maxPerSubject,
    max_age: toNanos(stream.maxAgeMs),
    duplicate_window: toNanos(stream.rememberIdsMs),
    num_replicas: replicas,
  };
}

/** Creates missing streams and updates the limits of the existing ones. */
export async function ensureStreams(
  jsm: JetStreamManager,
  streams: readonly NatsStream[],
  replicas: number,
): Promise<void> {
  for (const stream of streams) {
    const { name } = stream;
    const config = describeStream(stream, replicas);
    try {
      await jsm.streams.add({ name, ...config });
    } catch (error) {
      if (!isApiError(error, inUseWithOtherConfig)) throw error;
      const { retention: _retention, storage: _storage, ...changed } = config;
      await jsm.streams.update(name, changed);
    }
  }
}

/** Adds a consumer to a stream. All clients that consume the same pattern share this consumer. */
async function addConsumer(
  jsm: JetStreamManager,
  stream: NatsStream,
  { pattern, name }: { readonly pattern: string; readonly name: string },
): Promise<void> {
  await jsm.consumers.add(stream.name, {
    durable_name: name,
    filter_subject: pattern,
    ack_policy: AckPolicy.Explicit,
    ack_wait: toNanos(stream.ackWaitMs),
    max_ack_pending: stream.maxMessages,
    max_deliver: -1,
  });
}
const isApiError = (error: unknown, code: number) =>
  error instanceof JetStreamApiError && error.code === code;

export interface ConsumerNames {
  /** Returns the current name of the consumer of a subject or pattern. */
  readonly nameOf: (pattern: string) => string;
  /**
   * Reloads the names before a consumer is replaced, because the existing consumer may have a newer
   * name than this process knows.
   */
  readonly renew: () => Promise<void>;
}

/**
 * Creates a consumer. A work queue allows one consumer per subject, so a consumer with another name
 * is deleted first. The new consumer receives the unacknowledged messages of the deleted one.
 */
export async function ensureConsumer(
  jsm: JetStreamManager,
  stream: NatsStream,
  pattern: string,
  { nameOf, renew }: ConsumerNames,
): Promise<void> {
  try {
    await addConsumer(jsm, stream, { pattern, name: nameOf(pattern) });
  } catch (error) {
    if (!isApiError(error, otherConsumerIsThere)) throw error;
    await renew();
    const name = nameOf(pattern);
    for await (const { config } of jsm.consumers.list(stream.name)) {
      const { durable_name: other, filter_subject: filter } = config;
      if (filter !== pattern || other === undefined || other === name) continue;
      // Ignore errors, because another server may delete this consumer at the same time.
      await jsm.consumers.delete(stream.name, other).catch(() => {});
    }
    await addConsumer(jsm, stream, { pattern, name });
  }
}

/** A stream that existed, went missing and was recreated. */
export interface RecreatedStream {
  readonly name: string;
  readonly at: Date;
}

interface StreamKeeperOptions {
  readonly streams: readonly NatsStream[];
  readonly replicas: number;
  readonly log: Log;
  readonly metrics: BusMetrics;
  /** Opens an API client for the streams; `null` while there is no connection. */
  readonly openManager: () => Promise<JetStreamManager> | null;
}

/** Creates missing streams, and remembers those that existed before and were recreated. */
export class StreamKeeper {
  readonly #options: StreamKeeperOptions;
  readonly #existing = new Set<string>();
  readonly #recreated = new Map<string, RecreatedStream>();
  #wake = () => {};

  constructor(options: StreamKeeperOptions) {
    this.#options = options;
  }

  /** The streams that were recreated, each with the time of the last recreation. */
  get recreated(): readonly RecreatedStream[] {
    return [...this.#recreated.values()];
  }

  /** Checks the streams immediately, because NATS has no stream for a published message. */
  readonly checkNow = (): void => this.#wake();

  async ensure(jsm: JetStreamManager): Promise<void> {
    const { streams, replicas } = this.#options;
    await this.#noteMissing(jsm);
    await ensureStreams(jsm, streams, replicas);
    for (const { name } of streams) this.#existing.add(name);
  }

  watch(): Loop {
    return startLoop({
      name: "watch the streams of NATS",
      isEssential: false,
      everyMs: lookEveryMs,
      restMs,
      onWork: (wake) => {
        this.#wake = wake;
      },
      log: this.#options.log,
      turn: async () => {
        const jsm = await this.#options.openManager();
        if (jsm !== null && (await listMissing(jsm, this.#options.streams)).length > 0) {
          await this.ensure(jsm);
        }
      },
    });
  }

  async #noteMissing(jsm: JetStreamManager): Promise<void> {
    if (this.#existing.size === 0) return;
    const { log, metrics, streams } = this.#options;
    for (const name of await listMissing(jsm, streams)) {
      if (!this.#existing.has(name)) continue;
      this.#recreated.set(name, { name, at: new Date() });
      metrics.recreated.inc({ stream: name });
      log.error({ stream: name }, "a NATS stream was missing and is recreated");
    }
  }
}

async function listMissing(
  jsm: JetStreamManager,
  streams: readonly NatsStream[],
): Promise<string[]> {
  const names = new Set<string>();
  for await (const name of jsm.streams.names()) names.add(name);
  return streams.flatMap(({ name }) => (names.has(name) ? [] : name));
}
