/**
 * The state of every check. A *state* is computed from the verdicts of the newest runs. It is
 * unknown if no result arrived for two periods. Each *state change* is stored with a *decision*
 * that explains it. The module also provides lists of checks by state, failing checks, history and
 * badges. Tables: check_states, state_changes.
 */

export {
  type CheckOverview,
  type CheckWithRuns,
  countCheckStatuses,
  type FollowedCheck,
  listCheckOverviews,
  listFollowedChecks,
  listNewestRuns,
  type NewestRun,
} from "./check-state-store.ts";
export {
  expireOldState,
  listSilentChecks,
  mapCurrentStatuses,
  type StatesContext,
} from "./current-status.ts";
export {
  type FailingCheck,
  listFailingCauses,
  listFailingChecks,
} from "./failing-checks/actions.ts";
export {
  type CheckRow,
  countOwnFacets,
  listCheckPage,
  slotCount,
  slotMs,
} from "./listings/actions.ts";
export { type FacetCount, type ListSort, listSorts } from "./listings/listing-store.ts";
export { addStateRoutes, Status } from "./routes.ts";
export { type CheckState, recordDecision, type StateDecision } from "./state.ts";
export {
  deleteStateChangesBefore,
  insertStateChanges,
  type StateChangeRecord,
} from "./state-change-store.ts";
export { listOwnStateChanges, listStateSpans, type StateSpan } from "./state-changes/history.ts";
export {
  findLastResultTimes,
  findState,
  listLastRuns,
  listLastRunsOf,
  listPassingPlaces,
  lockStates,
  saveStates,
} from "./state-store.ts";
export { type ExplainedState, overviewStatuses } from "./statuses/actions.ts";
