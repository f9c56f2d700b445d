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
      help: "Messages that NATS has taken over from this server.",
      labelNames,
      registers,
    }),
    waits: new Counter({
      name: "vedette_bus_waits_total",
      help: "How often publishing waited because NATS was full or away.",
      labelNames,
      registers,
    }),
    redelivered: new Counter({
      name: "vedette_bus_redelivered_total",
      help: "Messages of NATS that were handed to this server after somebody else failed.",
      labelNames,
      registers,
    }),
    malformed: new Counter({
      name: "vedette_bus_malformed_total",
      help: "Messages of NATS that could not be read and were dropped.",
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
      help: "How often this server has connected to NATS.",
      registers,
    }),
    recreated: new Counter({
      name: "vedette_bus_streams_recreated_total",
      help: "Streams of NATS that were missing and that this server made again.",
      labelNames: ["stream"],
      registers,
    }),
  };
}

/** Asked for when somebody reads the metrics. */
export function addDepthMetric(
  registry: Registry,
  count: () => Promise<ReadonlyMap<string, number> | null>,
): void {
  const gauge = new Gauge({
    name: "vedette_bus_messages",
    help: "Messages in NATS that nobody has acknowledged.",
    labelNames,
    registers: [registry],
    collect: async () => {
      const counts = await count();
      gauge.reset();
      for (const [subjects, messages] of counts ?? []) gauge.set({ subjects }, messages);
    },
  });
}
