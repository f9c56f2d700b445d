import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction } from "../../../platform/database.ts";
import {
  mapChannels,
  mapSubscribedChannelIds,
  type OwnedChannel,
} from "../../alert-channels/index.ts";
import { listChecksAtPlace } from "../../checks/index.ts";
import {
  listLiveProbes,
  listWatchedLocations,
  lockWatchedLocation,
  noteServed,
  saveToldSilence,
  type WatchedLocation,
} from "../../locations/index.ts";
import { createDelivery } from "../addressing.ts";
import { findHold } from "../alert-rules.ts";
import { isWanted } from "../alert-text.ts";
import type { DeciderContext } from "../context.ts";
import { insertAlerts } from "../decider-store.ts";
import { loadDecisionSnapshot, rulesFor } from "../decision-snapshot.ts";
import { insertDeliveries, listToldChannelIds } from "../delivery-store.ts";
import { decideOnLocation, type LocationDecision } from "./location-decision.ts";
import { explainLocation, type LocationNews, writeLocationMessage } from "./location-text.ts";

/** Whose channels are told: more of them would hardly have others. */
const maxChecks = 1_000;

/** Tells of private locations that fell silent or came back, each once. */
export async function watchLocations(context: DeciderContext, awakeSinceMs: number): Promise<void> {
  const { db, clock } = context;
  const locations = await listWatchedLocations(db);
  if (locations.length === 0) return;
  const now = clock.now();
  const served = new Set(
    (await listLiveProbes(context))
      .filter(({ quarantinedAt }) => quarantinedAt === null)
      .map(({ route }) => route),
  );
  const decide = (location: WatchedLocation): LocationDecision =>
    decideOnLocation(
      {
        isServed: served.has(location.id),
        servedAtMs: location.servedAt?.getTime() ?? null,
        toldAtMs: location.silenceToldAt?.getTime() ?? null,
      },
      { nowMs: now.getTime(), awakeSinceMs },
    );
  for (const { id, ...rest } of locations) {
    if (decide({ id, ...rest }) === "nothing") continue;
    await inTransaction(db, async (tx) => {
      const location = await lockWatchedLocation(tx, id);
      const decision = location === null ? "nothing" : decide(location);
      if (location === null || decision === "nothing") return;
      if (decision === "tell-silence") await tellSilence({ ...context, db: tx }, location);
      else await tellReturn({ ...context, db: tx }, location);
    });
  }
  await noteServed(
    db,
    [...served].filter((id) => locations.some((one) => one.id === id)),
    now,
  );
}

/** To the channels of the checks there; while none of them may be told, it waits. */
async function tellSilence(context: DeciderContext, location: WatchedLocation): Promise<void> {
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
  if (free.length === 0) return;
  const checks = free.map(({ checkId, settings }) => ({ checkId, groupId: settings.groupId }));
  const subscribed = await mapSubscribedChannelIds(db, checks);
  const ids = [...new Set([...subscribed.values()].flat())];
  await saveToldSilence(db, location.id, clock.now());
  await tell(context, location, { news: "silence", channelIds: ids, checkCount: found.length });
}

/** To everybody who was told of the silence. */
async function tellReturn(context: DeciderContext, location: WatchedLocation): Promise<void> {
  const channelIds = await listToldChannelIds(context.db, location.id);
  await saveToldSilence(context.db, location.id, null);
  await tell(context, location, { news: "return", channelIds, checkCount: 0 });
}

interface Told {
  readonly news: LocationNews;
  readonly channelIds: readonly number[];
  readonly checkCount: number;
}

async function tell(
  context: DeciderContext,
  location: WatchedLocation,
  { news, channelIds, checkCount }: Told,
): Promise<void> {
  const { db, clock, alertMetrics } = context;
  const { accountId, id: checkId } = location;
  const now = clock.now();
  const startedAt = news === "silence" ? (location.servedAt ?? now) : now;
  const told = { location, news, checkCount, startedAt, publicUrl: context.publicUrl() };
  const message = writeLocationMessage(told);
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
        reason: news === "silence" ? "location-silent" : "location-returned",
        explanation: explainLocation(told),
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
  const channels = await findChannels(db, accountId, channelIds);
  const deliveries = channels
    .filter((channel) => isWanted(message.kind, channel))
    .map((channel) =>
      createDelivery(context, channel, { alertId, watched: { checkId, accountId }, message }),
    );
  await insertDeliveries(db, deliveries, now);
}

async function findChannels(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<OwnedChannel[]> {
  const channels = [...(await mapChannels(db, ids)).values()];
  return channels.filter((channel) => channel.accountId === accountId);
}
