/**
 * Execution of checks. The *scheduler* creates *orders* when runs are due. A *probe* executes an
 * order and returns a *result*. The *recorder* turns results into *verdicts*, the *state* of the
 * check and *state changes*, in one transaction per batch. Orders and results are sent over the
 * bus, so the three parts may run in different processes.
 * Tables: check_states, state_changes, check_troubles, pending_retries, schedule_leases,
 * check_sessions, late_hours, notable_runs, check_certificates.
 */

export {
  type CertificateEvaluation,
  type DueCertificate,
  deleteCertificatesBefore,
  listChecksWithDueCertificates,
  listExpiringCertificates,
  lockDueCertificates,
  postponeCertificates,
  saveCertificateEvaluations,
} from "./certificates/certificate-store.ts";
export { SeenCertificates } from "./certificates/seen-certificates.ts";
export { type CheckOverview, listCheckOverviews } from "./check-overview-store.ts";
export { type RunsContext, subjects } from "./context.ts";
export { mapCurrentStatuses } from "./current-status.ts";
export { type FailingCheck, listFailingChecks } from "./failing-checks/actions.ts";
export { listFailingCauses } from "./failing-checks/causes.ts";
export { type FollowedCheck, listFollowedChecks } from "./followed-check-store.ts";
export { ProbeGateway, probePath } from "./gateway/gateway.ts";
export {
  type CheckHour,
  deleteLateHour,
  listLateHours,
  markLateHours,
  nameCheckHour,
  rollupWork,
  takeLateHours,
} from "./late-hour-store.ts";
export { countHeldShards } from "./lease-store.ts";
export { type CheckRow, countOwnFacets, listCheckPage } from "./listings/actions.ts";
export { type FacetCount, type ListSort, listSorts } from "./listings/listing-store.ts";
export { slotCount, slotMs } from "./listings/state-bar.ts";
export { startRunLoops } from "./loops.ts";
export { callProbes, followKeys, registerNatsProbes } from "./nats-probes/probe-registration.ts";
export { type CheckWithRuns, listNewestRuns, type NewestRun } from "./newest-run-store.ts";
export {
  deleteQueuedRuns,
  deleteQueuedRunsOf,
  listQueuedCheckIds,
  listQueuedRuns,
  notableRunWork,
  type QueuedRun,
} from "./notable-run-queue-store.ts";
export { findLastResultTimes } from "./notable-run-store.ts";
export { OrderTags } from "./order-tags.ts";
export { createArrivedResult } from "./orders.ts";
export { expireOldState } from "./overdue.ts";
export { RunLoad } from "./overload/run-load.ts";
export { startPlaceLoops } from "./place-loops.ts";
export { RecordedRuns } from "./recorded-runs.ts";
export { recordResults } from "./recorder.ts";
export { addRunRoutes } from "./routes.ts";
export { createRunMetrics } from "./run-metrics.ts";
export { triggerChecks } from "./sessions/actions.ts";
export { shardCount } from "./shard-plan.ts";
export { listSilentChecks } from "./silent-checks.ts";
export { listOwnStateChanges } from "./state-changes/actions.ts";
export { listStateSpans, type StateSpan } from "./state-changes/history.ts";
export { Status } from "./state-changes/schema.ts";
export type { StateChangeRecord } from "./state-changes/store.ts";
export { type ExplainedState, overviewStatuses } from "./statuses/overview.ts";
export { OpenTrials } from "./trials/open-trials.ts";
export {
  type CheckTrouble,
  deleteTroublesBefore,
  listTroubles,
  mapOpenTroubles,
  saveTroubles,
  type TroubleChange,
  type TroubleStatus,
} from "./trouble-store.ts";
export { type Watched, WatchList } from "./watch-list.ts";
