/** Who receives alerts that are not escalated: about offline locations and certificates. */

import { mapSubscribedChannelIds } from "../../channels/alert-channels/index.ts";
import { mapSilentLocations } from "../../checks/locations/index.ts";
import type { Database } from "../../platform/database.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import { type EscalationStage, orderStages } from "./alert-rules.ts";
import { listNotifiedChannels } from "./reached-channel-store.ts";

type FindStages = (watched: Watched) => readonly EscalationStage[];

/**
 * Returns the channels to which alerts of checks go first, by check id: the channels of the check
 * and of the escalation stages with 0 minutes. A check without such channels has those of its first
 * stage, because nothing starts that stage for an alert that is not escalated.
 */
export async function mapFirstChannelIds(
  db: Database,
  watched: readonly Watched[],
  findStages: FindStages,
): Promise<Map<string, readonly number[]>> {
  const checks = watched.map(({ checkId, settings }) => ({ checkId, groupId: settings.groupId }));
  const subscribed = await mapSubscribedChannelIds(db, checks);
  return new Map(
    watched.map((one) => {
      const stages = orderStages(findStages(one)).filter(({ channelIds }) => channelIds.length > 0);
      const own = subscribed.get(one.checkId) ?? [];
      const atOnce = stages.filter(({ afterMinutes }) => afterMinutes === 0);
      const isReached = own.length > 0 || atOnce.length > 0;
      const called = (isReached ? atOnce : stages.slice(0, 1)).flatMap((one) => one.channelIds);
      return [one.checkId, [...new Set([...own, ...called])]] as const;
    }),
  );
}

/**
 * Lists the checks whose locations are all private and reported as offline to one of the channels
 * of the check. Only these need no separate alerts about missing data.
 */
export async function listReportedCheckIds(
  db: Database,
  watched: readonly Watched[],
  findStages: FindStages,
): Promise<Set<string>> {
  const silent = await mapSilentLocations(db, [...new Set(watched.map((one) => one.accountId))]);
  const placesOf = ({ accountId, places }: Watched) =>
    places.map((place) => silent.get(accountId)?.get(place));
  const concerned = watched.filter(
    (one) => one.places.length > 0 && !placesOf(one).includes(undefined),
  );
  if (concerned.length === 0) return new Set();
  const ids = [...new Set(concerned.flatMap((one) => placesOf(one).flatMap((id) => id ?? [])))];
  const notified = Map.groupBy(await listNotifiedChannels(db, ids), (one) => one.locationId);
  const channels = await mapFirstChannelIds(db, concerned, findStages);
  const isReported = (one: Watched) =>
    placesOf(one).every((id) =>
      notified.get(id ?? "")?.some(({ alertChannelId, reroutedFromId }) => {
        const own = channels.get(one.checkId) ?? [];
        return own.includes(reroutedFromId ?? alertChannelId);
      }),
    );
  return new Set(concerned.filter(isReported).map(({ checkId }) => checkId));
}
