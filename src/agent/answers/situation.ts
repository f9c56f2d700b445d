import { allKinds, defaultType, isCheckType, kinds } from "../../kinds/index.ts";
import type { KindMeasure, KindSpeech } from "../../kinds/kit/agent.ts";
import type { CheckBrief } from "../tool-shapes/check-data.ts";
import type { Found, ToolData, ToolName } from "../tool-shapes/tool-data.ts";
import type { Answer } from "./answer.ts";
import type { FoundName, Named, NameKind } from "./names.ts";
import { dayMs, type Period } from "./times.ts";
import type { Slots } from "./understand.ts";
import { formatTime, quote, writeList } from "./wording.ts";

/** Calls a tool. Returns `null` if the call failed; the answer then ends with a note about it. */
export type Lookup = <Name extends ToolName>(
  tool: Name,
  input: Readonly<Record<string, unknown>>,
) => Promise<Found<ToolData[Name]> | null>;

/** One question with everything that is needed to answer it. */
export interface Situation {
  readonly intent: string;
  readonly slots: Slots;
  readonly answer: Answer;
  readonly lookup: Lookup;
  readonly nowMs: number;
  /** Checks of the account, or the first 200 of them and those that the question names. */
  readonly checks: readonly CheckBrief[];
  readonly allNames: readonly Named[];
  readonly lastAnswer: string;
  /** The messages of the user, which together describe checks to create. */
  readonly messages: readonly string[];
  /** Whether the bodies of checks to create are shown. */
  readonly showsBodies: boolean;
}

export type Answerer = (situation: Situation) => Promise<void>;

/** Returns the wording for a check type. Unknown types get the wording of the default type. */
export function speechOf({ checkType = "" }: { readonly checkType?: string }): KindSpeech {
  return kinds[isCheckType(checkType) ? checkType : defaultType].agent.speech;
}

/** Returns whether checks of this type run from locations. Heartbeats, for example, do not. */
export function isSeenFromPlaces({ checkType = "" }: { readonly checkType?: string }): boolean {
  return !isCheckType(checkType) || kinds[checkType].isOrdered;
}

/** Returns the quality measure, such as packet loss, of the first check whose kind has one. */
export function findMeasure(
  checks: readonly { readonly checkType?: string }[],
): KindMeasure<object, object, object> | null {
  for (const check of [...checks, ...allKinds.map(({ type }) => ({ checkType: type }))]) {
    const { measure } = speechOf(check);
    if (measure !== null) return measure;
  }
  return null;
}

/** Returns the kind of check that a text mentions, such as TCP in "tcp checks"; or `null`. */
export function findCheckType(text: string): string | null {
  const line = ` ${text.toLowerCase()} `;
  const named = (name: string) =>
    new RegExp(`[^\\w-]${name.replace(/ate$/, "ates?").replace(/([^s])$/, "$1s?")}[^\\w-]`);
  return (
    allKinds.find(({ agent }) => agent.names.some((name) => named(name).test(line)))?.type ?? null
  );
}

/** The named things of some kinds, the best fit of each name. */
export function thingsOf({ names }: Slots, ...wanted: readonly NameKind[]): readonly Named[] {
  return names.flatMap(({ things }) => things.filter(({ kind }) => wanted.includes(kind)));
}

/** Services and groups that are named, and tags. Their checks are meant. */
export const scopesOf = (slots: Slots) =>
  dropTwins(slots).flatMap(({ things }) =>
    things.filter(({ kind }) => kind === "service" || kind === "group" || kind === "tag"),
  );

/** Of a name that fits a check and others partly, only the checks are meant. */
function dropTwins({ names }: Slots): readonly FoundName[] {
  return names.map((name) => {
    const [first] = name.things;
    if (name.isWhole || first === undefined) return name;
    return { ...name, things: name.things.filter(({ kind }) => kind === first.kind) };
  });
}

/** Ids of the checks that the question is about; none if it names none. */
export function checkIdsOf({ slots }: Pick<Situation, "slots">): readonly string[] {
  const ids = dropTwins(slots).flatMap(({ things }) => things.flatMap(({ checkIds }) => checkIds));
  const excluded = new Set(
    slots.excluded.flatMap(({ things }) => things.flatMap((one) => one.checkIds)),
  );
  return [...new Set(ids)].filter((id) => !excluded.has(id)).slice(0, 200);
}

