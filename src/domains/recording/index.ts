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
  SeenCertificates,
  saveCertificateEvaluations,
} from "./certificate-store.ts";
export {
  createRecordingMetrics,
  type FailureListener,
  type FailureOffer,
  RecordedRuns,
  type RecorderContext,
  type RecordingContext,
} from "./context.ts";
export {
  type CheckHour,
  deleteLateHour,
  deleteQueuedRuns,
  deleteQueuedRunsOf,
  listChecksWithQueuedRuns,
  listLateHours,
  listQueuedCheckIds,
  listQueuedRuns,
  markLateHours,
  nameCheckHour,
  notableRunWork,
  type QueuedRun,
  rollupWork,
  takeLateHours,
} from "./follow-up-store.ts";
export { startRecordingLoops } from "./loops.ts";
export { recordResults } from "./recorder.ts";
