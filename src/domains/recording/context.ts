import type { ChangeAnnouncer } from "../../platform/notifications.ts";
import type { NatsKeys } from "../locations/index.ts";
import type { ScheduleContext } from "../schedule/index.ts";
import type { RecordedRuns } from "./recorded-runs.ts";
import type { RecordingMetrics } from "./recording-metrics.ts";
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
