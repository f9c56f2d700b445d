import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../../../platform/database.ts";
import {
  mapChannels,
  mapSubscribedChannelIds,
  type OwnedChannel,
} from "../../alert-channels/index.ts";
import { certificateSettingsOf, mapCertificateDomains } from "../../checks/index.ts";
import {
  type CertificateLook,
  type DueCertificate,
  listChecksWithDueCertificates,
  lockDueCertificates,
  postponeCertificates,
  saveCertificateLooks,
  type Watched,
} from "../../runs/index.ts";
import { createDelivery } from "../addressing.ts";
import { writeAlertUrl, writeRunUrl } from "../alert-message.ts";
import { findHold } from "../alert-rules.ts";
import type { DeciderContext } from "../context.ts";
import { decideApart } from "../decide-apart.ts";
import { type Batch, type DecidedAlert, insertAlerts } from "../decider-store.ts";
import { type DecisionSnapshot, loadDecisionSnapshot, rulesFor } from "../decision-snapshot.ts";
import { insertDeliveries, type NewDelivery } from "../delivery-store.ts";
import { type CertificateDecision, decideOnCertificate } from "./certificate-decision.ts";
import { explainCertificate, writeCertificateMessage } from "./certificate-text.ts";

/** The name under which checks are set aside whose certificates cannot be decided on. */
const certificateWork = "decide on certificates";
/** A certificate that a host has not shown for so long, while it showed another, was replaced. */
const replacedMs = 2 * 3_600_000;
/** A row that cannot be decided on, after all attempts. */
const givenUpMs = 86_400_000;

/** Decides on certificates that may expire soon; returns how many were looked at. */
export function decideOnCertificates(context: DeciderContext): Promise<number> {
  return decideApart(context, {
    name: certificateWork,
    decide: decideOnSome,
    listDue: listChecksWithDueCertificates,
    putOff: (db, checkId, retryAt) => {
      const givenUpAt = new Date(context.clock.now().getTime() + givenUpMs);
      return postponeCertificates(db, checkId, retryAt ?? givenUpAt);
    },
  });
}

interface Wishes {
  readonly channels: ReadonlyMap<string, readonly OwnedChannel[]>;
  /** Of checks that name one: the only host whose certificate they are alerted of. */
  readonly domains: ReadonlyMap<string, string>;
}

async function loadWishes(db: Database, watched: readonly Watched[]): Promise<Wishes> {
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
  about: { readonly snapshot: DecisionSnapshot; readonly wishes: Wishes; readonly nowMs: number },
): CertificateDecision {
  const { snapshot, wishes, nowMs } = about;
  const rules = rulesFor(snapshot, watched);
  const { enabled, alertThreshold } = certificateSettingsOf(rules.settings);
  const domain = wishes.domains.get(watched.checkId);
  const { seenAt, hostSeenAt, otherSoonToldAt, otherExpiredToldAt } = certificate;
  return decideOnCertificate(
    {
      expiresAtMs: certificate.expiresAt.getTime(),
      toldDays: certificate.toldDays,
      isCurrent: hostSeenAt.getTime() - seenAt.getTime() < replacedMs,
      isWanted: enabled && (domain === undefined || domain === certificate.host.toLowerCase()),
      hold: findHold(rules, [nowMs]),
      alertThreshold,
      channels: wishes.channels.get(watched.checkId) ?? [],
      otherSoonToldAtMs: otherSoonToldAt?.getTime() ?? null,
      otherExpiredToldAtMs: otherExpiredToldAt?.getTime() ?? null,
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
  const wishes = await loadWishes(db, [...snapshot.watched.values()]);
  const looks: CertificateLook[] = [];
  const alerts: DecidedAlert[] = [];
  const deliveries: NewDelivery[] = [];
  // Two of one host that are due together are one alert.
  const toldNow = new Set<string>();
  for (const certificate of due) {
    const watched = snapshot.watched.get(certificate.checkId);
    if (watched === undefined) continue;
    const decision = decide(certificate, watched, { snapshot, wishes, nowMs });
    const isTold = decision.kind !== "wait";
    const { checkId, fingerprint } = certificate;
    looks.push({
      checkId,
      fingerprint,
      toldDays: isTold ? decision.toldDays : certificate.toldDays,
      toldAtMs: isTold ? nowMs : null,
      lookAtMs: decision.lookAtMs,
    });
    if (decision.kind !== "tell") continue;
    const key = [checkId, certificate.host, decision.reason].join(" ");
    if (toldNow.has(key)) continue;
    toldNow.add(key);
    const alert = toAlert(certificate, watched, { reason: decision.reason, now });
    alerts.push(alert);
    const channels = wishes.channels.get(checkId) ?? [];
    const wanted = channels.filter(({ id }) => decision.channelIds.includes(id));
    deliveries.push(...address(context, { certificate, watched, alert, now }, wanted));
  }
  await saveCertificateLooks(db, looks);
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
    resultUrl: writeRunUrl(base, watched.checkId, certificate.resultId),
  });
  return channels.map((channel) =>
    createDelivery(context, channel, { alertId: alert.id, watched, message }),
  );
}
