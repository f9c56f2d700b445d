/** The content of an alert before a channel formats it. */
import type { Fact } from "../../kinds/presentation.ts";

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
  /** Identical in every attempt to deliver the same message to the same channel. */
  readonly idempotencyKey: string;
  readonly kind: AlertKind;
  readonly title: string;
  /** The reason in one sentence. */
  readonly reason: string;
  readonly checkId: string;
  readonly checkName: string;
  readonly checkType: string;
  readonly target: string;
  readonly groupName: string | null;
  readonly tags: readonly string[];
  readonly resultId: string | null;
  /** URL of the run in the application, or of another page about the alert. */
  readonly resultUrl: string | null;
  /** URL of the alert in the application. Missing in messages stored before the field existed. */
  readonly alertUrl?: string | null;
  readonly location: string | null;
  readonly responseTimeMs: number | null;
  /** Measured values of the run, named by its kind. */
  readonly facts: readonly Fact[];
  /** When the reported state began (ISO 8601). */
  readonly startedAt: string;
  /** Set on a recovery: duration of the problem; `null` if unknown. */
  readonly lastedSeconds?: number | null;
  readonly isReminder: boolean;
  readonly reminderSequence: number;
  /** Set on a digest: the messages it combines, in the order in which they were decided. */
  readonly digest?: readonly AlertMessage[];
  /** Set if the alert is about a certificate. */
  readonly certificate?: CertificateNotice;
  /** URL of the confirmation page; `null` if there is nothing to acknowledge. */
  readonly acknowledgeUrl: string | null;
}

export interface CertificateNotice {
  readonly host: string;
  readonly issuer: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** Whole days; negative if it has expired. */
  readonly daysLeft: number;
}

/** Queued messages stored before the field existed have no facts. */
export type StoredMessage = Omit<AlertMessage, "facts"> & Partial<Pick<AlertMessage, "facts">>;
