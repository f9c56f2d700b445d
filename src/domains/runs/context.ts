import type { ChangeAnnouncer } from "../../platform/change-announcer.ts";
import type { NatsKeys } from "../locations/index.ts";
import type { ScheduleContext } from "../schedule/index.ts";
import type { SeenCertificates } from "./certificates/seen-certificates.ts";
import type { RecordedRuns } from "./recorded-runs.ts";
import type { RunMetrics } from "./run-metrics.ts";

/** Dependencies of the actions and loops. */
export interface RunsContext extends ScheduleContext {
  readonly seenCertificates: SeenCertificates;
  readonly metrics: RunMetrics;
  /** Collects the checks with new final results and periodically notifies open event streams. */
  readonly recorded: Pick<ChangeAnnouncer, "add">;
  readonly natsKeys: NatsKeys;
  readonly recordedRuns: RecordedRuns;
}
