/** Labels and texts by which people compare two versions of a group. Pure. */
import type { GroupValues } from "./group-values.ts";
import { words } from "./words.ts";

export interface ShownNames {
  readonly channels: ReadonlyMap<number, string>;
  readonly locations: ReadonlyMap<string, string>;
}

const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  alerting: {
    each: words.eachDecides,
    account: words.accountSettings,
    own: words.ownSettings,
  } satisfies Record<GroupValues["alerting"], string>,
  escalation: {
    RUN_BASED: words.byRuns,
    TIME_BASED: words.byTime,
  } satisfies Record<GroupValues["escalation"], string>,
  runParallel: {
    each: words.eachDecides,
    on: words.parallelOn,
    off: words.parallelOff,
  } satisfies Record<GroupValues["runParallel"], string>,
};

/** Adds the number of a channel if another one has the same name. */
function nameChannel(id: number, { channels }: ShownNames): string {
  const name = channels.get(id) ?? words.channelNumber(id);
  const isShared = [...channels].some(([other, one]) => other !== id && one === name);
  return isShared ? `${name} (${id})` : name;
}

/** Formats ids and choices; `undefined` for values that are shown as they are. */
export function formatValue(path: string, value: unknown, names: ShownNames): string | undefined {
  if (!Array.isArray(value)) return choices[path]?.[String(value)];
  if (value.length === 0) return undefined;
  if (path === "channelIds") return value.map((id) => nameChannel(id, names)).join(", ");
  return value.map((code) => names.locations.get(code) ?? code).join(", ");
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
  ["localSetupScript", words.setupScript],
  ["localTearDownScript", words.tearDownScript],
  ["setupSnippetId", words.setupSnippet],
  ["tearDownSnippetId", words.tearDownSnippet],
]);
