import { Counter, Gauge, type Registry } from "prom-client";

export interface BusMetrics {
  readonly published: Counter;
  readonly waits: Counter;
  readonly redelivered: Counter;
  readonly malformed: Counter;
  readonly connected: Gauge;
  readonly connects: Counter;
  readonly recreated: Counter;
}

const labelNames = ["subjects"] as const;

export function createBusMetrics(registry: Registry): BusMetrics {
  const registers = [registry];
  return {
    published: new Counter({
      name: "vedette_bus_published_total",
      help: "Messages of this server that NATS has stored.",
      labelNames,
      registers,
    }),
    waits: new Counter({
      name: "vedette_bus_waits_total",
      help: "Number of times publishing waited because NATS was full or unavailable.",
      labelNames,
      registers,
    }),
    redelivered: new Counter({
      name: "vedette_bus_redelivered_total",
      help: "NATS messages redelivered to this server after another consumer failed.",
      labelNames,
      registers,
    }),
    malformed: new Counter({
      name: "vedette_bus_malformed_total",
      help: "Invalid NATS messages that were dropped.",
      labelNames,
      registers,
    }),
    connected: new Gauge({
      name: "vedette_bus_connected",
      help: "1 while this server is connected to NATS.",
      registers,
    }),
    connects: new Counter({
      name: "vedette_bus_connects_total",
      help: "Number of connections this server has made to NATS.",
      registers,
    }),
    recreated: new Counter({
      name: "vedette_bus_streams_recreated_total",
      help: "Missing NATS streams that this server recreated.",
      labelNames: ["stream"],
      registers,
    }),
  };
}

/**
 * Adds a metric with the number of messages of each stream, which is requested from NATS at each
 * scrape.
 */
export function addDepthMetric(
  registry: Registry,
  count: () => Promise<ReadonlyMap<string, number> | null>,
): void {
  const gauge = new Gauge({
    name: "vedette_bus_messages",
    help: "Unacknowledged messages in NATS.",
    labelNames,
    registers: [registry],
    collect: async () => {
      const counts = await count();
      gauge.reset();
      for (const [subjects, messages] of counts ?? []) gauge.set({ subjects }, messages);
    },
  });
}
