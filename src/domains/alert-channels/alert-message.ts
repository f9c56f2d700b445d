/** What an alert says, before a channel formats it. */
import type { Fact } from "../../kinds/kind.ts";

export const alertKinds = [
  "ALERT_FAILURE",
  "ALERT_FAILURE_REMAIN",
  "ALERT_FAILURE_DEGRADED",
  "ALERT_RECOVERY",
  "ALERT_DEGRADED",
  "ALERT_DEGRADED_REMAIN",
  "ALERT_DEGRADED_FAILURE",
  "ALERT_DEGRADED_RECOVERY",
  "ALERT_NO_DATA",
  "ALERT_SSL",
  "ALERT_TEST",
] as const;
export type AlertKind = (typeof alertKinds)[number];

export interface AlertMessage {
  /** The same in every attempt to deliver the same message to the same channel. */
  readonly idempotencyKey: string;
  readonly kind: AlertKind;
  readonly title: string;
  /** Why, in one sentence. */
  readonly reason: string;
  readonly checkId: string;
  readonly checkName: string;
  readonly checkType: string;
  readonly target: string;
  readonly groupName: string | null;
  readonly tags: readonly string[];
  readonly resultId: string | null;
  /** The run in the application, or another page that shows what the alert is about. */
  readonly resultUrl: string | null;
  /** The story of the alert in the application; not in messages that are older than the field. */
  readonly alertUrl?: string | null;
  readonly location: string | null;
  readonly responseTimeMs: number | null;
  /** Figures of the run, named by its kind. */
  readonly facts: readonly Fact[];
  /** When the reported state began; ISO 8601. */
  readonly startedAt: string;
  /** Of a recovery: how long the trouble lasted; null if it is not known. */
  readonly lastedSeconds?: number | null;
  readonly isReminder: boolean;
  readonly reminderSequence: number;
  /** Of a message about several alerts: theirs, in the order in which they were decided. */
  readonly digest?: readonly AlertMessage[];
  /** Where the alert is about a certificate. */
  readonly certificate?: CertificateNotice;
  /** A page that asks for confirmation; null when there is nothing to acknowledge. */
  readonly acknowledgeUrl: string | null;
}

export interface CertificateNotice {
  readonly host: string;
  readonly issuer: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** Whole days; negative: it has expired. */
  readonly daysLeft: number;
}

/** A message from before there were facts may still be waiting. */
export type StoredMessage = Omit<AlertMessage, "facts"> & Partial<Pick<AlertMessage, "facts">>;
