/**
 * Decides when to send alerts. The `recording` domain queues the final runs that may cause an
 * alert. The *decider* evaluates queued runs and due times and creates *alerts*, which are sent or
 * held with a reason. An alert becomes one *delivery* per channel, which is retried until it is
 * delivered or dead-lettered. Tables: alert_states, alerts, deliveries, account_alert_settings,
 * check_parents, owed_incidents, alert_acknowledgements, alert_responses, channel_windows, mutes,
 * on_call_preferences, page_storms, shift_mail_cursors, shift_mails.
 */
export { acknowledgeCheck, listOpenAlerts } from "./acknowledgements/actions.ts";
export {
  escalateCheck,
  noFurtherStep,
  prepareResponse,
  reassignCheck,
  snoozeCheck,
  snoozeMinutes,
} from "./acknowledgements/responses.ts";
export {
  type CheckAlertSummary,
  mapAlertSummaries,
  unnotifiedReasons,
} from "./alert-summaries/alert-summaries.ts";
export type { BackTestAlert } from "./back-tests/back-test.ts";
export { backTestChecks } from "./back-tests/back-tests.ts";
export { createAlertMetrics, type DeciderContext, type DelivererContext } from "./context.ts";
export { type CheckAlert, listSentAlerts } from "./decider-store.ts";
export { addReachMetrics, listReachFaults } from "./duty/warnings.ts";
export { startAlertingLoops } from "./loops.ts";
export { muteTargets } from "./mutes/actions.ts";
export { listOwnReceipts } from "./notifications/notifications.ts";
export { pageSomebody, preparePage } from "./pages/manual-pages.ts";
export { createOnCallPages } from "./pages/paged-members.ts";
export { addAlertingRoutes } from "./routes.ts";
export { findPolicyUses, readSettings, selectAccountPolicy } from "./settings/settings.ts";
