/**
 * Recording of results. The *recorder* accepts the results of probes, judges them, decides about
 * retries, and writes results, states and their changes in one transaction per batch. It leaves
 * rows for later modules: *notable runs* for alerting, certificates, and *late hours* to roll up
 * again.
 * Tables: late_hours, notable_runs, check_certificates.
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
} from "./certificate-store.ts";
export { createRecordingMetrics, type RecorderContext, type RecordingContext } from "./context.ts";
export {
  type CheckHour,
  deleteLateHour,
  listLateHours,
  markLateHours,
  nameCheckHour,
  rollupWork,
  takeLateHours,
} from "./late-hour-store.ts";
export { startRecordingLoops } from "./loops.ts";
export {
  deleteQueuedRuns,
  deleteQueuedRunsOf,
  listQueuedCheckIds,
  listQueuedRuns,
  notableRunWork,
  type QueuedRun,
} from "./notable-run-store.ts";
export { RecordedRuns } from "./recorded-runs.ts";
export { recordResults } from "./recorder.ts";
export { SeenCertificates } from "./seen-certificates.ts";
