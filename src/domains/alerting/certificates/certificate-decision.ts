import type { HoldReason } from "../alert-rules.ts";

/** One certificate of one check, and who wants to know. */
export interface CertificateCase {
  readonly expiresAtMs: number;
  /** The lowest threshold in days that was told; -1: that it has expired; null: nothing. */
  readonly toldDays: number | null;
  /** The host still shows it. */
  readonly isCurrent: boolean;
  /** The check asks for alerts, and about this host. */
  readonly isWanted: boolean;
  readonly hold: HoldReason | null;
  readonly alertThreshold: number;
  readonly channels: readonly { readonly id: number; readonly sslExpiryThreshold: number }[];
  /** When another certificate of the same host was told of. */
  readonly otherSoonToldAtMs: number | null;
  readonly otherExpiredToldAtMs: number | null;
}

export type CertificateDecision = {
  /** When something may have changed. */
  readonly lookAtMs: number;
} & (
  | {
      readonly kind: "tell";
      readonly reason: "certificate-expires" | "certificate-expired";
      readonly channelIds: readonly number[];
      readonly toldDays: number;
    }
  /** People know already, by another certificate of the same host. */
  | { readonly kind: "known"; readonly toldDays: number }
  | { readonly kind: "wait"; readonly reason: HoldReason | "not-due" | "unwanted" | "replaced" }
);

const dayMs = 86_400_000;
/** Settings and channels may change meanwhile. */
const maxWaitMs = 3_600_000;
const heldWaitMs = 600_000;
/** After its expiry was told there is nothing left to tell. */
const doneWaitMs = 365 * dayMs;
/** Several servers behind one name, and servers that show a new one each time, are told once. */
const quietMs = dayMs;

export const toldExpired = -1;

/** Pure. Once for each threshold that is crossed, and once when it has expired. */
export function decideOnCertificate(one: CertificateCase, nowMs: number): CertificateDecision {
  const wait = (reason: "not-due" | "unwanted" | "replaced" | HoldReason, ms = maxWaitMs) =>
    ({ kind: "wait", reason, lookAtMs: nowMs + ms }) as const;
  if (one.toldDays === toldExpired) return wait("not-due", doneWaitMs);
  if (!one.isWanted) return wait("unwanted");
  if (!one.isCurrent) return wait("replaced");
  const due = findDue(one, nowMs);
  if (due === null) return { ...wait("not-due"), lookAtMs: findNextMs(one, nowMs) };
  if (one.hold !== null) return wait(one.hold, heldWaitMs);
  const { reason, toldDays, channelIds } = due;
  const isExpired = reason === "certificate-expired";
  const otherAtMs = isExpired ? one.otherExpiredToldAtMs : one.otherSoonToldAtMs;
  const lookAtMs = isExpired ? nowMs + doneWaitMs : findNextMs({ ...one, toldDays }, nowMs);
  if (one.toldDays === null && otherAtMs !== null && nowMs - otherAtMs < quietMs) {
    return { kind: "known", toldDays, lookAtMs };
  }
  return { kind: "tell", reason, channelIds, toldDays, lookAtMs };
}

/** The days before expiry from which on a channel is told: what it and the check both want. */
function thresholdOf(one: CertificateCase, channel: CertificateCase["channels"][number]): number {
  return Math.min(one.alertThreshold, channel.sslExpiryThreshold);
}

function findDue(one: CertificateCase, nowMs: number) {
  const { channels, expiresAtMs, toldDays } = one;
  if (channels.length === 0) return null;
  if (nowMs >= expiresAtMs) {
    const channelIds = channels.map(({ id }) => id);
    return { reason: "certificate-expired" as const, toldDays: toldExpired, channelIds };
  }
  const due = channels.filter((channel) => {
    const days = thresholdOf(one, channel);
    return nowMs >= expiresAtMs - days * dayMs && (toldDays === null || days < toldDays);
  });
  if (due.length === 0) return null;
  return {
    reason: "certificate-expires" as const,
    toldDays: Math.min(...due.map((channel) => thresholdOf(one, channel))),
    channelIds: due.map(({ id }) => id),
  };
}

function findNextMs(one: CertificateCase, nowMs: number): number {
  const moments = [
    one.expiresAtMs,
    ...one.channels.map((channel) => one.expiresAtMs - thresholdOf(one, channel) * dayMs),
  ].filter((moment) => moment > nowMs);
  return Math.min(nowMs + maxWaitMs, ...moments);
}
