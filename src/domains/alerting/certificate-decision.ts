import type { HoldReason } from "./alert-rules.ts";

/** One certificate of one check and the channels that receive its alerts. */
export interface CertificateCase {
  readonly expiresAtMs: number;
  /** Lowest threshold in days that was notified; -1 if the expiry was, `null` if none was. */
  readonly notifiedDays: number | null;
  /** True if the host still presents the certificate. */
  readonly isCurrent: boolean;
  /** True if certificate alerts are enabled for the check and this host. */
  readonly isEnabled: boolean;
  readonly hold: HoldReason | null;
  readonly alertThreshold: number;
  readonly channels: readonly { readonly id: number; readonly sslExpiryThreshold: number }[];
  /** When an alert about another certificate of the same host was sent. */
  readonly otherSoonNotifiedAtMs: number | null;
  readonly otherExpiredNotifiedAtMs: number | null;
}

export type CertificateDecision = {
  /** When the certificate must be evaluated again. */
  readonly evaluateAtMs: number;
} & (
  | {
      readonly kind: "notify";
      readonly reason: "certificate-expires" | "certificate-expired";
      readonly channelIds: readonly number[];
      readonly notifiedDays: number;
    }
  /** An alert about another certificate of the same host was already sent. */
  | { readonly kind: "already-notified"; readonly notifiedDays: number }
  | { readonly kind: "wait"; readonly reason: HoldReason | "not-due" | "disabled" | "replaced" }
);

const dayMs = 86_400_000;
/** Settings and channels may change in the meantime. */
const maxWaitMs = 3_600_000;
const heldWaitMs = 600_000;
/** After the expiry alert no further alert is sent. */
const doneWaitMs = 365 * dayMs;
/**
 * At most one alert per host and day: several servers may share a name, and some servers present a
 * new certificate on each connection.
 */
const minIntervalMs = dayMs;

export const notifiedExpired = -1;

/** Sends one alert for each threshold that is crossed and one when the certificate has expired. */
export function decideOnCertificate(one: CertificateCase, nowMs: number): CertificateDecision {
  const wait = (reason: "not-due" | "disabled" | "replaced" | HoldReason, ms = maxWaitMs) =>
    ({ kind: "wait", reason, evaluateAtMs: nowMs + ms }) as const;
  if (one.notifiedDays === notifiedExpired) return wait("not-due", doneWaitMs);
  if (!one.isEnabled) return wait("disabled");
  if (!one.isCurrent) return wait("replaced");
  const due = findDue(one, nowMs);
  if (due === null) return { ...wait("not-due"), evaluateAtMs: findNextMs(one, nowMs) };
  if (one.hold !== null) return wait(one.hold, heldWaitMs);
  const { reason, notifiedDays, channelIds } = due;
  const isExpired = reason === "certificate-expired";
  const otherAtMs = isExpired ? one.otherExpiredNotifiedAtMs : one.otherSoonNotifiedAtMs;
  const evaluateAtMs = isExpired ? nowMs + doneWaitMs : findNextMs({ ...one, notifiedDays }, nowMs);
  if (one.notifiedDays === null && otherAtMs !== null && nowMs - otherAtMs < minIntervalMs) {
    return { kind: "already-notified", notifiedDays, evaluateAtMs };
  }
  return { kind: "notify", reason, channelIds, notifiedDays, evaluateAtMs };
}

/** Days before expiry at which a channel is alerted: the lower threshold of channel and check. */
function thresholdOf(one: CertificateCase, channel: CertificateCase["channels"][number]): number {
  return Math.min(one.alertThreshold, channel.sslExpiryThreshold);
}

function findDue(one: CertificateCase, nowMs: number) {
  const { channels, expiresAtMs, notifiedDays } = one;
  if (channels.length === 0) return null;
  if (nowMs >= expiresAtMs) {
    const channelIds = channels.map(({ id }) => id);
    return { reason: "certificate-expired" as const, notifiedDays: notifiedExpired, channelIds };
  }
  const due = channels.filter((channel) => {
    const days = thresholdOf(one, channel);
    return nowMs >= expiresAtMs - days * dayMs && (notifiedDays === null || days < notifiedDays);
  });
  if (due.length === 0) return null;
  return {
    reason: "certificate-expires" as const,
    notifiedDays: Math.min(...due.map((channel) => thresholdOf(one, channel))),
    channelIds: due.map(({ id }) => id),
  };
}

function findNextMs(one: CertificateCase, nowMs: number): number {
  const times = [
    one.expiresAtMs,
    ...one.channels.map((channel) => one.expiresAtMs - thresholdOf(one, channel) * dayMs),
  ].filter((time) => time > nowMs);
  return Math.min(nowMs + maxWaitMs, ...times);
}
