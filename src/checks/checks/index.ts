/**
 * Definitions of checks. A *check* defines a target and how to test it. A *group* may override some
 * settings of its checks. The module `schedule` runs the checks, and `recording` stores their
 * status in the tables of this module. Tables: checks, check_groups, saved_views. Views:
 * checks_with_period, checks_with_group, group_labels.
 */
export {
  type ChecksContext,
  changeCheck,
  createCheck,
  getCheck,
  prepareUnsaved,
  proposeCheck,
  readUnsaved,
  type UnsavedCheck,
} from "./actions.ts";
export {
  AlertSettingsSchema,
  defaultAlertSettings,
  type TriggerIncident,
} from "./alert-settings.ts";
export type { Check } from "./check.ts";
export { checkBodies } from "./check-bodies.ts";
export type { CheckInput, CheckSettings } from "./check-settings.ts";
export { embedSharedFiles, parseClientCheck, SharedFiles } from "./client-bodies.ts";
export { definitions } from "./definitions.ts";
export { getGroup, listOwnGroups } from "./groups/groups.ts";
export {
  facetFields,
  type ListFacts,
  type ListFilter,
  listFilterFields,
  writeListSql,
} from "./list-filter-store.ts";
export {
  type CheckPolicy,
  checksOfPlaces,
  fillMissingTargets,
  findCheckPolicyId,
  findCheckThatTriggers,
  listCheckPolicies,
  listChecksAtPlace,
  listPolicyUsers,
  listSealedInChecks,
  listUsedBundles,
  mapCertificateDomains,
} from "./lookup-store.ts";
export { addCheckRoutes } from "./routes.ts";
export { createRedefinitionGuard } from "./sending-guard.ts";
export {
  holdChecks,
  listAccountCheckIds,
  listChecks,
  listWatchedByToken,
  listWatchedChecks,
  mapCheckNames,
  saveCheckStatusesBy,
  type WatchedCheck,
} from "./store.ts";
