import { allowedSlips, measureEditDistance } from "../../platform/text/compare.ts";
import type { KnownThing, ThingKind } from "./vocabulary.ts";
import { foldName } from "./words.ts";

/** Grades of a match between a phrase and a name, from best to worst. */
const grades = ["exact", "prefix", "contains", "abbreviated", "similar", "partly similar"] as const;
type Grade = (typeof grades)[number];

/** Returns whether a match of this grade assumes a typo in the phrase. */
export function isGuess(grade: Grade): boolean {
  return grade === "similar" || grade === "partly similar";
}

interface Match<Thing> {
  readonly grade: Grade;
  /** All resources whose names match the phrase with this grade. */
  readonly things: readonly Thing[];
}

/**
 * Finds the resources whose names match the phrase best. Returns these resources and the grade of
 * their match, or `null` if no name matches.
 */
export function matchNames<Thing>(
  phrase: string,
  things: readonly Thing[],
  namesOf: (thing: Thing) => readonly string[],
): Match<Thing> | null {
  const wanted = foldName(phrase);
  if (wanted === "") return null;
  const found = new Map<Grade, Thing[]>();
  for (const thing of things) {
    const grade = gradeBest(wanted, namesOf(thing));
    if (grade !== null) found.set(grade, [...(found.get(grade) ?? []), thing]);
  }
  for (const grade of grades) {
    const best = found.get(grade);
    if (best !== undefined) return { grade, things: best };
  }
  return null;
}

function gradeBest(wanted: string, names: readonly string[]): Grade | null {
  let best: Grade | null = null;
  for (const name of names) {
    const grade = gradeName(wanted, foldName(name));
    if (grade === null) continue;
    if (best === null || grades.indexOf(grade) < grades.indexOf(best)) best = grade;
  }
  return best;
}

function gradeName(wanted: string, name: string): Grade | null {
  if (name === "") return null;
  if (name === wanted) return "exact";
  const joined = name.replaceAll(" ", "");
  const wantedJoined = wanted.replaceAll(" ", "");
  if (joined === wantedJoined) return "exact";
  // A prefix of one or two letters would match too many names.
  if (wantedJoined.length >= 3 && joined.startsWith(wantedJoined)) return "prefix";
  if (containsParts(name, wanted)) return "contains";
  if (isAbbreviated(wanted, name)) return "abbreviated";
  if (isSimilar(wanted, name)) return "similar";
  return isPartlySimilar(wanted, name) ? "partly similar" : null;
}

/**
 * Returns whether each word of the phrase occurs in the name. A word of three or more letters may
 * also be the beginning of a word of the name.
 */
function containsParts(name: string, wanted: string): boolean {
  const parts = name.split(" ");
  return wanted
    .split(" ")
    .every((part) =>
      parts.some((known) => known === part || (part.length >= 3 && known.startsWith(part))),
    );
}

/**
 * Returns whether a phrase such as "mail gw" abbreviates a name such as "Mail Gateway". At least
 * one part of the name must be complete in the phrase.
 */
function isAbbreviated(wanted: string, name: string): boolean {
  const parts = name.split(" ");
  const wantedParts = wanted.split(" ");
  return (
    wantedParts.length <= parts.length &&
    wantedParts.some((part) => parts.includes(part)) &&
    wantedParts.every((part) => parts.some((known) => known === part || abbreviates(part, known)))
  );
}

/**
 * Returns whether a part consists of the first letter of a word and some of its later letters, in
 * order.
 */
function abbreviates(part: string, known: string): boolean {
  if (part.length < 2 || part.length > known.length - 2 || part[0] !== known[0]) return false;
  let at = 0;
  for (const letter of known) if (letter === part[at]) at += 1;
  return at === part.length;
}

/**
 * Returns whether the phrase is the complete name with a typo, or with two typos in a long name.
 */
function isSimilar(wanted: string, name: string): boolean {
  const left = wanted.replaceAll(" ", "");
  const right = name.replaceAll(" ", "");
  const slips = allowedSlips(Math.min(left.length, right.length));
  return slips > 0 && measureEditDistance(left, right, slips) <= slips;
}

/** Returns whether each part of the phrase is a part of the name, possibly with typos. */
function isPartlySimilar(wanted: string, name: string): boolean {
  const parts = name.split(" ");
  return wanted.split(" ").every((part) =>
    parts.some((known) => {
      const allowed = Math.min(allowedSlips(part.length), allowedSlips(known.length));
      if (known === part) return true;
      return allowed > 0 && measureEditDistance(part, known, allowed) <= allowed;
    }),
  );
}

/**
 * Lists the names by which questions may refer to a resource. A channel also has shorter names,
 * such as "#ops".
 */
function listThingNames({ kind, name, aliases = [] }: KnownThing): string[] {
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

/** Returns the resource kinds that a question mentions, as in "the Edge service". */
export function listSpokenKinds(words: readonly string[]): ReadonlySet<ThingKind> {
  const kinds = Object.keys(kindWords) as ThingKind[];
  return new Set(kinds.filter((kind) => words.some((word) => kindWords[kind].test(word))));
}

/**
 * From resources with the same name, selects those whose kind the question mentions. If there are
 * none, returns all of them.
 */
export function pickThings(
  things: readonly KnownThing[],
  spoken: ReadonlySet<ThingKind>,
): readonly KnownThing[] {
  const meant = things.filter(({ kind }) => spoken.has(kind));
  return meant.length > 0 ? meant : things;
}

/** Groups resources by normalised name. */
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

/**
 * Returns the resource that a phrase matches best, or several resources if they have the same name.
 * `rivals` contains the grades with which the phrase matches a check, a tag and an incident. If one
 * of these grades is better than the grade of the resource, returns no resource. If one is equal,
 * returns the resource only if the question mentions its kind, such as "service".
 */
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
  // Names of people are short, so an assumed typo is often wrong. A phrase with an assumed typo
  // therefore matches a member only if the question contains a word such as "member".
  if (isGuess(found.grade) && !isSpoken && meant.every(({ kind }) => kind === "member")) return [];
  // A phrase that approximately matches several different names does not identify a resource.
  const names = new Set(meant.map(({ name }) => foldName(name)));
  return names.size > 1 && found.grade !== "exact" ? [] : meant;
}
