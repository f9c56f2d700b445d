/**
 * Recording of results. The *recorder* accepts the results of probes, judges them and decides about
 * retries. It stores results, states and state changes in one transaction per batch. In the same
 * transaction it stores *notable runs* and certificates for alerting, and *late hours* for
 * statistics, which rolls these hours up again. Tables: late_hours, notable_runs,
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
