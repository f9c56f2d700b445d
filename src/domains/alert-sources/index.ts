/**
 * Alerts of other monitors. A *source* is a monitor, such as an Alertmanager, that sends its
 * *notifications* to an address with a secret token. Each of its *alert groups* becomes a check,
 * whose runs are the notifications, so that alerts of both kinds are handled alike.
 * Tables: alert_sources, alert_source_groups.
 */
export { createSourceLimits, type SourcesContext } from "./intake.ts";
export { addSourceRoutes } from "./sources.ts";
