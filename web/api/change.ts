/**
 * Types of the change notifications in the event stream. They identify the changed objects but do
 * not contain them.
 */

export interface Change {
  /** Event name, a dot, and what happened, such as `check.changed`. */
  readonly type: string;
  /** Ids of the changed objects; `null` if many objects changed. */
  readonly ids: readonly string[] | null;
}

export type EventName =
  | "account"
  | "alert"
  | "alert-channel"
  | "alert-settings"
  | "alert-source"
  | "annotation"
  | "api-key"
  | "backup"
  | "check"
  /**
   * New results arrive constantly. If they caused the event `check`, every query about checks would
   * be re-fetched, so they have a separate event.
   */
  | "check.result"
  | "check-group"
  | "check-parents"
  | "client-certificate"
  | "dashboard"
  | "delivery"
  | "incident"
  | "incident-note"
  | "incident-post-mortem"
  | "incident-template"
  | "incident-update"
  | "import"
  | "invite"
  | "maintenance-window"
  | "escalation-policy"
  | "member"
  | "mute"
  | "on-call-override"
  | "on-call-schedule"
  | "on-call-swap"
  | "private-location"
  | "probe"
  | "probe-key"
  | "project"
  | "push-address"
  | "runtime"
  | "service"
  | "status-page"
  | "status-page-component"
  | "status-page-rule"
  | "subscription"
  | "snippet"
  | "variable"
  | "view";

/** Events that change the settings, state or statistics of a check. */
export const checkEvents: readonly EventName[] = [
  "check",
  "check.result",
  "check-group",
  "check-parents",
  "annotation",
  "alert",
  "delivery",
];

declare module "@tanstack/react-query" {
  interface Register {
    /** `events` lists the changes after which the query is fetched again. */
    queryMeta: { readonly events?: readonly EventName[] };
  }
}
