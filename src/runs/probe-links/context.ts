import { Counter, type Registry } from "prom-client";
import type { NatsKeys } from "../../checks/locations/index.ts";
import { addGauge } from "../../platform/metrics.ts";
import type { RecordingContext } from "../recording/index.ts";

export interface ProbesContext
  extends Pick<
    RecordingContext,
    | "db"
    | "clock"
    | "log"
    | "bus"
    | "watchList"
    | "directory"
    | "tags"
    | "recordedRuns"
    | "recordingMetrics"
  > {
  readonly natsKeys: NatsKeys;
  readonly probeMetrics: ProbeMetrics;
}

interface ProbeMetrics {
  /** Counter of orders whose deadline passed before a probe returned a result. */
  readonly expiredOrders: Counter;
  readonly rejectedProbes: Counter;
  readonly droppedResults: Counter;
  readonly watchConnections: (count: () => number, sumSpools: () => number) => void;
}

export function createProbeMetrics(registry: Registry): ProbeMetrics {
  const registers = [registry];
  return {
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
