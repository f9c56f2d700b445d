import { randomUUIDv7 } from "node:crypto";
import { writeExpiry } from "../../kinds/tls/tls-document.ts";
import { computeDaysLeft } from "../../kinds/tls/tls-facts.ts";
import { formatRunUrl } from "../../pages/screens.ts";
import type { Database } from "../../platform/database.ts";
import { toShortLine } from "../../platform/text/clip.ts";
import {
  type AlertMessage,
  mapChannels,
  mapSubscribedChannelIds,
} from "../alert-channels/index.ts";
import { mapCertificateDomains } from "../checks/index.ts";
import {
  type CertificateEvaluation,
  type DueCertificate,
  listChecksWithDueCertificates,
  lockDueCertificates,
  postponeCertificates,
  saveCertificateEvaluations,
} from "../recording/index.ts";
import type { Watched } from "../schedule/index.ts";
import { createDelivery } from "./addressing.ts";
import { writeAlertUrl } from "./alert-message.ts";
import { findHold } from "./alert-rules.ts";
import { type CertificateDecision, decideOnCertificate } from "./certificate-decision.ts";
import type { DeciderContext } from "./context.ts";
import { decideWithQuarantine } from "./decider.ts";
import { type Batch, type DecidedAlert, insertAlerts } from "./decider-store.ts";
import { type DecisionSnapshot, loadDecisionSnapshot, rulesFor } from "./decision-snapshot.ts";
import { insertDeliveries, type NewDelivery } from "./delivery-store.ts";

/** For settings stored before the field existed. */
const defaultCertificateSettings = { enabled: true, alertThreshold: 30 };

/** Work name used when the certificates of a check fail and the check is quarantined. */
const certificateWork = "decide on certificates";
/** A certificate counts as replaced if the host presented another one for this long. */
const replacedMs = 2 * 3_600_000;
/** Retry delay of a certificate that failed all attempts. */
const abandonedMs = 86_400_000;

/** Decides on certificates that may expire soon; returns the number evaluated. */
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
  /** For checks with a configured domain: the only host whose certificate causes alerts. */
  readonly domains: ReadonlyMap<string, string>;
}

async function loadRecipients(db: Database, watched: readonly Watched[]): Promise<Recipients> {
  const checks = watched.map(({ checkId, settings: { groupId } }) => ({ checkId, groupId }));
  const subscribed = await mapSubscribedChannelIds(db, checks);
  const known = await mapChannels(db, [...new Set([...subscribed.values()].flat())]);
  const channels = watched.map(({ checkId, accountId }) => {
    const own = (subscribed.get(checkId) ?? [])
      .map((id) => known.get(id))
      .filter((channel) => channel !== undefined)
      .filter((channel) => channel.accountId === accountId && channel.sslExpiry);
    return [checkId, own] as const;
  });
  const ids = checks.map(({ checkId }) => checkId);
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
  const recipients = await loadRecipients(db, [...snapshot.watched.values()]);
  const evaluations: CertificateEvaluation[] = [];
  const alerts: DecidedAlert[] = [];
  const deliveries: NewDelivery[] = [];
  // Send one alert if several certificates of a host are due together.
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
  await insertDeliveries(db, deliveries, now);
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
): NewDelivery[] {
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

/**
 * Writes the message sent to the channels. Certificate fields are untrusted, so they are clipped to
 * one short line.
 */
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
