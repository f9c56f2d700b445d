/**
 * Receives alerts of external monitors. A *source* is a monitor, such as an Alertmanager, that
 * sends *notifications* to an address with a secret token. Each *alert group* of a source becomes a
 * check, and each notification becomes a run of that check, so that alerts of external monitors are
 * processed like alerts of checks. Tables: alert_sources, alert_source_groups.
 */
export { createSourceLimits, type SourcesContext } from "./intake.ts";
export { addSourceRoutes } from "./sources.ts";
