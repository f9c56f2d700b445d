/**
 * When to send. `runs` queues the final runs that may matter; the *decider* turns them, and the
 * passing of time, into *alerts*, which are sent or held with a named reason. An alert becomes one
 * *delivery* per channel, retried until it is delivered or given up.
 * Tables: alert_states, alerts, deliveries, account_alert_settings, check_parents,
 * owed_incidents, alert_acknowledgements, channel_windows.
 */
export { acknowledgeCheck, listOpenAlerts } from "./acknowledgements/actions.ts";
export { createAlertMetrics } from "./alert-metrics.ts";
export { type CheckAlertNews, mapAlertNews } from "./alert-news/actions.ts";
export { untoldReasons } from "./alert-news/untold.ts";
export type { DeciderContext, DelivererContext } from "./context.ts";
export { startAlertingLoops } from "./loops.ts";
export { listOwnReceipts } from "./notifications/actions.ts";
export { type CheckAlert, listSentAlerts } from "./notifications/check-alert-store.ts";
export { addAlertingRoutes } from "./routes.ts";
