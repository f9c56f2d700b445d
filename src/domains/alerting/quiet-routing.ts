import type { Database } from "../../platform/database.ts";
import { findHoursEndMs } from "../../platform/week-hours.ts";
import { type AlertChannel, acceptsDigests, mapChannels } from "../alert-channels/index.ts";
import { type AddressedDelivery, createDelivery } from "./addressing.ts";
import type { DeciderContext } from "./context.ts";
import { listReachedChannels, type NewDelivery, type ReachedChannel } from "./delivery-store.ts";

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
  // One message at the end, also if the channel combines no other messages.
  const isCollected =
    delivery.recipient !== "unreadable" && acceptsDigests({ type, config, digest: true });
  return { ...delivery, hold: { untilMs, isCollected } };
}

/** How far alerts are passed on from channel to channel. */
const maxHops = 5;

/** Loads the channels that alerts are rerouted to, and those that these reroute to. */
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

/** Creates the same delivery to another channel. */
function redirect(delivery: QuietDelivery, targetId: number, { context, channels }: Routing) {
  const target = channels.get(targetId);
  if (target === undefined) return null;
  const { alertId, checkId, accountId, message } = delivery;
  const about = { alertId, watched: { checkId, accountId }, message };
  return { ...createDelivery(context, target, about), reroutedFromId: delivery.quietChannel.id };
}

/**
 * Follows the quiet hours of a channel and of those that it reroutes to, and returns where an alert
 * goes and until when it is held. If there is no channel to reroute to, the alert is sent as usual:
 * it must reach somebody.
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

/**
 * Sends the recovery to the channels that received the problem, wherever the quiet hours would send
 * it now: an incident that was opened elsewhere must be closed there. A channel that is quiet now
 * receives it at the end of its quiet hours.
 */
function routeRecovery(
  delivery: QuietDelivery,
  reached: readonly ReachedChannel[],
  routing: Routing,
): NewDelivery[] {
  const { id, quietHours } = delivery.quietChannel;
  const own = reached.filter(
    ({ alertId, alertChannelId, reroutedFromId }) =>
      alertId === delivery.alertId && (reroutedFromId ?? alertChannelId) === id,
  );
  if (quietHours?.mode !== "REROUTE" || own.length === 0) return [route(delivery, routing)];
  return own.flatMap(({ alertChannelId }) => {
    if (alertChannelId !== id) return redirect(delivery, alertChannelId, routing) ?? [];
    const endMs = findHoursEndMs(quietHours, routing.nowMs);
    return [endMs === null ? delivery : hold(delivery, delivery.quietChannel, endMs)];
  });
}

/** A channel that receives an alert anyway receives it once. */
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
 * Decides which deliveries wait for the end of quiet hours and which go to another channel. Runs in
 * the transaction of the decision. Without quiet hours it costs nothing.
 */
export async function applyQuietHours(
  context: DeciderContext,
  deliveries: readonly AddressedDelivery[],
): Promise<NewDelivery[]> {
  const quiet = deliveries.filter(isQuiet);
  if (quiet.length === 0) return [...deliveries];
  const nowMs = context.clock.now().getTime();
  const ending = quiet.filter(
    ({ message, quietChannel }) =>
      recoveries.has(message.kind) && quietChannel.quietHours?.mode === "REROUTE",
  );
  const reached =
    ending.length === 0
      ? []
      : await listReachedChannels(
          context.db,
          null,
          ending.map(({ alertId }) => alertId),
        );
  const channels = await loadReroutes(
    context.db,
    quiet.map(({ quietChannel }) => quietChannel),
  );
  const ids = [...new Set(reached.map(({ alertChannelId }) => alertChannelId))];
  const others = await mapChannels(
    context.db,
    ids.filter((id) => !channels.has(id)),
  );
  const routing = { context, nowMs, channels: new Map([...channels, ...others]) };
  const routed = deliveries.flatMap((delivery) => {
    if (!isQuiet(delivery)) return [delivery];
    return recoveries.has(delivery.message.kind)
      ? routeRecovery(delivery, reached, routing)
      : [route(delivery, routing)];
  });
  const kept = dropRepeated(routed);
  for (const { hold: held, reroutedFromId } of kept) {
    const outcome = held ? "held" : reroutedFromId ? "rerouted" : null;
    if (outcome !== null) context.alertMetrics.quiet.inc({ outcome });
  }
  return kept;
}
