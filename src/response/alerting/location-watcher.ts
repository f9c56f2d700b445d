import { randomUUIDv7 } from "node:crypto";
import { mapChannels } from "../../channels/alert-channels/index.ts";
import { listChecksAtPlace } from "../../checks/checks/index.ts";
import {
  listLiveProbes,
  listWatchedLocations,
  lockWatchedLocation,
  noteServed,
  saveReportedOutage,
  type WatchedLocation,
} from "../../checks/locations/index.ts";
import { inTransaction } from "../../platform/database.ts";
import { toShortLine } from "../../platform/text/clip.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import { type AddressedDelivery, applyQuietHours, createDelivery } from "./addressing.ts";
import type { UnaddressedMessage } from "./alert-message.ts";
import { receivesAlert } from "./alert-message.ts";
import { findHold } from "./alert-rules.ts";
import type { DeciderContext } from "./context.ts";
import { insertAlerts } from "./decider-store.ts";
import { loadDecisionSnapshot, rulesFor } from "./decision-snapshot.ts";
import { insertDeliveries } from "./delivery-store.ts";
import { mapFirstChannelIds } from "./first-recipients.ts";
import { listNotifiedChannels } from "./reached-channel-store.ts";

export interface LocationFacts {
  /** True if a probe that is not quarantined is online at the location. */
  readonly isServed: boolean;
  /** When a probe was last online; `null` if no probe was ever online. */
  readonly servedAtMs: number | null;
  /** When the location was reported as offline; `null` if it is not reported as offline. */
  readonly reportedAtMs: number | null;
}

/**
 * Time without an online probe after which a location is reported as offline. A probe needs less
 * time to restart or to fail over to another server.
 */
export const silentAfterMs = 120_000;

type LocationDecision = "report-outage" | "report-return" | "none";

/**
 * Decides whether to report a location as offline or as online again. The time before the start of
 * this server does not count as offline, because a server that has just started has received no
 * probe heartbeats yet.
 */
export function decideOnLocation(
  { isServed, servedAtMs, reportedAtMs }: LocationFacts,
  { nowMs, awakeSinceMs }: { readonly nowMs: number; readonly awakeSinceMs: number },
): LocationDecision {
  if (isServed) return reportedAtMs === null ? "none" : "report-return";
  if (servedAtMs === null || reportedAtMs !== null) return "none";
  const silentMs = nowMs - Math.max(servedAtMs, awakeSinceMs);
  return silentMs >= silentAfterMs ? "report-outage" : "none";
}

/**
 * Maximum number of checks whose channels are notified about a location. Further checks rarely have
 * a channel that none of these has; if they do, they send their own alerts.
 */
const maxChecks = 1_000;

/** Reports private locations that went offline or came back. Each change is reported only once. */
async function watchLocations(context: DeciderContext, awakeSinceMs: number): Promise<void> {
  const { db, clock } = context;
  const locations = await listWatchedLocations(db);
  if (locations.length === 0) return;
  const now = clock.now();
  const served = new Set(
    (await listLiveProbes(context))
      .filter(({ quarantinedAt }) => quarantinedAt === null)
      .map(({ route }) => route),
  );
  const ids = locations.map(({ id }) => id);
  const silent = locations.filter(
    ({ id, servedAt, outageReportedAt }) =>
      !served.has(id) && servedAt !== null && outageReportedAt === null,
  );
  const noted = { served: ids.filter((id) => served.has(id)), silent: silent.map(({ id }) => id) };
  await noteServed(db, noted, now);
  const decide = (location: WatchedLocation): LocationDecision =>
    decideOnLocation(
      {
        isServed: served.has(location.id),
        servedAtMs: location.servedAt?.getTime() ?? null,
        reportedAtMs: location.outageReportedAt?.getTime() ?? null,
      },
      { nowMs: now.getTime(), awakeSinceMs },
    );
  for (const { id, ...rest } of locations) {
    if (decide({ id, ...rest }) === "none") continue;
    await inTransaction(db, async (tx) => {
      const location = await lockWatchedLocation(tx, id);
      const decision = location === null ? "none" : decide(location);
      if (location === null || decision === "none") return;
      if (decision === "report-outage") await reportOutage({ ...context, db: tx }, location);
      else await reportReturn({ ...context, db: tx }, location);
    });
  }
}

/**
 * Returns a function that calls `watchLocations`. The time during which calls fail, for example
 * because the disk of the database is full, does not count as offline: heartbeats of probes could
 * not be stored either.
 */
export function createLocationWatch(
  context: DeciderContext,
  startedAtMs: number,
): () => Promise<void> {
  let awakeSinceMs = startedAtMs;
  return () =>
    watchLocations(context, awakeSinceMs).catch((error: unknown) => {
      awakeSinceMs = context.clock.now().getTime();
      throw error;
    });
}

/**
 * Notifies the channels of the checks at an offline location. If the alerts of all these checks are
 * held or nobody receives them, the outage is not marked as reported, so that the next call tries
 * again.
 */
