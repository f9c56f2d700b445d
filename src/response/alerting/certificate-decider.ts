import { randomUUIDv7 } from "node:crypto";
import { type AlertMessage, mapChannels } from "../../channels/alert-channels/index.ts";
import { mapCertificateDomains } from "../../checks/checks/index.ts";
import { writeExpiry } from "../../kinds/wire/tls/tls-document.ts";
import { computeDaysLeft } from "../../kinds/wire/tls/tls-facts.ts";
import { formatRunUrl } from "../../pages/screens.ts";
import type { Database } from "../../platform/database.ts";
import { toShortLine } from "../../platform/text/clip.ts";
import {
  type CertificateEvaluation,
  type DueCertificate,
  listChecksWithDueCertificates,
  lockDueCertificates,
  postponeCertificates,
  saveCertificateEvaluations,
} from "../../runs/recording/index.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import { type AddressedDelivery, applyQuietHours, createDelivery } from "./addressing.ts";
import { writeAlertUrl } from "./alert-message.ts";
import { findHold, type HoldReason } from "./alert-rules.ts";
import type { DeciderContext } from "./context.ts";
import { decideWithQuarantine } from "./decider.ts";
import { type Batch, type DecidedAlert, insertAlerts } from "./decider-store.ts";
import { type DecisionSnapshot, loadDecisionSnapshot, rulesFor } from "./decision-snapshot.ts";
import { insertDeliveries } from "./delivery-store.ts";
import { mapFirstChannelIds } from "./first-recipients.ts";

/** One certificate of one check and the channels that receive its alerts. */
export interface CertificateCase {
  readonly expiresAtMs: number;
  /**
   * Lowest expiry threshold that was already reported, in days before the expiry. The value is -1
   * if the expiry itself was reported, and `null` if nothing was reported yet.
   */
  readonly notifiedDays: number | null;
  /** True if the host still presents the certificate. */
  readonly isCurrent: boolean;
  /** True if certificate alerts are enabled for the check and this host. */
  readonly isEnabled: boolean;
  readonly hold: HoldReason | null;
  readonly alertThreshold: number;
  readonly channels: readonly { readonly id: number; readonly sslExpiryThreshold: number }[];
  /**
   * Time of the last alert that another certificate of the same host was about to expire; `null` if
   * there was none.
   */
  readonly otherSoonNotifiedAtMs: number | null;
  readonly otherExpiredNotifiedAtMs: number | null;
}

export type CertificateDecision = {
  /** When the certificate must be evaluated next. */
  readonly evaluateAtMs: number;
} & (
  | {
      readonly kind: "notify";
      readonly reason: "certificate-expires" | "certificate-expired";
      readonly channelIds: readonly number[];
      readonly notifiedDays: number;
    }
  /** An alert about another certificate of the same host was already sent within the last day. */
  | { readonly kind: "already-notified"; readonly notifiedDays: number }
  | { readonly kind: "wait"; readonly reason: HoldReason | "not-due" | "disabled" | "replaced" }
);

const dayMs = 86_400_000;
/** Maximum time until the next evaluation, because settings and channels may change. */
const maxWaitMs = 3_600_000;
const heldWaitMs = 600_000;
/** Delay until the next evaluation of an expired certificate, which causes no further alert. */
const doneWaitMs = 365 * dayMs;
/**
 * Minimum time between alerts about different certificates of one host. Several servers may share a
 * host name, and some servers present a new certificate on each connection.
 */
const minIntervalMs = dayMs;

export const notifiedExpired = -1;

/**
 * Decides whether an alert about a certificate is due: one alert for each threshold that is
 * crossed, and one alert when the certificate expires.
 */
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

/** Returns the expiry threshold in days: the lower one of the check and the channel. */
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

/** Certificate settings that apply if the alert settings do not contain `sslCertificates`. */
const defaultCertificateSettings = { enabled: true, alertThreshold: 30 };

/** Name under which a check is quarantined if the decisions on its certificates fail. */
const certificateWork = "decide on certificates";
/** A certificate counts as replaced if its host presented only others for at least this long. */
const replacedMs = 2 * 3_600_000;
/**
 * Delay until the certificates of a check are evaluated again if the evaluation and all its retries
 * have failed.
 */
