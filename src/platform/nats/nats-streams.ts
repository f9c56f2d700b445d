import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";

/** A NATS JetStream work queue with its limits. */
export interface NatsStream {
  readonly name: string;
  /** First part of its subjects. */
  readonly family: string;
  /** Orders contain secrets of checks, which must not be written to disk. */
  readonly isOnDisk: boolean;
  readonly maxBytes: number;
  readonly maxMessages: number;
  readonly maxPerSubject: number;
  readonly maxAgeMs: number;
  /** How long message ids are remembered for deduplication. */
  readonly rememberIdsMs: number;
  /** A message not acknowledged within this time is redelivered to another consumer. */
  readonly ackWaitMs: number;
}

const megabyte = 1_048_576;
const minuteMs = 60_000;

/** Publishers wait at a limit; messages older than the maximum age are useless. */
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

/** The same for every server and probe, so that they share the messages. */
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

const inUseWithOtherConfig = 10_058;

/** Creates missing streams and updates the limits of existing ones. */
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

/** Creates a consumer, which all clients of the same subjects share. */
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

const otherConsumerIsThere = 10_100;
const isApiError = (error: unknown, code: number) =>
  error instanceof JetStreamApiError && error.code === code;

export interface ConsumerNames {
  /** Returns the current name of the consumer for these subjects. */
  readonly nameOf: (pattern: string) => string;
  /** Called before a consumer of another name is replaced, because that name may be newer. */
  readonly renew: () => Promise<void>;
}

/**
 * Creates the consumer. A work queue has one per subject, so one of another name is deleted first.
 * Unacknowledged messages of the old consumer are redelivered by the new one.
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
      // Another server may do the same concurrently.
      await jsm.consumers.delete(stream.name, other).catch(() => {});
    }
    await addConsumer(jsm, stream, { pattern, name });
  }
}
