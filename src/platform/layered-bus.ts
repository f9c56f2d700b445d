import type { Bus, ConsumeEachOptions, ConsumeOptions, Consumer } from "./bus.ts";
import type { ProgressState } from "./progress.ts";

interface Layers {
  /** Whether messages of a subject stay within this process. */
  readonly isLocal: (subject: string) => boolean;
  /** Whether messages of a subject must be dropped if they arrive over the network. */
  readonly isRejected: (subject: string) => boolean;
  readonly onRejected: (count: number) => void;
}

/**
 * Combines two buses. Messages of local subjects stay in this process and do not need the network;
 * all other messages are sent over the network. Consumers receive the messages of both buses.
 */
export function layerBuses(own: Bus, network: Bus, layers: Layers): Bus {
  const { isLocal } = layers;
  return {
    isDurable: network.isDurable,
    publish: (subject, messages, options) =>
      (isLocal(subject) ? own : network).publish(subject, messages, options),
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
    volatileDepth: (subject) => own.volatileDepth(subject) + network.volatileDepth(subject),
  };
}

function refuseInBatches<Message>(
  options: ConsumeOptions<Message>,
  { isRejected, onRejected }: Layers,
): ConsumeOptions<Message> {
  return {
    ...options,
    handle: async (batch, subjects) => {
      const isLeft = subjects.map((subject) => !isRejected(subject));
      const left = batch.filter((_message, at) => isLeft[at]);
      if (left.length < batch.length) onRejected(batch.length - left.length);
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
  { isRejected, onRejected }: Layers,
): ConsumeEachOptions<Message> {
  return {
    ...options,
    handle: async (message, subject) => {
      if (isRejected(subject)) onRejected(1);
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

/**
 * Joins two progress states: the state with the larger lag, the sum of the errors, and the latest
 * success.
 */
function joinProgress(one: ProgressState, other: ProgressState): ProgressState {
  const worse = one.lagMs >= other.lagMs ? one : other;
  const lasts = [one, other].flatMap(({ lastSuccessAtMs }) => lastSuccessAtMs ?? []);
  const lastSuccessAtMs = lasts.length === 0 ? null : Math.max(...lasts);
  return { ...worse, errors: one.errors + other.errors, lastSuccessAtMs };
}
