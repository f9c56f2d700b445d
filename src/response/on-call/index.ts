/**
 * Decides who is on call. A *schedule* has *layers*, in which *participants* take *turns*. If
 * several layers have a participant on call, the highest layer applies. An *override* puts one
 * person, or nobody, on call above all layers for a time, and a *swap* is a pair of overrides that
 * another person accepts. Rendering returns *shifts*: spans in which one person, or nobody, is on
 * call. A *gap* is a time when nobody is on call. Tables: on_call_schedules,
 * on_call_schedule_versions, on_call_overrides, on_call_swaps, on_call_feeds.
 */
export {
  findPersonOnCall,
  listOnCall,
  loadPeopleOnCall,
  type PeopleOnCall,
  type PersonOnCall,
} from "./actions.ts";
export { scheduleDefinitions } from "./definitions.ts";
export {
  addGapMetrics,
  keepRead,
  listAccountGaps,
  listGapWarnings,
} from "./gap-watch.ts";
export { addOnCallImportRoute } from "./imports/import.ts";
export { getZone } from "./local-time.ts";
export { formatZoned, mapPeople, renderEverySchedule, sumTimeOnCall } from "./plans.ts";
export { joinTurns } from "./rendering.ts";
export { addOnCallRoutes } from "./routes.ts";
export type { Shift } from "./schedule.ts";
export { listEverySchedule, listWatchedAccounts, mapMemberIds } from "./store.ts";
