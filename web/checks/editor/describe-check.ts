/**
 * Describes the schedule, locations and notifications of a check in sentences. The module of the
 * check type describes the other settings.
 */

import type { AnyValues, CheckKind } from "../../kinds/form-values.ts";
import { findKind } from "../../kinds/index.ts";
import { countOf, formatInterval, joinWords } from "../../kinds/sentences.ts";
import { getFlag, getList, getNumber, getTexts } from "../../parts/fields.ts";
import { writeFrequency } from "./frequency.ts";

export interface KnownNames {
  readonly kind: CheckKind;
  /** Location names by location code. */
  readonly locations: ReadonlyMap<string, string>;
  /** Number of alert channels in the account. */
  readonly channelCount: number;
}

function describeTiming(values: AnyValues, { locations, kind }: KnownNames): string {
  const chosen = [...getTexts(values, "locations"), ...getTexts(values, "privateLocations")];
  const every = `every ${formatInterval(Number(writeFrequency(values, kind)))}`;
  if (chosen.length === 0) return `It runs ${every} from this server.`;
  const names = chosen.map((region) => locations.get(region) ?? region);
  if (chosen.length === 1) return `It runs ${every} from ${names[0]}.`;
  return getFlag(values, "runParallel")
    ? `It runs ${every} from ${joinWords(names)} in parallel.`
    : `It runs ${every}, from one location at a time: ${joinWords(names)}.`;
}

function describeRetries(values: AnyValues): string[] {
  const strategy = values.retryStrategy ?? null;
  if (strategy === null) return [];
  const count = getNumber(values, "retryStrategy.maxRetries") ?? 1;
  const single = strategy.type === "SINGLE_RETRY";
  return [
    `A failed run is retried ${single ? "once" : `up to ${countOf(count, "time")}`} before it counts.`,
  ];
}

function describeNotification(values: AnyValues, { channelCount }: KnownNames): string {
  if (getFlag(values, "muted")) return "It is muted: no alerts are sent.";
  const named = values.alertChannelSubscriptions;
  const active = getList(values, "alertChannelSubscriptions").filter((one) => one.activated);
  const count = named === undefined ? channelCount : active.length;
  if (count === 0) return "Nobody is notified, because it has no channel.";
  const when = getFlag(values, "useGlobalAlertSettings")
    ? "according to the account's alert settings"
    : "according to its own alert settings";
  return `${countOf(count, "channel")} ${count === 1 ? "is" : "are"} notified ${when}.`;
}

function describeIncident(values: AnyValues): string[] {
  if ((values.triggerIncident ?? null) === null) return [];
  const isTold = getFlag(values, "triggerIncident.notifySubscribers");
  const told = isTold ? ", and subscribers are notified" : "";
  return [`Its alert opens an incident on the status pages${told}; its recovery resolves it.`];
}

export function describeSchedule(values: AnyValues, known: KnownNames): string[] {
  const isOrdered = findKind(values.checkType)?.isOrdered === true;
  if (!getFlag(values, "activated")) return ["It is inactive: it does not run."];
  return [
    ...(isOrdered ? [describeTiming(values, known), ...describeRetries(values)] : []),
    ...(getFlag(values, "shouldFail")
      ? ["The result is inverted: a failure counts as success."]
      : []),
    describeNotification(values, known),
    ...describeIncident(values),
  ];
}
