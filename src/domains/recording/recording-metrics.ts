import { Counter, Histogram, type Registry } from "prom-client";

export interface RecordingMetrics {
  readonly results: Counter;
  readonly lateness: Histogram;
  readonly recordSeconds: Histogram;
  readonly ignored: Counter;
}

export function createRecordingMetrics(registry: Registry): RecordingMetrics {
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
  };
}
