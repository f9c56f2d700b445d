import { Counter, Gauge, type Registry } from "prom-client";

export interface ScheduleMetrics {
  readonly scheduledChecks: Gauge;
  readonly heldShards: Gauge;
  readonly unsentOrders: Counter;
  /** Runs that were due but not executed. */
  readonly skippedRuns: Counter;
}

export function createScheduleMetrics(registry: Registry): ScheduleMetrics {
  const registers = [registry];
  return {
    scheduledChecks: new Gauge({
      name: "vedette_scheduled_checks",
      help: "Number of checks scheduled by this server.",
      registers,
    }),
    heldShards: new Gauge({
      name: "vedette_held_shards",
      help: "Number of check shards, out of 64, scheduled by this server.",
      registers,
    }),
    unsentOrders: new Counter({
      name: "vedette_orders_unsent_total",
      help: "Number of orders for remote probes that could not be sent before their deadline.",
      registers,
    }),
    skippedRuns: new Counter({
      name: "vedette_runs_skipped_total",
      help: "Number of due runs that were skipped, by reason: overloaded or late.",
      labelNames: ["reason"],
      registers,
    }),
  };
}
