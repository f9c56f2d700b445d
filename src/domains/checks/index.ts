/**
 * Definitions of checks. A *check* defines a target and how to test it. A *group* may override some
 * settings of its members. The module `schedule` runs the watched checks, and `recording` writes back
 * the status of each.
 * Tables: checks, check_groups, saved_views.
 */

export { changeCheck, createCheck, getCheck, prepareUnsaved, proposeCheck } from "./actions.ts";
export {
  type AlertSettings,
  AlertSettingsSchema,
  certificateSettingsOf,
  defaultAlertSettings,
  type TriggerIncident,
} from "./alert-settings.ts";
export { mapCertificateDomains } from "./certificate-domain-store.ts";
export { type Check, type CheckStatus, placesOf } from "./check.ts";
export { AnyCheckBody, checkBodyOf, parseCheckChange, parseNewCheck } from "./check-bodies.ts";
export { applyGroupSettings, type CheckGroup } from "./check-group.ts";
export { type CheckInput, type CheckSettings, withoutSchedule } from "./check-settings.ts";
export type { ChecksContext } from "./context.ts";
export { checkRows, groupedCheckRows } from "./fragment-store.ts";
export { listOwnGroups } from "./groups/actions.ts";
export {
  type LabelledCheck,
  type LabelSet,
  listLabelledChecks,
  listLabelSets,
  mapGroupNames,
} from "./label-store.ts";
export {
  type ListFacts,
  type ListFilter,
  type ListState,
  listStates,
} from "./lists/list-filter.ts";
export { facetFields, joinConditions, writeListSql } from "./lists/list-filter-store.ts";
export { ListState as ListStateSchema, listFilterFields } from "./lists/schema.ts";
export { countPlaceUses, listChecksAtPlace, renamePlace } from "./place-store.ts";
export { addCheckRoutes } from "./routes.ts";
export { listSealedInChecks } from "./sealed-store.ts";
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
export { fillMissingTargets } from "./target-store.ts";
export { findCheckThatTriggers } from "./trigger-incident-store.ts";
