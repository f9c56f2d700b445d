/**
 * Statistics over runs. *Roll-ups* are closed hours and days of a check: counts, and *sketches*
 * that provide any percentile within one percent. Queries combine them with the results of the hour
 * that is still open. The only formula for *uptime* is here.
 *
 * Tables: hourly_rollups, daily_rollups, hourly_running_totals, daily_running_totals,
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
