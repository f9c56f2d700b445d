import { isOrdinary, isPlain } from "./lexicon.ts";
import { unitMs } from "./moment.ts";
import {
  indexThings,
  isGuess,
  listSpokenKinds,
  matchNames,
  matchThing,
  pickThings,
} from "./name-match.ts";
import {
  type Ambiguity,
  type KnownCheck,
  type KnownIncident,
  type KnownThing,
  type Mark,
  type Subject,
  type ThingKind,
  thingMarks,
  type Vocabulary,
} from "./vocabulary.ts";
import { foldName, type Word } from "./words.ts";

export { emptySubject, type Mark, type Subject } from "./vocabulary.ts";

interface SubjectReading {
  readonly subject: Subject;
  readonly marks: readonly Mark[];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const maxNames = 10;
const maxMembers = 50;
const maxUnknown = 3;
const maxLookups = 16;
const maxPhraseWords = 6;

interface Named {
  readonly checks: readonly KnownCheck[];
  readonly incidents: readonly KnownIncident[];
  readonly things: readonly KnownThing[];
}

const nobody: Named = { checks: [], incidents: [], things: [] };

class Reader {
  readonly #words: readonly Word[];
  readonly #vocabulary: Vocabulary;
  readonly marks: Mark[];
  readonly #isTaken: boolean[];
  readonly #speaksOfIncidents: boolean;
  /** Results of earlier matches by phrase; `null` if the phrase matched nothing. */
  readonly #looked = new Map<string, Mark>();
  readonly checks = new Map<string, KnownCheck>();
  readonly tags = new Set<string>();
  readonly places = new Set<string>();
  readonly incidents = new Map<string, KnownIncident>();
  readonly things = new Map<string, KnownThing>();
  readonly namesakes = new Map<string, KnownThing>();
  readonly #spokenKinds: ReadonlySet<ThingKind>;
  readonly ids: string[] = [];
  readonly ambiguities: Ambiguity[] = [];
  readonly unknown: string[] = [];

  constructor(words: readonly Word[], taken: ReadonlySet<number>, vocabulary: Vocabulary) {
    this.#words = words;
    this.#vocabulary = vocabulary;
    this.marks = words.map(() => null);
    this.#isTaken = words.map((_, index) => taken.has(index));
    this.#spokenKinds = listSpokenKinds(words.map(({ text }) => text));
    this.#speaksOfIncidents = words.some(({ text }) =>
      /^(?:incidents?|outages?|postmortems?|updates?|draft|post|publish)$/.test(text),
    );
  }

