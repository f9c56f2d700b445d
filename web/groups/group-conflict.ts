/** Converts the values of a group to words that people compare in a conflict, and back. Pure. */
import type { Fields } from "../kinds/fields.ts";
import type { GroupValues } from "./group-values.ts";
import { words } from "./words.ts";

export interface ShownNames {
  readonly channels: ReadonlyMap<number, string>;
  readonly locations: ReadonlyMap<string, string>;
}

const alertingWords: Readonly<Record<GroupValues["alerting"], string>> = {
  each: words.eachDecides,
  account: words.accountSettings,
  own: words.ownSettings,
};
const escalationWords: Readonly<Record<GroupValues["escalation"], string>> = {
  RUN_BASED: words.byRuns,
  TIME_BASED: words.byTime,
};
const parallelWords: Readonly<Record<GroupValues["runParallel"], string>> = {
  each: words.eachDecides,
  on: words.parallelOn,
  off: words.parallelOff,
};

/** Adds the number of a channel if another one has the same name. */
function nameChannel(id: number, { channels }: ShownNames): string {
  const name = channels.get(id) ?? words.channelNumber(id);
  const isShared = [...channels].some(([other, one]) => other !== id && one === name);
  return isShared ? `${name} (${id})` : name;
}

const nameLocation = (code: string, { locations }: ShownNames) => locations.get(code) ?? code;

export function toShown(values: GroupValues, names: ShownNames): Fields {
  return {
    ...values,
    locations: values.locations.map((code) => nameLocation(code, names)),
    privateLocations: values.privateLocations.map((code) => nameLocation(code, names)),
    alerting: alertingWords[values.alerting],
    escalation: escalationWords[values.escalation],
    runParallel: parallelWords[values.runParallel],
    channelIds: values.channelIds.map((id) => nameChannel(id, names)),
  };
}

function keyOf<Key extends string>(shown: Readonly<Record<Key, string>>, word: unknown): Key {
  const keys = Object.keys(shown) as Key[];
  const found = keys.find((key) => shown[key] === word);
  if (found === undefined) throw new Error(`No value is shown as ${String(word)}`);
  return found;
}

/** Every word in `fields` comes from one of the given values. */
export function fromShown(
  fields: Fields,
  from: readonly GroupValues[],
  names: ShownNames,
): GroupValues {
  const chosen = fields as unknown as GroupValues;
  const pick = <Item>(shown: unknown, items: readonly Item[], name: (item: Item) => string) => {
    const wanted = new Set(Array.isArray(shown) ? shown : []);
    return [...new Set(items)].filter((item) => wanted.has(name(item)));
  };
  const all = <Name extends "locations" | "privateLocations">(name: Name) =>
    from.flatMap((values) => values[name]);
  return {
    ...chosen,
    locations: pick(fields.locations, all("locations"), (code) => nameLocation(code, names)),
    privateLocations: pick(fields.privateLocations, all("privateLocations"), (code) =>
      nameLocation(code, names),
    ),
    alerting: keyOf(alertingWords, fields.alerting),
    escalation: keyOf(escalationWords, fields.escalation),
    runParallel: keyOf(parallelWords, fields.runParallel),
    channelIds: pick(
      fields.channelIds,
      from.flatMap(({ channelIds }) => channelIds),
      (id) => nameChannel(id, names),
    ),
  };
}

export const labels: ReadonlyMap<string, string> = new Map([
  ["name", words.name],
  ["activated", words.activated],
  ["muted", words.muted],
  ["tags", words.tags],
  ["locations", words.locations],
  ["privateLocations", words.privateLocations],
  ["alerting", words.alerting],
  ["escalation", words.escalation],
  ["failedRuns", words.failedRuns],
  ["failingMinutes", words.failingMinutes],
  ["runParallel", words.parallel],
  ["channelIds", words.channels],
]);