const abandonedMs = 86_400_000;

/** Evaluates the certificates that are due. Returns their number. */
export function decideOnCertificates(context: DeciderContext): Promise<number> {
  return decideWithQuarantine(context, {
    name: certificateWork,
    decide: decideOnSome,
    listDue: listChecksWithDueCertificates,
    postpone: (db, checkId, retryAt) => {
      const givenUpAt = new Date(context.clock.now().getTime() + abandonedMs);
      return postponeCertificates(db, checkId, retryAt ?? givenUpAt);
    },
  });
}

type OwnedChannel = NonNullable<ReturnType<Awaited<ReturnType<typeof mapChannels>>["get"]>>;

interface Recipients {
  readonly channels: ReadonlyMap<string, readonly OwnedChannel[]>;
  /** Configured domain by check id. Only the certificate of this domain causes alerts. */
  readonly domains: ReadonlyMap<string, string>;
}

async function loadRecipients(db: Database, snapshot: DecisionSnapshot): Promise<Recipients> {
  const watched = [...snapshot.watched.values()];
  const findStages = (one: Watched) => rulesFor(snapshot, one).escalationStages;
  const channelIds = await mapFirstChannelIds(db, watched, findStages);
  const known = await mapChannels(db, [...new Set([...channelIds.values()].flat())]);
  const channels = watched.map(({ checkId, accountId }) => {
    const own = (channelIds.get(checkId) ?? [])
      .map((id) => known.get(id))
      .filter((channel) => channel !== undefined)
      .filter((channel) => channel.accountId === accountId && channel.sslExpiry);
    return [checkId, own] as const;
  });
  const ids = watched.map(({ checkId }) => checkId);
  return { channels: new Map(channels), domains: await mapCertificateDomains(db, ids) };
}

function decide(
  certificate: DueCertificate,
  watched: Watched,
  about: {
    readonly snapshot: DecisionSnapshot;
    readonly recipients: Recipients;
    readonly nowMs: number;
  },
): CertificateDecision {
  const { snapshot, recipients, nowMs } = about;
  const rules = rulesFor(snapshot, watched);
  const { enabled, alertThreshold } = rules.settings.sslCertificates ?? defaultCertificateSettings;
  const domain = recipients.domains.get(watched.checkId);
  const { seenAt, hostSeenAt, otherSoonNotifiedAt, otherExpiredNotifiedAt } = certificate;
  return decideOnCertificate(
    {
      expiresAtMs: certificate.expiresAt.getTime(),
      notifiedDays: certificate.notifiedDays,
      isCurrent: hostSeenAt.getTime() - seenAt.getTime() < replacedMs,
      isEnabled: enabled && (domain === undefined || domain === certificate.host.toLowerCase()),
      hold: findHold(rules, [nowMs]),
      alertThreshold,
      channels: recipients.channels.get(watched.checkId) ?? [],
      otherSoonNotifiedAtMs: otherSoonNotifiedAt?.getTime() ?? null,
      otherExpiredNotifiedAtMs: otherExpiredNotifiedAt?.getTime() ?? null,
    },
    nowMs,
  );
}

