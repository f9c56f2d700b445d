import {
  type AlertChannel,
  acceptsDigests,
  describeChannel,
  mapChannels,
  mapSubscribedChannelIds,
  unsealChannel,
} from "../../channels/alert-channels/index.ts";
import type { Database } from "../../platform/database.ts";
import { createOrderedIds } from "../../platform/ordered-id.ts";
import { findHoursEndMs } from "../../platform/week-hours.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import {
  type AlertMessages,
  type OutgoingAlert,
  receivesAlert,
  type UnaddressedMessage,
} from "./alert-message.ts";
import type { DeciderContext } from "./context.ts";
import type { NewDelivery } from "./delivery-store.ts";
import { listReachedChannels, type ReachedChannel } from "./reached-channel-store.ts";

/** A delivery to a channel, before quiet hours hold or reroute the delivery. */
export interface AddressedDelivery extends NewDelivery {
  /** The channel of this delivery; present only if the channel has quiet hours. */
  readonly quietChannel?: AlertChannel;
  /** True for a recovery to a channel that received the problem, so that it is not rerouted. */
  readonly isReached?: boolean;
}

/**
 * Creates ids that increase even within a millisecond. Deliveries are sent in id order, so a
 * failure is sent before its recovery.
 */
const createDeliveryId = createOrderedIds();

/**
 * Returns the ids of the channels that the settings select for an alert. An escalation alert goes
 * only to the channels of its stage. Other alerts go to the channels of the check, of its group and
 * of all stages reached so far. A recovery does not follow the stages, because the stages may have
 * changed since: it goes to the channels that received the problem.
 */
function listChannelIds(
  { watched, alert, reachedChannelIds }: OutgoingAlert,
  subscribed: ReadonlyMap<string, readonly number[]>,
): number[] {
  if (alert.onlyChannelIds !== null) return [...new Set(alert.onlyChannelIds)].sort(byNumber);
  const own = subscribed.get(watched.checkId) ?? [];
  if (recoveries.has(alert.kind)) return [...own];
  const called = reachedChannelIds.filter((id) => !own.includes(id));
  return [...own, ...new Set(called.sort(byNumber))];
}

const byNumber = (one: number, other: number) => one - other;

/** Recipient of an alert. */
interface AddressedChannel {
  /** `null` for the members whom the pages reached that belong to no channel. */
  readonly channel: AlertChannel | null;
  /** Present if the channel received the problem. */
  readonly reached: Pick<ReachedChannel, "reroutedFromId"> | null;
}

/**
 * Loads the recipients of all alerts with three queries, however many alerts there are. A recovery
 * goes to every channel that received the problem, whatever the settings are by then: an incident
 * must be closed in the tool where it was opened.
 */
async function findChannels(
  db: Database,
  alerts: readonly OutgoingAlert[],
): Promise<(outgoing: OutgoingAlert) => AddressedChannel[]> {
  const checks = new Map(
    alerts.map(({ watched }) => [
      watched.checkId,
      { checkId: watched.checkId, groupId: watched.settings.groupId },
    ]),
  );
  const subscribed = await mapSubscribedChannelIds(db, [...checks.values()]);
  const ended = alerts.filter(({ alert }) => recoveries.has(alert.kind)).map(({ id }) => id);
  const reached = ended.length === 0 ? [] : await listReachedChannels(db, ended);
  const byAlert = Map.groupBy(reached, ({ alertId }) => alertId);
  const ids = new Set([
    ...alerts.flatMap((outgoing) => listChannelIds(outgoing, subscribed)),
    ...reached.flatMap(({ alertChannelId }) => alertChannelId ?? []),
  ]);
  const channels = await mapChannels(db, [...ids]);
  return (outgoing) => {
    const { alert, watched } = outgoing;
    const get = (id: number) => {
      const channel = channels.get(id);
      return channel?.accountId === watched.accountId ? channel : undefined;
    };
    const past = byAlert.get(outgoing.id) ?? [];
    const known = new Set(past.flatMap((one) => [one.alertChannelId, one.reroutedFromId]));
    const before = past.flatMap((reached): AddressedChannel[] => {
      if (reached.alertChannelId === null) return [{ channel: null, reached }];
      const channel = get(reached.alertChannelId);
      return channel?.sendRecovery ? [{ channel, reached }] : [];
    });
    const selected = listChannelIds(outgoing, subscribed).flatMap((id): AddressedChannel[] => {
      const channel = known.has(id) ? undefined : get(id);
      if (channel === undefined || !receivesAlert(alert.kind, channel)) return [];
      return [{ channel, reached: null }];
    });
    return [...before, ...selected];
  };
}

