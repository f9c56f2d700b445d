/**
 * What happened. The *scheduler* turns time into *orders*, a *probe* an order into a *result*,
 * the *recorder* turns results into *verdicts*, the check's *state* and *state changes*, in one
 * transaction a batch. Orders and results cross the bus, so each of the three may be elsewhere.
 * Tables: results, check_states, state_changes, pending_retries, schedule_leases, check_sessions,
 * and the roll-ups.
 */
export type { CheckSummary } from "./analytics/actions.ts";
export { type RunsContext, subjects } from "./context.ts";
export { startRunLoops } from "./loops.ts";
export { findHeardTimes } from "./notable-run-store.ts";
export {
  type CheckFigures,
  FigureReader,
  type HourPoint,
} from "./overviews/figures.ts";
export { type CheckOverview, listCheckOverviews } from "./overviews/overview-store.ts";
export { type PlaceFigures, readPlaceFigures } from "./overviews/place-figures.ts";
export { findFinalResults } from "./result-store.ts";
export { addRunRoutes } from "./routes.ts";
export { createRunMetrics, type RunMetrics } from "./run-metrics.ts";
export type { Scheduler } from "./scheduler.ts";
export { computeAvailability, formatAvailability, toAvailabilityPercent } from "./uptime.ts";
export { type Watched, WatchList } from "./watch-list.ts";
