import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { addGauge } from "../../platform/metrics.ts";

export interface RunMetrics {
  readonly results: Counter;
  readonly lateness: Histogram;
  readonly recordSeconds: Histogram;
  readonly scheduledChecks: Gauge;
  readonly heldShards: Gauge;
  readonly ignored: Counter;
  readonly unsentOrders: Counter;
  /** Runs that were due and not made. */
  readonly skippedRuns: Counter;
  /** Orders whose deadline passed before a probe of their place answered. */
  readonly expiredOrders: Counter;
  readonly refusedProbes: Counter;
  /** Results that probes had to give up. */
  readonly droppedResults: Counter;
  readonly watchConnections: (count: () => number, sumSpools: () => number) => void;
}

export function createRunMetrics(registry: Registry): RunMetrics {
  const registers = [registry];
  return {
    results: new Counter({
      name: "vedette_results_total",
      help: "Results recorded, by verdict.",
      labelNames: ["verdict"],
      registers,
    }),
    lateness: new Histogram({
      name: "vedette_run_lateness_seconds",
      help: "From the moment a run was to begin to the moment it began.",
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    }),
    recordSeconds: new Histogram({
      name: "vedette_record_batch_seconds",
      help: "How long one transaction took that records a batch of results.",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    }),
    scheduledChecks: new Gauge({
      name: "vedette_scheduled_checks",
      help: "Checks that this server schedules.",
      registers,
    }),
    unsentOrders: new Counter({
      name: "vedette_orders_unsent_total",
      help: "Orders for probes elsewhere that could not be sent before their deadline.",
      registers,
    }),
    skippedRuns: new Counter({
      name: "vedette_runs_skipped_total",
      help: "Runs that were due and not made, by reason: overloaded, or noticed too late.",
      labelNames: ["reason"],
      registers,
    }),
    heldShards: new Gauge({
      name: "vedette_held_shards",
      help: "Shards of checks, of 64, that this server schedules.",
      registers,
    }),
    ignored: new Counter({
      name: "vedette_results_ignored_total",
      help: "Results that were not recorded, by reason.",
      labelNames: ["reason"],
      registers,
    }),
    expiredOrders: new Counter({
      name: "vedette_orders_expired_total",
      help: "Orders whose deadline passed before a remote probe answered.",
      registers,
    }),
    refusedProbes: new Counter({
      name: "vedette_probes_refused_total",
      help: "Probes that were not let in or sent away, by reason.",
      labelNames: ["reason"],
      registers,
    }),
    droppedResults: new Counter({
      name: "vedette_probe_results_dropped_total",
      help: "Results that remote probes had to give up before they could send them.",
      registers,
    }),
    watchConnections: (count, sumSpools) => watchConnections(registry, { count, sumSpools }),
  };
}

function watchConnections(
  registry: Registry,
  { count, sumSpools }: { readonly count: () => number; readonly sumSpools: () => number },
): void {
  addGauge(registry, {
    name: "vedette_probe_connections",
    help: "Probes that are connected to this server.",
    read: count,
  });
  addGauge(registry, {
    name: "vedette_probe_spool_results",
    help: "Results that wait on the disks of those probes.",
    read: sumSpools,
  });
}