async function decideOnSome(context: DeciderContext, batch: Batch): Promise<number> {
  const { db, clock, alertMetrics } = context;
  const due = await lockDueCertificates(db, batch);
  if (due.length === 0) return 0;
  const now = clock.now();
  const nowMs = now.getTime();
  const snapshot = await loadDecisionSnapshot(context, [...new Set(due.map((one) => one.checkId))]);
  const recipients = await loadRecipients(db, snapshot);
  const evaluations: CertificateEvaluation[] = [];
  const alerts: DecidedAlert[] = [];
  const deliveries: AddressedDelivery[] = [];
  // Several certificates of a host may be due in the same batch. Send only one alert about them.
  const notifiedNow = new Set<string>();
  for (const certificate of due) {
    const watched = snapshot.watched.get(certificate.checkId);
    if (watched === undefined) continue;
    const decision = decide(certificate, watched, { snapshot, recipients, nowMs });
    const isNotified = decision.kind !== "wait";
    const { checkId, fingerprint } = certificate;
    evaluations.push({
      checkId,
      fingerprint,
      notifiedDays: isNotified ? decision.notifiedDays : certificate.notifiedDays,
      notifiedAtMs: isNotified ? nowMs : null,
      evaluateAtMs: decision.evaluateAtMs,
    });
    if (decision.kind !== "notify") continue;
    const key = [checkId, certificate.host, decision.reason].join(" ");
    if (notifiedNow.has(key)) continue;
    notifiedNow.add(key);
    const alert = toAlert(certificate, watched, { reason: decision.reason, now });
    alerts.push(alert);
    const channels = recipients.channels.get(checkId) ?? [];
    const wanted = channels.filter(({ id }) => decision.channelIds.includes(id));
    deliveries.push(...address(context, { certificate, watched, alert, now }, wanted));
  }
  await saveCertificateEvaluations(db, evaluations);
  await insertAlerts(db, alerts, now);
  await insertDeliveries(db, await applyQuietHours(context, deliveries), now);
  for (const { kind } of alerts) alertMetrics.decisions.inc({ kind });
  return due.length;
}

function toAlert(
  { resultId, host, expiresAt }: DueCertificate,
  { accountId, checkId }: Watched,
  { reason, now }: { readonly reason: string; readonly now: Date },
): DecidedAlert {
  return {
    id: randomUUIDv7(),
    accountId,
    checkId,
    alertNumber: 0,
    kind: "ALERT_SSL",
    heldKind: null,
    reason,
    explanation: explainCertificate(host, expiresAt, now),
    startedAt: now,
    parentId: null,
    resultId,
    isReminder: false,
    at: now,
  };
}

function address(
  context: DeciderContext,
  about: {
    readonly certificate: DueCertificate;
    readonly watched: Watched;
    readonly alert: DecidedAlert;
    readonly now: Date;
  },
  channels: readonly OwnedChannel[],
): AddressedDelivery[] {
  const { certificate, watched, alert, now } = about;
  const base = context.publicUrl();
  const message = writeCertificateMessage(watched, certificate, {
    now,
    alertUrl: writeAlertUrl(base, alert.id),
    resultUrl: formatRunUrl(base, watched.checkId, certificate.resultId),
  });
  return channels.map((channel) =>
    createDelivery(context, channel, { alertId: alert.id, watched, message }),
  );
}

function explainCertificate(host: string, expiresAt: Date, now: Date): string {
  const text = writeExpiry(expiresAt.getTime(), now.getTime());
  return `The certificate of ${toShortLine(host, 255)} ${text}.`;
}

/** Writes the message to the channels. Host and issuer are untrusted, so both are shortened. */
function writeCertificateMessage(
  { checkId, kind, settings, groupName }: Watched,
  certificate: DueCertificate,
  about: { readonly now: Date; readonly alertUrl: string; readonly resultUrl: string },
): Omit<AlertMessage, "idempotencyKey"> {
  const { expiresAt, resultId, location } = certificate;
  const nowMs = about.now.getTime();
  const host = toShortLine(certificate.host, 255);
  const issuer = toShortLine(certificate.issuer, 100) || "unknown";
  const text = `certificate of ${host} ${writeExpiry(expiresAt.getTime(), nowMs)}`;
  return {
    kind: "ALERT_SSL",
    title: `${settings.name}: the ${text}`,
    reason: `The ${text}. It was issued by ${issuer}.`,
    checkId,
    checkName: settings.name,
    checkType: kind.type,
    target: kind.target(settings),
    groupName,
    tags: settings.tags,
    resultId,
    alertUrl: about.alertUrl,
    resultUrl: about.resultUrl,
    location,
    responseTimeMs: null,
    facts: [],
    startedAt: about.now.toISOString(),
    isReminder: false,
    reminderSequence: 0,
    certificate: {
      host,
      issuer,
      expiresAt: expiresAt.toISOString(),
      daysLeft: computeDaysLeft(expiresAt.getTime(), nowMs),
    },
    acknowledgeUrl: null,
  };
}