export const placesOf = ({ slots }: Pick<Situation, "slots">): readonly string[] => [
  ...new Set(thingsOf(slots, "location").map(({ id }) => id)),
];

const maxOffered = 5;

/**
 * Asks which check is meant if a word fits several checks only partly. Returns whether it asked,
 * or said that a name is unknown.
 */
export function isUnclear({ slots, answer, allNames }: Situation): boolean {
  for (const { things, typed, isWhole } of slots.names) {
    const fits = things.filter(({ kind }) => kind === things[0]?.kind);
    if (isWhole || fits.length < 2 || things[0]?.kind !== "check") continue;
    answer.line(`${fits.length} checks fit ${quote(typed)}. Which one do you mean?`);
    for (const [index, { name }] of fits.slice(0, maxOffered).entries()) {
      answer.line(`${index + 1}. ${quote(name)}`);
    }
    return true;
  }
  const [unknown] = slots.unknown;
  if (unknown === undefined || slots.names.length > 0) return false;
  answer.line(`I know nothing called ${quote(unknown)} in this account.`);
  const near = allNames.filter(({ name }) => name.toLowerCase().startsWith(unknown.slice(0, 2)));
  if (near.length > 0) {
    answer.line(
      `Names that begin alike: ${writeList(near.slice(0, maxOffered).map(({ name }) => quote(name)))}.`,
    );
  }
  return true;
}

/** The period of the question up to now; by default the last 24 hours or another length. */
export function periodOf({ slots, nowMs }: Situation, defaultMs = dayMs): Period {
  const [period] = slots.periods;
  if (period !== undefined) return { ...period, toMs: Math.min(period.toMs, nowMs) };
  const days = Math.round(defaultMs / dayMs);
  const label = days === 1 ? "the last 24 hours" : `the last ${days} days`;
  return { fromMs: nowMs - defaultMs, toMs: nowMs, label };
}

/** Says that there is no data about the future. Returns whether the question is about it. */
export function isAhead({ slots, nowMs, answer }: Situation): boolean {
  const [period] = slots.periods;
  if (period === undefined || period.fromMs < nowMs) return false;
  answer.line(`There is no data for ${period.label}: it lies in the future.`);
  return true;
}

export const spanOf = ({ fromMs, toMs }: Period) => ({
  from: new Date(fromMs).toISOString(),
  to: new Date(Math.max(toMs, fromMs + 1)).toISOString(),
});

/** Writes a period for the end of a clause, such as "yesterday" or "in the last 24 hours". */
export function during({ label }: Pick<Period, "label">): string {
  if (/^the (?:last|next)|^[A-Z][a-z]+ \d{4}$/.test(label)) return `in ${label}`;
  if (/^\d{4}-|^[A-Z][a-z]+day /.test(label)) return `on ${label}`;
  return /^\d\d:/.test(label) ? `at ${label}` : label;
}

/** Writes a period with its bounds, for a heading. */
export function describePeriod(period: Period): string {
  return `${during(period)} (${formatTime(period.fromMs)} to ${formatTime(period.toMs)})`;
}

/** Says whose figures these are, such as "the service `Shop`"; or an empty string. */
export function describeScopes(slots: Slots): string {
  const nouns = { tag: "the tag", service: "the service", group: "the group" } as const;
  const written = scopesOf(slots).map(
    ({ kind, name }) => `${nouns[kind as keyof typeof nouns]} ${quote(name)}`,
  );
  return writeList([...new Set(written)], 3);
}

const statusWords: readonly (readonly [RegExp, CheckBrief["status"]])[] = [
  [/\b(?:failing|failed|fail|fails|down|broken|broke|red|unreachable|burning)\b/, "failing"],
  [/\b(?:degraded|yellow|amber|warning)\b/, "degraded"],
  [
    /\b(?:passing|up|ok|healthy|green|fine|alive|online|working|reachable|available|well)\b/,
    "passing",
  ],
  [/\b(?:unknown|without data|no data)\b/, "unknown"],
];

/** Returns the states that the words of a question name. */
export function statesOf({ text }: Slots): readonly CheckBrief["status"][] {
  return statusWords.flatMap(([pattern, status]) => (pattern.test(text) ? [status] : []));
}
