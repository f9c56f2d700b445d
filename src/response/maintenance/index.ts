/**
 * Manages planned maintenance. A *window* opens once, or repeatedly at the same local time. Each
 * opening is an *occurrence*, which people can move, cancel, start, end and comment on. An open
 * window silences the alerts of checks that it names directly or by group or tag. A window can also
 * prevent checks from opening incidents, and its *visibility* decides how status pages show and
 * announce it. Tables: maintenance_windows, maintenance_announcements, maintenance_updates.
 */
export {
  changeWindow,
  createWindow,
  listMaintenanceOccurrences,
  listOwnWindows,
  type MaintenanceOccurrence,
  removeWindow,
} from "./actions.ts";
export { startMaintenanceLoops } from "./announcer.ts";
export { addMaintenanceCalendarRoutes } from "./calendar.ts";
export {
  appliesTo,
  isInWindow,
  type Labels,
  type MaintenanceWindow,
} from "./maintenance-window.ts";
export { isInSpans, listMaintenanceSpans, listOccurrences } from "./occurrence.ts";
export { addOccurrenceRoutes } from "./occurrences/routes.ts";
export type { MaintenanceContext } from "./planned-window.ts";
export { suppressesIncidentsOf } from "./planned-window.ts";
export { listPublicMaintenance, type PublicMaintenance } from "./public-maintenance.ts";
export { addWindowRoutes } from "./routes.ts";
export { fromWireWindow, toWireWindow, WindowBody } from "./schema.ts";
export {
  listSuppressingWindows,
  listWindowsOf,
  type SuppressingWindow,
} from "./windows-of-accounts-store.ts";