/** Creates one delivery per alert and channel, in the order of the alerts. */
export async function addressAlerts(
  context: DeciderContext,
  alerts: readonly OutgoingAlert[],
  messages: AlertMessages,
): Promise<AddressedDelivery[]> {
  const channelsOf = await findChannels(context.db, alerts);
  return alerts.flatMap((outgoing) =>
    channelsOf(outgoing).map(({ channel, reached }) => {
      const { id: alertId, watched } = outgoing;
      const about = { alertId, watched, message: messages.get(outgoing) };
      const delivery =
        channel === null ? createPageRecovery(about) : createDelivery(context, channel, about);
      if (reached === null) return delivery;
      return { ...delivery, isReached: true, reroutedFromId: reached.reroutedFromId };
    }),
  );
}

/** What a delivery is about. */
interface Subject {
  readonly alertId: string;
  readonly watched: Pick<Watched, "checkId" | "accountId">;
  readonly message: UnaddressedMessage;
}

/** Creates the recovery of pages that belong to no channel, such as those a person requested. */
function createPageRecovery({ alertId, watched, message }: Subject): AddressedDelivery {
  const id = createDeliveryId();
  return {
    id,
    accountId: watched.accountId,
    alertId,
    checkId: watched.checkId,
    alertChannelId: null,
    channelType: "ONCALL",
    recipient: "On call",
    message: { ...message, idempotencyKey: id },
    acceptsDigests: false,
  };
}

/** Creates the delivery of one message to one channel. */
export function createDelivery(
  context: DeciderContext,
  channel: AlertChannel,
  about: Subject,
): AddressedDelivery {
  const { config, type, problem = null } = unsealChannel(context, channel);
  const { checkId, accountId } = about.watched;
  const id = createDeliveryId();
  return {
    id,
    accountId,
    alertId: about.alertId,
    checkId,
    alertChannelId: channel.id,
    channelType: type,
    recipient: problem === null ? describeChannel({ type, config }) : "unreadable",
    message: { ...about.message, idempotencyKey: id },
    acceptsDigests: problem === null && acceptsDigests({ type, config, digest: channel.digest }),
    ...(channel.quietHours !== null && { quietChannel: channel }),
  };
}

type QuietDelivery = AddressedDelivery & {
  readonly quietChannel: NonNullable<AddressedDelivery["quietChannel"]>;
};

const isQuiet = (delivery: AddressedDelivery): delivery is QuietDelivery =>
  delivery.quietChannel !== undefined;

const recoveries = new Set(["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"]);

function hold(
  delivery: AddressedDelivery,
  { type, config }: AlertChannel,
  untilMs: number,
): NewDelivery {
  // Combine held messages into a digest, even if the channel's settings disable digests.
  const isCollected =
    delivery.recipient !== "unreadable" && acceptsDigests({ type, config, digest: true });
  return { ...delivery, hold: { untilMs, isCollected } };
}

/** Maximum number of times that an alert is rerouted from one channel to another. */
const maxHops = 5;

/** Loads the channels that quiet hours reroute to, including the targets of further reroutes. */
export async function loadReroutes(
  db: Database,
  quiet: Iterable<AlertChannel>,
): Promise<Map<number, AlertChannel>> {
  const known = new Map([...quiet].map((channel) => [channel.id, channel]));
  for (let hop = 0; hop < maxHops; hop += 1) {
    const missing = [...known.values()]
      .map(({ quietHours }) => quietHours?.alertChannelId ?? null)
      .filter((id) => id !== null)
      .filter((id) => !known.has(id));
    if (missing.length === 0) break;
    for (const [id, channel] of await mapChannels(db, [...new Set(missing)])) {
      known.set(id, channel);
    }
  }
  return known;
}

interface Routing {
  readonly context: DeciderContext;
  readonly nowMs: number;
  readonly channels: ReadonlyMap<number, AlertChannel>;
}

