/** When it runs, from where and who is told, in whole sentences. What it does, its kind says. */
import { type Fields, getAt, getFlag, getList } from "../../kinds/fields.ts";
import { countOf, joinWords, saySeconds } from "../../kinds/sentences.ts";
import { findKind } from "../../kinds/targets.ts";
import { writeFrequency } from "./frequency.ts";

export interface KnownNames {
  /** By the name of the location in the API. */
  readonly locations: ReadonlyMap<string, string>;
  /** How many channels the account has. */
  readonly channelCount: number;
}

function saySchedule(values: Fields, { locations }: KnownNames): string {
  const stored = getAt(values, "locations");
  const own = getAt(values, "privateLocations");
  const chosen = [stored, own].flatMap((list) => (Array.isArray(list) ? list.map(String) : []));
  const every = `every ${saySeconds(Number(writeFrequency(values)))}`;
  if (chosen.length === 0) return `It runs ${every} from this server.`;
  const names = chosen.map((region) => locations.get(region) ?? region);
  if (chosen.length === 1) return `It runs ${every} from ${names[0]}.`;
  return getFlag(values, "runParallel")
    ? `It runs ${every} from ${joinWords(names)} at once.`
    : `It runs ${every}, in turn from ${joinWords(names)}.`;
}

function sayRetries(values: Fields): string[] {
  const strategy = getAt(values, "retryStrategy");
  if (typeof strategy !== "object" || strategy === null) return [];
  const count = Number(getAt(strategy, "maxRetries") ?? 1);
  const single = getAt(strategy, "type") === "SINGLE_RETRY";
  return [
    `A run that fails is tried ${single ? "once" : `up to ${countOf(count, "time")}`} more before it counts.`,
  ];
}

function sayTold(values: Fields, { channelCount }: KnownNames): string {
  if (getFlag(values, "muted")) return "It is muted: nobody is told.";
  const named = getAt(values, "alertChannelSubscriptions");
  const active = getList(values, "alertChannelSubscriptions").filter((one) => one.activated);
  const count = named === undefined ? channelCount : active.length;
  if (count === 0) return "Nobody is told, as it has no channel.";
  const when = getFlag(values, "useGlobalAlertSettings")
    ? "when the account's alert settings say so"
    : "when its own alert settings say so";
  return `${countOf(count, "channel")} ${count === 1 ? "is" : "are"} told ${when}.`;
}

function sayIncident(values: Fields): string[] {
  const trigger = getAt(values, "triggerIncident");
  if (typeof trigger !== "object" || trigger === null) return [];
  const isTold = getFlag(values, "triggerIncident.notifySubscribers");
  const told = isTold ? ", and subscribers are told" : "";
  return [`Its alert opens an incident on the status pages${told}; its recovery resolves it.`];
}

export function describeSchedule(values: Fields, known: KnownNames): string[] {
  const isOrdered = findKind(values.checkType)?.isOrdered === true;
  if (!getFlag(values, "activated")) return ["It is not active: it does not run."];
  return [
    ...(isOrdered ? [saySchedule(values, known), ...sayRetries(values)] : []),
    ...(getFlag(values, "shouldFail") ? ["It is upside down: failing counts as passing."] : []),
    sayTold(values, known),
    ...sayIncident(values),
  ];
}
