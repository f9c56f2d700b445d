import type { Access } from "../accounts/index.ts";

/** A parsed notification: account, topic and ids; `ids` is `null` for many. */
export interface Announcement {
  readonly accountId: string;
  readonly topic: string;
  readonly ids: readonly string[] | null;
}

/** Returns `null` for a text that our triggers did not write. */
export function readAnnouncement(text: string): Announcement | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(parsed)) return null;
  const [accountId, topic, ids] = parsed;
  if (typeof accountId !== "string" || typeof topic !== "string") return null;
  const isList = Array.isArray(ids) && ids.every((id) => typeof id === "string");
  return { accountId, topic, ids: isList ? ids : null };
}

export interface Change {
  readonly type: string;
  readonly ids: readonly string[] | null;
  /** The access that is required to receive the change. */
  readonly access: Extract<Access, "read" | "admin">;
}

/**
 * Maps the first word of an audit action, which is also the type of the change, to the required
 * access. `null` if the change is not visible to readers.
 */
export const auditedThings: Readonly<Record<string, Change["access"] | null>> = {
  account: "read",
  "agent-action": null,
  alert: "read",
  "alert-channel": "read",
  "alert-notification": null,
  "alert-settings": "read",
  annotation: "read",
  "api-key": "admin",
  "audit-log": null,
  backup: "admin",
  check: "read",
  "check-group": "read",
  "check-parents": "read",
  "check-session": null,
  "client-certificate": "read",
  "contact-method": null,
  dashboard: "read",
  deployment: null,
  incident: "read",
  "incident-note": "read",
  "incident-post-mortem": "read",
  "incident-template": "read",
  "incident-update": "read",
  import: "read",
  invite: "admin",
  "maintenance-window": "read",
  member: "read",
  mute: "read",
  "notification-rules": null,
  "on-call-feed": null,
  "on-call-override": "read",
  "on-call-page": null,
  "on-call-schedule": "read",
  "on-call-swap": "read",
  passkey: null,
  "private-location": "read",
  probe: "read",
  "probe-key": "read",
  project: "read",
  "push-address": "read",
  "push-subscription": null,
  "recovery-codes": null,
  "run-trigger": null,
  runtime: "read",
  service: "read",
  session: null,
  "sign-in-link": null,
  snippet: "read",
  "status-page": "read",
  "status-page-component": "read",
  "status-page-rule": "read",
  subscription: "admin",
  "test-session": null,
  totp: null,
  user: null,
  variable: "read",
  view: "read",
};

const goneWords = new Set(["deleted", "withdrawn", "revoked", "removed"]);
/** A trial run of a check stores nothing. */
const emptyActions = new Set(["check.tried"]);

/** Returns `null` if the change is not visible to any reader. */
export function toChange({ topic, ids }: Announcement): Change | null {
  const [source = "", action = ""] = topic.split(" ");
  if (source !== "audit") return { type: topic, ids, access: "read" };
  const [thing = "", word = ""] = action.split(".");
  // Unknown types are sent to callers who may read the audit log.
  const access = thing in auditedThings ? auditedThings[thing] : "admin";
  if (access === null || access === undefined || emptyActions.has(action)) return null;
  return { type: `${thing}.${goneWords.has(word) ? "deleted" : "changed"}`, ids, access };
}