async function reportOutage(context: DeciderContext, location: WatchedLocation): Promise<void> {
  const { db, clock } = context;
  const { accountId, slugName: place } = location;
  const found = await listChecksAtPlace(db, { accountId, place, limit: maxChecks });
  if (found.length === 0) return;
  const snapshot = await loadDecisionSnapshot(
    context,
    found.map(({ checkId }) => checkId),
  );
  const nowMs = clock.now().getTime();
  const free = [...snapshot.watched.values()].filter(
    (watched) => findHold(rulesFor(snapshot, watched), [nowMs]) === null,
  );
  const findStages = (one: Watched) => rulesFor(snapshot, one).escalationStages;
  const channelIds = await mapFirstChannelIds(db, free, findStages);
  const channels = await mapChannels(db, [...new Set([...channelIds.values()].flat())]);
  const receiving = [...channels.values()].filter(
    (one) => one.accountId === accountId && receivesAlert("ALERT_NO_DATA", one),
  );
  if (receiving.length === 0) return;
  const change = "outage";
  await saveReportedOutage(db, location.id, clock.now());
  await notify(context, location, { change, checkCount: found.length }, (about) =>
    receiving.map((channel) => createDelivery(context, channel, about)),
  );
}

/** Reports that a location is online again, to the channels that were notified of the outage. */
async function reportReturn(context: DeciderContext, location: WatchedLocation): Promise<void> {
  const { db } = context;
  const notified = await listNotifiedChannels(db, [location.id]);
  const channels = await mapChannels(
    db,
    notified.map(({ alertChannelId }) => alertChannelId),
  );
  await saveReportedOutage(db, location.id, null);
  await notify(context, location, { change: "return", checkCount: 0 }, (about) =>
    notified.flatMap(({ alertChannelId, reroutedFromId }) => {
      const channel = channels.get(alertChannelId);
      if (!channel?.sendRecovery || channel.accountId !== location.accountId) return [];
      return [{ ...createDelivery(context, channel, about), isReached: true, reroutedFromId }];
    }),
  );
}

async function notify(
  context: DeciderContext,
  location: WatchedLocation,
  { change, checkCount }: Pick<LocationReport, "change" | "checkCount">,
  address: (about: Parameters<typeof createDelivery>[2]) => AddressedDelivery[],
): Promise<void> {
  const { db, clock, alertMetrics } = context;
  const { accountId, id: checkId } = location;
  const now = clock.now();
  const startedAt = change === "outage" ? (location.servedAt ?? now) : now;
  const report = { location, change, checkCount, startedAt, publicUrl: context.publicUrl() };
  const message = writeLocationMessage(report);
  const alertId = randomUUIDv7();
  await insertAlerts(
    db,
    [
      {
        id: alertId,
        accountId,
        checkId,
        alertNumber: 0,
        kind: message.kind,
        heldKind: null,
        reason: change === "outage" ? "location-silent" : "location-returned",
        explanation: explainLocation(report),
        startedAt,
        parentId: null,
        resultId: null,
        isReminder: false,
        at: now,
      },
    ],
    now,
  );
  alertMetrics.decisions.inc({ kind: message.kind });
  const deliveries = address({ alertId, watched: { checkId, accountId }, message });
  await insertDeliveries(db, await applyQuietHours(context, deliveries), now);
}

type LocationChange = "outage" | "return";

interface LocationReport {
  readonly location: WatchedLocation;
  readonly change: LocationChange;
  readonly checkCount: number;
  readonly startedAt: Date;
  readonly publicUrl: string;
}

function explainLocation({ location, change, checkCount }: LocationReport): string {
  const name = toShortLine(location.name, 100);
  const count = checkCount < maxChecks ? String(checkCount) : `${maxChecks} or more`;
  const checks = checkCount === 1 ? "1 check runs" : `${count} checks run`;
  return change === "outage"
    ? `No probe of the private location ${name} is online. ${checks} there; they have no results until a probe is online again.`
    : `A probe of the private location ${name} is online again.`;
}

/** Writes the message sent to the channels. The id of the location is used as check id. */
function writeLocationMessage(report: LocationReport): UnaddressedMessage {
  const { location, change, startedAt, publicUrl } = report;
  const name = toShortLine(location.name, 100);
  return {
    kind: change === "outage" ? "ALERT_NO_DATA" : "ALERT_RECOVERY",
    title:
      change === "outage"
        ? `${name}: no probe of this private location is online`
        : `${name}: this private location is online again`,
    reason: explainLocation(report),
    checkId: location.id,
    checkName: name,
    checkType: "PRIVATE_LOCATION",
    target: location.slugName,
    groupName: null,
    tags: [],
    resultId: null,
    resultUrl: `${publicUrl}/locations/${encodeURIComponent(location.slugName)}`,
    location: location.slugName,
    responseTimeMs: null,
    facts: [],
    startedAt: startedAt.toISOString(),
    isReminder: false,
    reminderSequence: 0,
    acknowledgeUrl: null,
  };
}
