import type { Access } from "../accounts/index.ts";

/** What a notification says: of which account, about what, and which of it; null: many. */
export interface Announcement {
  readonly accountId: string;
  readonly topic: string;
  readonly ids: readonly string[] | null;
}

/** Null for a text that no trigger of ours wrote. */
export function readAnnouncement(text: string): Announcement | null {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(said)) return null;
  const [accountId, topic, ids] = said;
  if (typeof accountId !== "string" || typeof topic !== "string") return null;
  const isList = Array.isArray(ids) && ids.every((id) => typeof id === "string");
  return { accountId, topic, ids: isList ? ids : null };
}

export interface Change {
  readonly type: string;
  readonly ids: readonly string[] | null;
  /** Who may hear of it: whoever may read the thing itself. */
  readonly access: Extract<Access, "read" | "admin">;
}

/**
 * What the audit log names, by the first word of its actions: the same word is the type of the
 * change. Null: nothing that a reader could look at has changed. The account itself is its owner's
 * name for it, so that its id says all.
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
  dashboard: "read",
  incident: "read",
  "incident-note": "read",
  "incident-post-mortem": "read",
  "incident-template": "read",
  "incident-update": "read",
  invite: "admin",
  "maintenance-window": "read",
  member: "read",
  passkey: null,
  "private-location": "read",
  probe: "read",
  "probe-key": "read",
  "push-subscription": null,
  "recovery-codes": null,
  service: "read",
  session: null,
  "sign-in-link": null,
  "status-page": "read",
  subscription: "admin",
  totp: null,
  user: null,
  variable: "read",
  view: "read",
};

const goneWords = new Set(["deleted", "withdrawn", "revoked", "removed"]);
/** Of a check that was only tried nothing is stored. */
const emptyActions = new Set(["check.tried"]);

/** Null when the change is of no interest to anybody who looks at the account. */
export function toChange({ topic, ids }: Announcement): Change | null {
  const [source = "", action = ""] = topic.split(" ");
  if (source !== "audit") return { type: topic, ids, access: "read" };
  const [thing = "", word = ""] = action.split(".");
  // A thing that this list does not know yet is told to those who may read the audit log.
  const access = thing in auditedThings ? auditedThings[thing] : "admin";
  if (access === null || access === undefined || emptyActions.has(action)) return null;
  return { type: `${thing}.${goneWords.has(word) ? "deleted" : "changed"}`, ids, access };
}
