/**
 * The state of every check. A *state* is the verdict of the newest runs, by the rule of the check;
 * it is unknown if no result was received for two periods. A *state change* is stored with the
 * *decision* that explains it. Lists of checks by state, failing checks, history and badges.
 * Tables: check_states, state_changes.
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
