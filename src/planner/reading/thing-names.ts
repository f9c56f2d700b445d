import { type Grade, grades, isGuess, matchNames } from "./name-match.ts";
import type { KnownThing, ThingKind } from "./vocabulary.ts";
import { foldName } from "./words.ts";

/** Lists the names of a resource in questions; for a channel also its short name. */
export function listThingNames({ kind, name, aliases = [] }: KnownThing): string[] {
  if (kind !== "channel") return [name, ...aliases];
  const bare = name.replace(/ at [\w.:-]+$/, "");
  return [...new Set([name, bare, bare.replace(/^\S+ (?=[#@])/, "")])];
}

const kindWords: Readonly<Record<ThingKind, RegExp>> = {
  service: /^services?$/,
  group: /^groups?$/,
  page: /^(?:page|pages|statuspage)$/,
  channel: /^channels?$/,
  window: /^(?:windows?|maintenance)$/,
  member: /^(?:members?|colleagues?|roles?)$/,
  dashboard: /^dashboards?$/,
  schedule: /^(?:schedules?|rotas?|rotations?)$/,
};

export const thingNouns: Readonly<Record<ThingKind, string>> = {
  service: "a service",
  group: "a group",
  page: "a status page",
  channel: "an alert channel",
  window: "a maintenance window",
  member: "a member",
  dashboard: "a dashboard",
  schedule: "an on-call schedule",
};

/** Returns the kinds that a question mentions: "the Edge service". */
export function listSpokenKinds(words: readonly string[]): ReadonlySet<ThingKind> {
  const kinds = Object.keys(kindWords) as ThingKind[];
  return new Set(kinds.filter((kind) => words.some((word) => kindWords[kind].test(word))));
}

/** Of several resources with one name, returns those of the mentioned kind, else all. */
export function pickThings(
  things: readonly KnownThing[],
  spoken: ReadonlySet<ThingKind>,
): readonly KnownThing[] {
  const meant = things.filter(({ kind }) => spoken.has(kind));
  return meant.length > 0 ? meant : things;
}

/** Indexes resources by folded name. */
export function indexThings(things: readonly KnownThing[]): Map<string, KnownThing[]> {
  const pairs = things.flatMap((thing) =>
    listThingNames(thing).map((name) => ({ name: foldName(name), thing })),
  );
  const groups = Map.groupBy(pairs, ({ name }) => name);
  groups.delete("");
  return new Map([...groups].map(([name, own]) => [name, own.map(({ thing }) => thing)]));
}

const rankOf = (grade: Grade | null | undefined) =>
  grade === null || grade === undefined ? grades.length : grades.indexOf(grade);

/** Returns what a phrase matches best: one resource, or several of one name. */
export function matchThing(
  phrase: string,
  things: readonly KnownThing[],
  rivals: {
    readonly grades: readonly (Grade | undefined)[];
    readonly spoken: ReadonlySet<ThingKind>;
  },
): readonly KnownThing[] {
  const found = matchNames(phrase, things, listThingNames);
  if (found === null) return [];
  const best = Math.min(...rivals.grades.map(rankOf), grades.length);
  const own = rankOf(found.grade);
  const isSpoken = found.things.some(({ kind }) => rivals.spoken.has(kind));
  if (own > best || (own === best && !isSpoken)) return [];
  const meant = pickThings(found.things, rivals.spoken);
  // Names of people are short and numerous: a typo is accepted only next to the word "member".
  if (isGuess(found.grade) && !isSpoken && meant.every(({ kind }) => kind === "member")) return [];
  // A part that several names contain identifies none of them.
  const names = new Set(meant.map(({ name }) => foldName(name)));
  return names.size > 1 && found.grade !== "exact" ? [] : meant;
}
