/**
 * Decides when and where checks run. A *watched* check is a check prepared for its runs: group
 * settings applied, locations resolved and due times planned. The *scheduler* holds leases on
 * *shards* (fixed subsets of all checks) and creates an *order* for each due run, which is sent to
 * a probe. *Sessions* are runs on request. *Trials* are runs of unsaved settings that are not
 * recorded. Tables: pending_retries, schedule_leases, check_sessions, run_triggers.
 */

export {
  type AssetGrant,
  createScheduleMetrics,
  type LastRun,
  OrderTags,
  type ScheduleContext,
} from "./context.ts";
export { startScheduleLoops } from "./loops.ts";
export { createOrder } from "./orders.ts";
export { RunLoad } from "./overload/run-load.ts";
export { addScheduleRoutes } from "./routes.ts";
export { chooseLocations, nextDueAtMs, runNumberOf } from "./schedule.ts";
export {
  countHeldShards,
  deleteRetries,
  deleteRetriesBefore,
  deleteSessionsBefore,
  findRetryStarts,
  insertRetries,
  shardCount,
} from "./schedule-store.ts";
export { findTargets, triggerChecks } from "./sessions/actions.ts";
export { captureRun, findPathTarget, type SampledPath, tracePath, traceSamples } from "./traces.ts";
export { OpenTrials } from "./trials/open-trials.ts";
export { openTrial, type TrialEvent } from "./trials/trials.ts";
export { type Watched, WatchList } from "./watch-list.ts";