  readIds(): void {
    for (const [index, word] of this.#words.entries()) {
      if (this.#isTaken[index] || !uuid.test(word.text)) continue;
      const check = this.#vocabulary.checks.find(({ checkId }) => checkId === word.text);
      const incident = this.#vocabulary.incidents.find((one) => one.incidentId === word.text);
      if (check !== undefined) this.checks.set(check.checkId, check);
      else if (incident !== undefined) this.incidents.set(incident.incidentId, incident);
      else if (this.ids.length < maxNames) this.ids.push(word.text);
      this.#take(index, 1, incident === undefined ? "NAME" : "INCIDENTNAME");
    }
  }

  /** Finds complete resource names in the question. Longer names take precedence. */
  readWholeNames(): void {
    const parts = this.#words.flatMap((word, index) =>
      foldName(word.text)
        .split(" ")
        .map((part) => ({ part, index })),
    );
    const places = Map.groupBy(parts.keys(), (index) => parts[index]?.part ?? "");
    const byName = this.#indexNames();
    const names = [...byName.keys()].sort((left, right) => right.length - left.length);
    for (const name of names) {
      const wanted = name.split(" ");
      // A check named "down" would match almost every question. A name of ordinary words therefore
      // matches only in quotation marks or together with its kind, as in "the network group".
      const isOnlyWords = wanted.every(isOrdinary);
      for (const at of places.get(wanted[0] ?? "") ?? []) {
        const isThere = wanted.every((part, offset) => parts[at + offset]?.part === part);
        const indices = parts.slice(at, at + wanted.length).map(({ index }) => index);
        const isFree = indices.every((index) => !this.#isTaken[index]);
        const isQuoted = indices.every((index) => this.#words[index]?.isQuoted);
        if (!isThere || !isFree) continue;
        if (isOnlyWords && !isQuoted && !this.#isCalledByKind(name, byName)) continue;
        const first = indices[0] ?? 0;
        const length = (indices.at(-1) ?? first) - first + 1;
        this.#takeNamed(name, byName.get(name) ?? nobody, [first, length]);
      }
    }
  }

  /** Returns whether the question mentions the kind of the resource, as in "the network group". */
  #isCalledByKind(name: string, byName: ReadonlyMap<string, Named>): boolean {
    return byName.get(name)?.things.some(({ kind }) => this.#spokenKinds.has(kind)) ?? false;
  }

  #indexNames(): Map<string, Named> {
    const byName = new Map<string, Named>();
    const keep = (name: string, more: Partial<Named>) => {
      const { checks, incidents, things } = byName.get(name) ?? nobody;
      if (name === "") return;
      byName.set(name, {
        checks: [...checks, ...(more.checks ?? [])],
        incidents: [...incidents, ...(more.incidents ?? [])],
        things: [...things, ...(more.things ?? [])],
      });
    };
    for (const [name, things] of indexThings(this.#vocabulary.things)) keep(name, { things });
    for (const check of this.#vocabulary.checks) {
      const names = new Set([foldName(check.name), foldName(check.target)]);
      for (const name of names) keep(name, { checks: [check] });
    }
    for (const incident of this.#vocabulary.incidents) {
      keep(foldName(incident.name), { incidents: [incident] });
    }
    return byName;
  }

  #takeNamed(name: string, named: Named, [first, length]: readonly [number, number]): void {
    const things = this.#standsAlone(first, length)
      ? pickThings(named.things, this.#spokenKinds)
      : [];
    const isMeant = things.some(({ kind }) => this.#spokenKinds.has(kind));
    if (things.length > 0 && (named.checks.length === 0 || isMeant)) {
      this.#takeThings(things, first, length);
      return;
    }
    if (named.checks.length > 0) {
      this.#keepChecks(name, named.checks);
      this.#keepNamesakes(things);
      this.#take(first, length, "NAME");
      return;
    }
    if (named.incidents.length === 0) return;
    for (const incident of named.incidents) this.incidents.set(incident.incidentId, incident);
    this.#take(first, length, "INCIDENTNAME");
  }

  /**
   * Returns whether the words clearly name a resource other than a check, such as a service "mail".
   * Returns false for "tagged mail", where "mail" is a tag, and for "mail-gatwey", which may be a
   * misspelt check. If this returns false, later steps interpret the words.
   */
  #standsAlone(first: number, length: number): boolean {
    const before = this.#words[first - 1]?.text ?? "";
    if (/^(?:tag|tags|tagged|label|labels|labell?ed)$/.test(before)) return false;
    const [word] = this.#words.slice(first, first + 1);
    if (length > 1 || word === undefined || word.isQuoted) return true;
    const isWhole = !foldName(word.text).includes(" ") || isThingName(this.#vocabulary, word.text);
    return isWhole && !this.#isLeftover(first - 1) && !this.#isLeftover(first + 1);
  }

  readPlaces(): void {
    for (const place of this.#vocabulary.places) {
      const city = foldName(place.name);
      const short = city
        .split(" ")
        .filter((part) => part.length > 1)
        .join(" ");
      for (const name of new Set([foldName(place.region), city, short])) {
        this.#readPlace(name, place.region);
      }
    }
  }

  #readPlace(name: string, region: string): void {
    const count = name.split(" ").length;
    if (name === "") return;
    for (let at = 0; at < this.#words.length; at += 1) {
      let joined = "";
      for (let length = 1; length <= count && at + length <= this.#words.length; length += 1) {
        const next = at + length - 1;
        if (this.#isTaken[next]) break;
        joined = `${joined} ${foldName(this.#words[next]?.text ?? "")}`.trim();
        if (!name.startsWith(joined)) break;
        if (joined !== name) continue;
        this.places.add(region);
        this.#take(at, length, "PLACE");
      }
    }
  }

  /** Reads tags from phrases such as "tagged core", "the tag core" and "core tag". */
  readTags(): void {
    const known = [...new Set(this.#vocabulary.checks.flatMap(({ tags }) => tags))];
    for (const [index, word] of this.#words.entries()) {
      if (this.#isTaken[index] || !/^(?:tag|tags|tagged|label|labels|labell?ed)$/.test(word.text)) {
        continue;
      }
      const at = [index + 1, index + 2, index - 1].find((near) => {
        const candidate = this.#words[near];
        if (candidate === undefined || this.#isTaken[near]) return false;
        return candidate.isQuoted || !isPlain(candidate.text) || known.includes(candidate.text);
      });
      if (at === undefined) continue;
      const wanted = this.#words[at]?.typed ?? "";
      const found = matchNames(wanted, known, (tag) => [tag]);
      for (const tag of found?.things ?? [wanted]) this.tags.add(tag);
      this.#take(at, 1, "TAGNAME");
    }
  }

  /** Matches remaining unknown words with names: adjacent words together, then each one alone. */
  readLeftovers(): void {
    for (let at = 0; at < this.#words.length; ) {
      const length = this.#countLeftover(at);
      if (length === 0) {
        at += 1;
        continue;
      }
      if (!this.#readPhrase(at, length)) {
        for (let index = at; index < at + length; index += 1) {
          if (!this.#readPhrase(index, 1)) this.#keepUnknown(index);
        }
      }
      at += length;
    }
  }

  #countLeftover(at: number): number {
    let length = 0;
    while (at + length < this.#words.length && this.#isLeftover(at + length)) {
      length += 1;
      if (this.#words[at]?.isQuoted || this.#words[at + length]?.isQuoted) break;
    }
    return length;
  }

  #isLeftover(index: number): boolean {
    const word = this.#words[index];
    if (word === undefined || this.#isTaken[index]) return false;
    return word.isQuoted || !(isPlain(word.text) || this.#isUnit(index));
  }

  /** Returns whether a word is a unit after a number, such as the "m" of "5m". */
  #isUnit(index: number): boolean {
    const [number, unit] = this.#words.slice(Math.max(0, index - 1), index + 1);
    return /^\d/.test(number?.text ?? "") && unitMs(unit?.text ?? "") !== null;
  }

  #readPhrase(at: number, length: number): boolean {
    const phrase = this.#words
      .slice(at, at + length)
      .map((word) => word.typed)
      .join(" ");
    // Matching every word of a long text would be too slow, so the number of phrases and their
    // length are limited.
    const known = this.#looked.get(phrase);
    if (known !== undefined) return known !== null && this.#take(at, length, known);
    if (this.#looked.size >= maxLookups || length > maxPhraseWords) return false;
    const hasMatch = this.#matchPhrase(phrase, at, length);
    this.#looked.set(phrase, hasMatch ? (this.marks[at] ?? null) : null);
    return hasMatch;
  }

  #matchPhrase(phrase: string, at: number, length: number): boolean {
    const { checks, incidents, places } = this.#vocabulary;
    const tags = [...new Set(checks.flatMap((check) => check.tags))];
    const tag = matchNames(phrase, tags, (one) => [one]);
    const check = matchNames(phrase, checks, (one) => [one.name, one.target]);
    const incident = matchNames(phrase, incidents, ({ name }) => [name]);
    const rivals = {
      grades: [check?.grade, tag?.grade, incident?.grade],
      spoken: this.#spokenKinds,
    };
    const things = matchThing(phrase, this.#vocabulary.things, rivals);
    if (things.length > 0) return this.#takeThings(things, at, length);
    const fitsIncident =
      incident !== null &&
      ((check === null && tag?.grade !== "exact") ||
        incident.grade === "exact" ||
        (this.#speaksOfIncidents && !isGuess(incident.grade)));
    if (fitsIncident) {
      for (const one of incident.things) this.incidents.set(one.incidentId, one);
      return this.#take(at, length, "INCIDENTNAME");
    }
    if (tag?.grade === "exact" && check?.grade !== "exact") {
      for (const one of tag.things) this.tags.add(one);
      return this.#take(at, length, "TAGNAME");
    }
    if (check !== null && !isGuess(check.grade)) {
      this.#keepChecks(phrase, check.things);
      return this.#take(at, length, "NAME");
    }
    const place = matchNames(phrase, places, ({ region, name }) => [region, name]);
    if (place !== null && place.things.length === 1) {
      for (const { region } of place.things) this.places.add(region);
      return this.#take(at, length, "PLACE");
    }
    if (check !== null) {
      this.#keepChecks(phrase, check.things);
      return this.#take(at, length, "NAME");
    }
    if (tag === null || tag.grade === "contains") return false;
    for (const one of tag.things) this.tags.add(one);
    return this.#take(at, length, "TAGNAME");
  }

  /** Adds resources that have the same name to the subject. */
  #takeThings(things: readonly KnownThing[], at: number, length: number): true {
    // Services and groups take precedence, because other kinds of resources have no status.
    const scopes = things.filter(({ kind }) => kind === "service" || kind === "group");
    const meant = scopes.length > 0 ? scopes : things;
    this.#keepNamesakes(things.filter((thing) => !meant.includes(thing)));
    for (const thing of meant) {
      this.things.set(keyOf(thing), thing);
      for (const checkId of thing.checkIds.slice(0, maxMembers)) {
        const known = this.#vocabulary.checks.find((check) => check.checkId === checkId);
        this.checks.set(checkId, known ?? { checkId, name: "", target: "", tags: [] });
      }
    }
    const [first] = meant;
    return this.#take(at, length, first === undefined ? "SOMETHING" : thingMarks[first.kind]);
  }

  #keepNamesakes(things: readonly KnownThing[]): void {
    for (const thing of things) this.namesakes.set(keyOf(thing), thing);
  }

  #keepChecks(phrase: string, checks: readonly KnownCheck[]): void {
    const [only] = checks;
    if (checks.length === 1 && only !== undefined && this.checks.size < maxNames) {
      this.checks.set(only.checkId, only);
    }
    if (checks.length > 1) this.ambiguities.push({ phrase, candidates: checks });
  }

  #keepUnknown(index: number): void {
    this.marks[index] = "SOMETHING";
    const typed = this.#words[index]?.typed ?? "";
    if (this.unknown.length < maxUnknown) this.unknown.push(typed);
  }

  #take(at: number, length: number, mark: Mark): true {
    for (let index = at; index < at + length; index += 1) {
      this.#isTaken[index] = true;
      this.marks[index] = mark;
    }
    return true;
  }
}

const keyOf = ({ kind, id }: KnownThing) => `${kind} ${id}`;

function isThingName({ things }: Vocabulary, text: string): boolean {
  return indexThings(things).has(foldName(text));
}

/** Reads the subject: exact names first, then approximate ones. Skips the words in `taken`. */
export function readSubject(
  words: readonly Word[],
  taken: ReadonlySet<number>,
  vocabulary: Vocabulary,
): SubjectReading {
  const reader = new Reader(words, taken, vocabulary);
  reader.readIds();
  reader.readWholeNames();
  reader.readTags();
  reader.readPlaces();
  reader.readLeftovers();
  return {
    marks: reader.marks,
    subject: {
      checks: [...reader.checks.values()],
      tags: [...reader.tags],
      places: [...reader.places],
      incidents: [...reader.incidents.values()],
      things: [...reader.things.values()],
      namesakes: [...reader.namesakes.values()],
      ids: reader.ids,
      ambiguities: reader.ambiguities,
      unknown: reader.unknown,
    },
  };
}
