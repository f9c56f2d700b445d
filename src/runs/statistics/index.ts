/**
 * Statistics of runs. A *roll-up* contains the counts and *sketches* of a closed hour or day of a
 * check. A sketch provides any percentile with an error of at most 1 %. Queries combine the
 * roll-ups with the results of the hour that is still open. The formula for *uptime* is defined
 * only here. Tables: hourly_rollups, daily_rollups, hourly_running_totals, daily_running_totals,
 * rollup_progress.
 */
export { type CheckSummary, summariseByLocation, summariseChecks } from "./analytics/actions.ts";
export type { StatisticsContext } from "./context.ts";
export { type CheckFigures, FigureReader } from "./overviews/figures.ts";
export { type DailyRunCounts, listDailyRunCounts } from "./overviews/overview-store.ts";
export {
  countRunsOfBlock,
  firstStepMs,
  type PlaceFigures,
  readFirstSteps,
  readPlaceFigures,
} from "./overviews/place-figures.ts";
export { type ImportedRuns, importRollups } from "./rollups/import-rollups.ts";
export type { HourPoint } from "./rollups/rollup.ts";
export { startStatisticsLoops } from "./rollups/rollup-builder.ts";
export { addStatisticsRoutes } from "./routes.ts";
export { TrendReader } from "./trends/trend-reader.ts";
export { computeAvailability, formatAvailability, toAvailabilityPercent } from "./uptime.ts";
export { alignWindow } from "./window.ts";
