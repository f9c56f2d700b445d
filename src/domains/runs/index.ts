/**
 * Recording of runs. A *probe* executes an order and returns a *result*. The *recorder* turns
 * results into *verdicts*, the *state* of the check and *state changes*, in one transaction per
 * batch.
 * Tables: check_states, state_changes, check_troubles, late_hours, notable_runs,
 * check_certificates.
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
export type { RunsContext } from "./context.ts";
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
export { type CheckRow, countOwnFacets, listCheckPage } from "./listings/actions.ts";
export { type FacetCount, type ListSort, listSorts } from "./listings/listing-store.ts";
export { slotCount, slotMs } from "./listings/state-bar.ts";
export { startRecordingLoops } from "./loops.ts";
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
export { expireOldState } from "./overdue.ts";
export { startPlaceLoops } from "./place-loops.ts";
export { RecordedRuns } from "./recorded-runs.ts";
export { recordResults } from "./recorder.ts";
export { addRunRoutes } from "./routes.ts";
export { createRunMetrics } from "./run-metrics.ts";
export { listSilentChecks } from "./silent-checks.ts";
export { listOwnStateChanges } from "./state-changes/actions.ts";
export { listStateSpans, type StateSpan } from "./state-changes/history.ts";
export { Status } from "./state-changes/schema.ts";
export type { StateChangeRecord } from "./state-changes/store.ts";
export { listLastRuns } from "./state-store.ts";
export { type ExplainedState, overviewStatuses } from "./statuses/overview.ts";
export {
  type CheckTrouble,
  deleteTroublesBefore,
  listTroubles,
  mapOpenTroubles,
  saveTroubles,
  type TroubleChange,
  type TroubleStatus,
} from "./trouble-store.ts";
