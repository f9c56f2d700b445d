import type { Bus, ConsumeEachOptions, ConsumeOptions, Consumer } from "./bus.ts";
import type { ProgressState } from "./progress.ts";

export interface Layers {
  /** What this process publishes for itself. */
  readonly staysHere: (subject: string) => boolean;
  /** What comes over the network and nobody there may say: it is dropped. */
  readonly isRefused: (subject: string) => boolean;
  readonly onRefused: (count: number) => void;
}

/**
 * Two buses as one: what this process sends to itself stays in it, and goes on while the network
 * is away; everything else crosses the network. Consumers hear both.
 */
export function layerBuses(own: Bus, network: Bus, layers: Layers): Bus {
  const { staysHere } = layers;
  return {
    isDurable: network.isDurable,
    publish: (subject, messages, options) =>
      (staysHere(subject) ? own : network).publish(subject, messages, options),
    consume: (subject, options) =>
      joinConsumers(
        own.consume(subject, options),
        network.consume(subject, refuseInBatches(options, layers)),
      ),
    consumeEach: (subject, options) =>
      joinConsumers(
        own.consumeEach(subject, options),
        network.consumeEach(subject, refuseEach(options, layers)),
      ),
    depth: async (subject) => (await own.depth(subject)) + (await network.depth(subject)),
    unkeptDepth: (subject) => own.unkeptDepth(subject) + network.unkeptDepth(subject),
  };
}

function refuseInBatches<Message>(
  options: ConsumeOptions<Message>,
  { isRefused, onRefused }: Layers,
): ConsumeOptions<Message> {
  return {
    ...options,
    handle: async (batch, subjects) => {
      const isLeft = subjects.map((subject) => !isRefused(subject));
      const left = batch.filter((_message, at) => isLeft[at]);
      if (left.length < batch.length) onRefused(batch.length - left.length);
      if (left.length === 0) return;
      await options.handle(
        left,
        subjects.filter((_subject, at) => isLeft[at]),
      );
    },
  };
}

function refuseEach<Message>(
  options: ConsumeEachOptions<Message>,
  { isRefused, onRefused }: Layers,
): ConsumeEachOptions<Message> {
  return {
    ...options,
    handle: async (message, subject) => {
      if (isRefused(subject)) onRefused(1);
      else await options.handle(message, subject);
    },
  };
}

function joinConsumers(one: Consumer, other: Consumer): Consumer {
  return {
    progress: () => joinProgress(one.progress(), other.progress()),
    stop: async () => {
      await Promise.all([one.stop(), other.stop()]);
    },
  };
}

/** The worse of the two. */
function joinProgress(one: ProgressState, other: ProgressState): ProgressState {
  const worse = one.lagMs >= other.lagMs ? one : other;
  const lasts = [one, other].flatMap(({ lastSuccessAtMs }) => lastSuccessAtMs ?? []);
  const lastSuccessAtMs = lasts.length === 0 ? null : Math.max(...lasts);
  return { ...worse, errors: one.errors + other.errors, lastSuccessAtMs };
}
