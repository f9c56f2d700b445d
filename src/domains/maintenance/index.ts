/**
 * Planned maintenance. A *window* opens once or recurs at the same local time; each opening is an
 * *occurrence*. An open window silences the alerts of checks that share one of its tags, may keep
 * checks from opening incidents, and is shown and announced on status pages if its *visibility*
 * says so.
 * Tables: maintenance_windows, maintenance_announcements.
 */
export { listOwnWindows } from "./actions.ts";
export type { MaintenanceContext } from "./context.ts";
export { startMaintenanceLoops } from "./loops.ts";
export { listMaintenanceMoments, type MaintenanceMoment } from "./maintenance-moments.ts";
export { isInSpans, listMaintenanceSpans, listOccurrences } from "./maintenance-spans.ts";
export { appliesTo, isInWindow, type MaintenanceWindow } from "./maintenance-window.ts";
export { suppressesIncidentsOf } from "./page-visibility.ts";
export { listPublicMaintenance, type PublicMaintenance } from "./public-maintenance.ts";
export { addWindowRoutes } from "./routes.ts";
export {
  listSuppressingWindows,
  listWindowsOf,
  type SuppressingWindow,
} from "./schedule-store.ts";
