/**
 * The state of every check. A *state* is the verdict of the newest runs, by the rule of the check;
 * it is unknown if no result was received for two periods. A *state change* is stored with the
 * *decision* that explains it. Lists of checks by state, failing checks, history and badges.
 * Tables: check_states, state_changes.
 */

export {
  type CheckOverview,
  type FollowedCheck,
  listCheckOverviews,
  listFollowedChecks,
} from "./check-overview-store.ts";
export type { StatesContext } from "./context.ts";
export { expireOldState, listSilentChecks, mapCurrentStatuses } from "./current-status.ts";
export { type FailingCheck, listFailingChecks } from "./failing-checks/actions.ts";
export { listFailingCauses } from "./failing-checks/causes.ts";
export { type CheckRow, countOwnFacets, listCheckPage } from "./listings/actions.ts";
export { type FacetCount, type ListSort, listSorts } from "./listings/listing-store.ts";
export { slotCount, slotMs } from "./listings/state-bar.ts";
export { type CheckWithRuns, listNewestRuns, type NewestRun } from "./newest-run-store.ts";
export { addStateRoutes } from "./routes.ts";
export type { CheckState, KnownState, LocationState } from "./state.ts";
export {
  deleteStateChangesBefore,
  insertStateChanges,
  type StateChangeRecord,
} from "./state-change-store.ts";
export { listOwnStateChanges, listStateSpans, type StateSpan } from "./state-changes/history.ts";
export { Status } from "./state-changes/schema.ts";
export { recordDecision, type StateDecision } from "./state-decision.ts";
export {
  findLastResultTimes,
  listLastRuns,
  listLastRunsOf,
  lockStates,
  saveStates,
} from "./state-store.ts";
export { type ExplainedState, overviewStatuses } from "./statuses/overview.ts";
