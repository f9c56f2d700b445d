import { type Grade, grades, matchNames } from "./name-match.ts";
import type { KnownThing, ThingKind } from "./vocabulary.ts";
import { foldName } from "./words.ts";

/** What a question may call a thing: its name, and for a channel also the part that people say. */
export function listThingNames({ kind, name }: KnownThing): string[] {
  if (kind !== "channel") return [name];
  const bare = name.replace(/ at [\w.:-]+$/, "");
  return [...new Set([name, bare, bare.replace(/^\S+ (?=[#@])/, "")])];
}

const kindWords: Readonly<Record<ThingKind, RegExp>> = {
  service: /^services?$/,
  group: /^groups?$/,
  page: /^(?:page|pages|statuspage)$/,
  channel: /^channels?$/,
  window: /^(?:windows?|maintenance)$/,
};

/** The kinds that a question names by their word: "the Edge service". */
export function listSpokenKinds(words: readonly string[]): ReadonlySet<ThingKind> {
  const kinds = Object.keys(kindWords) as ThingKind[];
  return new Set(kinds.filter((kind) => words.some((word) => kindWords[kind].test(word))));
}

/** Of several with one name that of the kind which was spoken of, else the first. */
export function pickThing(
  things: readonly KnownThing[],
  spoken: ReadonlySet<ThingKind>,
): KnownThing | null {
  return things.find(({ kind }) => spoken.has(kind)) ?? things[0] ?? null;
}

/** By folded name, all that have it. */
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

/** The thing that a phrase names better than it names anything else. */
export function matchThing(
  phrase: string,
  things: readonly KnownThing[],
  rivals: {
    readonly grades: readonly (Grade | undefined)[];
    readonly spoken: ReadonlySet<ThingKind>;
  },
): KnownThing | null {
  const found = matchNames(phrase, things, listThingNames);
  if (found === null) return null;
  const best = Math.min(...rivals.grades.map(rankOf), grades.length);
  const own = rankOf(found.grade);
  const isSpoken = found.things.some(({ kind }) => rivals.spoken.has(kind));
  if (own > best || (own === best && !isSpoken)) return null;
  // A part that several have names none of them.
  if (found.things.length > 1 && !isSpoken && found.grade !== "exact") return null;
  return pickThing(found.things, rivals.spoken);
}
