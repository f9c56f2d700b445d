import { hostname } from "node:os";
import type { Config } from "../config.ts";
import { builtInRoute, subjects } from "../contract/subjects.ts";
import type { NatsKeys } from "../domains/locations/index.ts";
import { type Bus, createInProcessBus } from "../platform/bus.ts";
import { layerBuses } from "../platform/layered-bus.ts";
import type { Log } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import { addDepthMetric, createBusMetrics } from "../platform/nats/bus-metrics.ts";
import { createNatsBus, type NatsBus } from "../platform/nats/nats-bus.ts";
import { type ConsumerNames, nameConsumer } from "../platform/nats/nats-streams.ts";

export interface AppBus {
  readonly bus: Bus;
  readonly network: NatsBus | null;
}

/**
 * Messages from this server to its own probe, recorder and trials stay in the process: that is
 * cheaper and works while NATS is unavailable.
 */
export function openBus(
  config: Config,
  serverId: string,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  natsKeys: NatsKeys,
): AppBus {
  const own = createInProcessBus(log);
  const { NATS_URL: address, NATS_REPLICAS: replicas } = config;
  if (address === undefined) return { bus: own, network: null };
  const network = createNatsBus({
    address,
    replicas,
    log,
    name: `vedette server ${hostname()} ${serverId}`,
    metrics: createBusMetrics(metrics.registry),
    makesStreams: true,
    consumerNames: createConsumerNames(natsKeys),
  });
  addDepthMetric(metrics.registry, network.countMessages);
  const hasProbe = config.BUILT_IN_PROBE === "true";
  const ownTrialEvents = subjects.trialMessagesOf(serverId, builtInRoute);
  const isLocal = (subject: string) =>
    subject === subjects.results ||
    (hasProbe && [subjects.orders, ownTrialEvents].includes(subject));
  const isRejected = (subject: string) =>
    subject === subjects.results || (hasProbe && subject === ownTrialEvents);
  const onRejected = (count: number) =>
    log.warn({ count }, "dropped messages from NATS on subjects reserved for this server");
  return { bus: layerBuses(own, network, { isLocal, isRejected, onRejected }), network };
}

/** The consumer's name is secret: without it a client cannot receive the orders of a route. */
function createConsumerNames(natsKeys: NatsKeys): ConsumerNames {
  const prefix = subjects.ordersOf("");
  return {
    nameOf: (pattern) => {
      const name = nameConsumer(pattern);
      if (!pattern.startsWith(prefix)) return name;
      return `${name}_${natsKeys.writeConsumerSecret(pattern.slice(prefix.length))}`;
    },
    renew: () => natsKeys.refresh(),
  };
}
