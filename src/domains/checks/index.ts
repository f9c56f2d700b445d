/**
 * Definitions of checks. A *check* defines a target and how to test it. A *group* may override some
 * settings of its members. The module `schedule` runs the watched checks, and `recording` writes back
 * the status of each.
 * Tables: checks, check_groups, saved_views. Views: checks_with_period, checks_with_group.
 */
export {
  type ChecksContext,
  changeCheck,
  createCheck,
  getCheck,
  prepareUnsaved,
  proposeCheck,
} from "./actions.ts";
export {
  type AlertSettings,
  AlertSettingsSchema,
  certificateSettingsOf,
  defaultAlertSettings,
  type TriggerIncident,
} from "./alert-settings.ts";
export { findBodyFault } from "./body-faults.ts";
export { type Check, type CheckStatus, placesOf } from "./check.ts";
export { AnyCheckBody, checkBodyOf, parseCheckChange, parseNewCheck } from "./check-bodies.ts";
export type { CheckGroup } from "./check-group.ts";
export type { CheckInput, CheckSettings } from "./check-settings.ts";
export { getGroup, listOwnGroups } from "./groups/actions.ts";
export {
  type ListFacts,
  type ListFilter,
  type ListState,
  ListStateSchema,
  listFilterFields,
} from "./list-filter.ts";
export { facetFields, joinConditions, writeListSql } from "./list-filter-store.ts";
export {
  countPlaceUses,
  fillMissingTargets,
  findCheckThatTriggers,
  type LabelledCheck,
  type LabelSet,
  listChecksAtPlace,
  listLabelledChecks,
  listLabelSets,
  listSealedInChecks,
  mapCertificateDomains,
  mapGroupNames,
  renamePlace,
} from "./lookup-store.ts";
export { addCheckRoutes } from "./routes.ts";
export { assertMayRedefine } from "./sending-guard.ts";
export {
  countCheckStatuses,
  holdChecks,
  listAccountCheckIds,
  listChecks,
  listWatchedByToken,
  listWatchedChecks,
  listWatchedIdsAfter,
  listWatchedKinds,
  mapCheckNames,
  saveCheckStatusesBy,
  type WatchedCheck,
} from "./store.ts";
