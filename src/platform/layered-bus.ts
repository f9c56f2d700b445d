import type { Bus, Consumer } from "./bus.ts";
import type { ProgressState } from "./progress.ts";

/**
 * Two buses as one: what this process sends to itself stays in it, and goes on while the network
 * is away; everything else crosses the network. Consumers hear both.
 */
export function layerBuses(own: Bus, network: Bus, staysHere: (subject: string) => boolean): Bus {
  return {
    isDurable: network.isDurable,
    publish: (subject, messages, options) =>
      (staysHere(subject) ? own : network).publish(subject, messages, options),
    consume: (subject, options) =>
      joinConsumers(own.consume(subject, options), network.consume(subject, options)),
    consumeEach: (subject, options) =>
      joinConsumers(own.consumeEach(subject, options), network.consumeEach(subject, options)),
    depth: async (subject) => (await own.depth(subject)) + (await network.depth(subject)),
    unkeptDepth: (subject) => own.unkeptDepth(subject) + network.unkeptDepth(subject),
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
