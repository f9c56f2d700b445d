import { Counter, Histogram, type Registry } from "prom-client";
import type { ChangeAnnouncer } from "../../platform/notifications.ts";
import type { NatsKeys } from "../locations/index.ts";
import type { ScheduleContext } from "../schedule/index.ts";
import type { RecordedRuns } from "./recorded-runs.ts";
import type { SeenCertificates } from "./seen-certificates.ts";

/** Dependencies of recording results that are already accepted. */
export interface RecorderContext
  extends Pick<ScheduleContext, "db" | "clock" | "log" | "watchList"> {
  readonly seenCertificates: SeenCertificates;
  readonly recordingMetrics: RecordingMetrics;
  /** Collects the checks with new final results and periodically notifies open event streams. */
  readonly recorded: Pick<ChangeAnnouncer, "add">;
}

/** Dependencies of the loops. */
export interface RecordingContext
  extends RecorderContext,
    Pick<ScheduleContext, "bus" | "directory" | "tags" | "load"> {
  readonly natsKeys: Pick<NatsKeys, "find" | "isLocked" | "noteForgery">;
  readonly recordedRuns: RecordedRuns;
}

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
