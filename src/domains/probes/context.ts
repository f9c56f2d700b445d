import type { NatsKeys } from "../locations/index.ts";
import type { RecordingContext } from "../recording/index.ts";
import type { ProbeMetrics } from "./probe-metrics.ts";

/** Dependencies of the gateway and the loops. */
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
