import { Counter, Histogram, type Registry } from "prom-client";
import { addGauge } from "../../platform/metrics.ts";

export interface RunMetrics {
  readonly results: Counter;
  readonly lateness: Histogram;
  readonly recordSeconds: Histogram;
  readonly ignored: Counter;
  /** Orders whose deadline passed before a probe responded. */
  readonly expiredOrders: Counter;
  readonly rejectedProbes: Counter;
  /** Results that probes had to drop. */
  readonly droppedResults: Counter;
  readonly watchConnections: (count: () => number, sumSpools: () => number) => void;
}

export function createRunMetrics(registry: Registry): RunMetrics {
  const registers = [registry];
  return {
    results: new Counter({
      name: "vedette_results_total",
      help: "Number of results recorded, by verdict.",
      labelNames: ["verdict"],
      registers,
    }),
    lateness: new Histogram({
      name: "vedette_run_lateness_seconds",
      help: "Delay between the planned and the actual start of a run.",
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    }),
    recordSeconds: new Histogram({
      name: "vedette_record_batch_seconds",
      help: "Duration of a transaction that records a batch of results.",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    }),
    ignored: new Counter({
      name: "vedette_results_ignored_total",
      help: "Number of results that were not recorded, by reason.",
      labelNames: ["reason"],
      registers,
    }),
    expiredOrders: new Counter({
      name: "vedette_orders_expired_total",
      help: "Number of orders whose deadline passed before a remote probe responded.",
      registers,
    }),
    rejectedProbes: new Counter({
      name: "vedette_probes_refused_total",
      help: "Number of probe connections rejected or closed, by reason.",
      labelNames: ["reason"],
      registers,
    }),
    droppedResults: new Counter({
      name: "vedette_probe_results_dropped_total",
      help: "Number of results that remote probes dropped before they could send them.",
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
    help: "Number of probes connected to this server.",
    read: count,
  });
  addGauge(registry, {
    name: "vedette_probe_spool_results",
    help: "Number of results spooled on the disks of these probes.",
    read: sumSpools,
  });
}
