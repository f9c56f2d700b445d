/**
 * When to tell somebody. Final runs that matter are rows that `runs` leaves here; the *decider*
 * turns them, and the passing of time, into *alerts*, told or held back with a named reason; an
 * alert becomes one *delivery* per channel, a row until it is delivered or given up.
 * Tables: notable_runs, alert_states, alerts, deliveries, account_alert_settings, check_parents,
 * owed_incidents.
 */
export { acknowledgeCheck, listOpenAlerts } from "./acknowledgements/actions.ts";
export { type AlertMetrics, createAlertMetrics } from "./alert-metrics.ts";
export type { AlertingContext } from "./context.ts";
export { startAlertingLoops } from "./loops.ts";
export { listOwnReceipts } from "./notifications/actions.ts";
export { addAlertingRoutes } from "./routes.ts";