/** Creates the same delivery for another channel; `null` if that channel does not exist. */
function redirect(delivery: QuietDelivery, targetId: number, { context, channels }: Routing) {
  const target = channels.get(targetId);
  if (target === undefined) return null;
  const { alertId, checkId, accountId, message } = delivery;
  const about = { alertId, watched: { checkId, accountId }, message };
  return { ...createDelivery(context, target, about), reroutedFromId: delivery.quietChannel.id };
}

/**
 * Follows the reroutes of quiet hours from a channel. Returns the channel that receives the alert,
 * and the end of its quiet hours if it holds the alert. If a reroute leads nowhere, the alert is
 * sent immediately, because every alert must reach somebody.
 */
export function followQuietHours(
  channel: AlertChannel,
  channels: ReadonlyMap<number, AlertChannel>,
  atMs: number,
): { readonly channel: AlertChannel; readonly heldUntilMs: number | null } {
  let current = channel;
  const seen = new Set<number>();
  for (let hop = 0; hop <= maxHops; hop += 1) {
    const { id, quietHours } = current;
    const endMs = quietHours === null ? null : findHoursEndMs(quietHours, atMs);
    if (quietHours === null || endMs === null || seen.has(id)) break;
    if (quietHours.mode === "HOLD") return { channel: current, heldUntilMs: endMs };
    seen.add(id);
    const next = channels.get(quietHours.alertChannelId ?? 0);
    if (next === undefined) break;
    current = next;
  }
  return { channel: current, heldUntilMs: null };
}

function route(delivery: QuietDelivery, routing: Routing): NewDelivery {
  const { quietChannel } = delivery;
  const { channels, nowMs } = routing;
  const { channel, heldUntilMs } = followQuietHours(quietChannel, channels, nowMs);
  const isSame = channel.id === quietChannel.id;
  const routed = isSame ? delivery : (redirect(delivery, channel.id, routing) ?? delivery);
  return heldUntilMs === null ? routed : hold(routed, channel, heldUntilMs);
}

/** Holds a recovery for a channel that received the problem, until its quiet hours end. */
function holdRecovery(delivery: QuietDelivery, nowMs: number): NewDelivery {
  const { quietHours } = delivery.quietChannel;
  const endMs = quietHours === null ? null : findHoursEndMs(quietHours, nowMs);
  return endMs === null ? delivery : hold(delivery, delivery.quietChannel, endMs);
}

/** Keeps only one delivery per alert and channel, preferably one that was not rerouted. */
function dropRepeated(deliveries: readonly NewDelivery[]): NewDelivery[] {
  const keyOf = ({ alertId, alertChannelId }: NewDelivery) => `${alertId} ${alertChannelId}`;
  const direct = new Set(deliveries.filter((one) => !one.reroutedFromId).map(keyOf));
  const seen = new Set<string>();
  return deliveries.filter((one) => {
    const key = keyOf(one);
    const isRepeated = seen.has(key) || (Boolean(one.reroutedFromId) && direct.has(key));
    seen.add(key);
    return !isRepeated;
  });
}

/**
 * Decides which deliveries wait for the end of quiet hours and which go to another channel. Must be
 * called in the database transaction that stores the deliveries. Makes no query if no channel has
 * quiet hours.
 */
export async function applyQuietHours(
  context: DeciderContext,
  deliveries: readonly AddressedDelivery[],
): Promise<NewDelivery[]> {
  const quiet = deliveries.filter(isQuiet);
  if (quiet.length === 0) return [...deliveries];
  const nowMs = context.clock.now().getTime();
  const channels = await loadReroutes(
    context.db,
    quiet.map(({ quietChannel }) => quietChannel),
  );
  const routing = { context, nowMs, channels };
  const routed = deliveries.map((delivery) => {
    if (!isQuiet(delivery)) return delivery;
    return delivery.isReached ? holdRecovery(delivery, nowMs) : route(delivery, routing);
  });
  const kept = dropRepeated(routed);
  for (const { hold: held, reroutedFromId } of kept) {
    const outcome = held ? "held" : reroutedFromId ? "rerouted" : null;
    if (outcome !== null) context.alertMetrics.quiet.inc({ outcome });
  }
  return kept;
}
