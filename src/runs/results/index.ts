/**
 * Stored results of runs. A *result* is one attempt of a run, with its verdict and measurement. The
 * last attempt of a run is *final*. A *gap* is a number of due runs without a recorded result. A
 * run id is derived from the check, the due time, the location and the attempt, and run ids sort by
 * due time. If the network path of a failing run was traced, its *path report* is stored. Tables:
 * results, result_probes, run_gaps, run_paths. Views: readable_results.
 */

export {
  findPathBetween,
  listNewestPaths,
  mapPathsOfAlerts,
  PathReportSchema,
  saveRunPath,
  toWirePathReport,
} from "./path-store.ts";
export {
  countRunsByProbe,
  type FinalResult,
  findNamedResults,
  findNewestFinal,
  insertGaps,
  listAttempts,
  listFinalResults,
  listMissedRuns,
  listSlots,
  type MissedRuns,
  type ResultRow,
  type RunGap,
  readRun,
  readStoppedAt,
  verdictCodes,
  verdictNames,
} from "./result-store.ts";
export {
  deleteResultsBefore,
  deleteUnanswered,
  ensurePartitions,
  finalizeAttempts,
  findNeighbours,
  findOldestPartition,
  hasResults,
  insertNewResults,
  type JudgedResult,
  type Neighbours,
} from "./result-write-store.ts";
export { addResultRoutes, getResult, listCheckResults } from "./results.ts";
export { deriveRunId, readDueAtMs } from "./run-id.ts";
export {
  countRunsByLocation,
  type InBucket,
  listRunBuckets,
  type OfCheck,
  type RunCounts,
  type RunSums,
  sumRuns,
  sumRunsByHour,
  sumRunsByLocation,
} from "./run-sum-store.ts";
