import { uuidPattern } from "../../platform/text/patterns.ts";
import { foldName, isAlike } from "./words.ts";

export type NameKind =
  | "check"
  | "service"
  | "group"
  | "tag"
  | "incident"
  | "location"
  | "page"
  | "channel"
  | "window"
  | "member"
  | "dashboard"
  | "schedule";

/** An object of the account with a name. */
export interface Named {
  readonly kind: NameKind;
  readonly id: string;
  readonly name: string;
  /** Other texts that name it exactly, such as a host name or an email address. */
  readonly also?: readonly string[];
  /** The checks that it stands for. */
  readonly checkIds: readonly string[];
}

/** Words of a question that name something. */
export interface FoundName {
  /** Everything that these words fit equally well. */
  readonly things: readonly Named[];
  /** The words as typed. */
  readonly typed: string;
  /** Whether the words are the whole name. */
  readonly isWhole: boolean;
  readonly isExcluded: boolean;
}

export interface NameReading {
  /** The question with placeholders such as THING and LOCATION in the place of names. */
  readonly masked: string;
  readonly found: readonly FoundName[];
  /** Words that are neither common nor names. */
  readonly unknown: readonly string[];
}

/** Nouns that say what kind of object the name beside them is. */
const nouns: readonly (readonly [RegExp, NameKind])[] = [
  [/^(?:check|monitor)$/, "check"],
  [/^services?$/, "service"],
  [/^groups?$/, "group"],
  [/^(?:tags?|tagged|label|labelled|labeled)$/, "tag"],
  [/^(?:incidents?|outages?)$/, "incident"],
  [/^(?:locations?|regions?|probes?)$/, "location"],
  [/^(?:pages?|statuspage)$/, "page"],
  [/^channels?$/, "channel"],
  [/^(?:windows?|maintenance)$/, "window"],
  [/^(?:members?|user)$/, "member"],
  [/^(?:dashboards?|screens?|wall)$/, "dashboard"],
  [/^(?:schedules?|rota|rotation)$/, "schedule"],
];

/** Kinds in the order in which an ambiguous word is read. */
const kindOrder: readonly NameKind[] = [
  "check",
  "service",
  "group",
  "location",
  "incident",
  "member",
  "schedule",
  "page",
  "channel",
  "window",
  "dashboard",
  "tag",
];

const placeholders: Readonly<Partial<Record<NameKind, string>>> = {
  check: "THING",
  service: "THING",
  group: "THING",
  tag: "THING",
};

export const placeholderOf = (kind: NameKind) => placeholders[kind] ?? kind.toUpperCase();

/** Which words of a question are not names. */
export interface OrdinaryWords {
  readonly isCommon: (word: string) => boolean;
  /** Returns the ordinary word that was probably meant by a misspelt one, or `null`. */
  readonly correct: (word: string) => string | null;
  /** Returns whether a word names a kind of check, such as "tcp". */
  readonly isKind: (word: string) => boolean;
}

export const noOrdinaryWords: OrdinaryWords = {
  isCommon: () => false,
  correct: () => null,
  isKind: () => false,
};

interface Token {
  readonly text: string;
  readonly rawIndex: number;
  readonly isCommon: boolean;
}

interface Sentence {
  readonly raws: readonly string[];
  readonly isCommon: (word: string) => boolean;
}

interface PartMatch {
  readonly token: Token & { readonly index: number };
  readonly gain: number;
  /** Whether the word is only the beginning of the word of the name. */
  readonly isPrefix: boolean;
}

interface Match {
  readonly thing: Named;
  readonly tokens: readonly number[];
  readonly score: number;
  readonly isWhole: boolean;
}

/** Addresses, host names and URLs. */
const hostPattern =
  /^\d+\.\d+\.\d+\.\d+|:\/\/|^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}|^[0-9a-f:]*::/;

const placeholderPattern = /^[A-Z]{3,}$/;

/** Splits a question at spaces and quotation marks. A quoted word is always read as a name. */
function splitRaw(text: string): { readonly raw: string; readonly isQuoted: boolean }[] {
  return text.split('"').flatMap((part, index) =>
    part
      .split(/[\s,;]+/)
      .map((raw) => raw.replace(/^[\s.!?:()[\]{}<>'*_~|`-]+|[\s.!?:()[\]{}<>'*_~|`-]+$/g, ""))
      .filter((raw) => raw !== "")
      .map((raw) => ({ raw, isQuoted: index % 2 === 1 || raw.startsWith("#") })),
  );
}

export class NameIndex {
  readonly #names: readonly Named[];
  readonly #words: readonly (readonly string[])[];
  readonly #weights = new Map<string, number>();
  readonly #exact = new Map<string, Named[]>();

  /** Returns an index of the names of some kinds only. */
  restrict(...kinds: readonly NameKind[]): NameIndex {
    return new NameIndex(this.#names.filter(({ kind }) => kinds.includes(kind)));
  }

  constructor(names: readonly Named[]) {
    this.#names = names;
    this.#words = names.map(({ name }) => [...new Set(foldName(name).split(" "))]);
    const counts = new Map<string, number>();
    for (const word of this.#words.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      this.#weights.set(word, Math.log(1 + Math.max(20, names.length) / count));
    }
    for (const thing of names) {
      const ids = uuidPattern.test(thing.id) || thing.kind === "location" ? [thing.id] : [];
      for (const text of [...ids, ...(thing.also ?? [])]) {
        const key = text.toLowerCase();
        this.#exact.set(key, [...(this.#exact.get(key) ?? []), thing]);
      }
    }
  }

  /** Finds names in a question in lower case. */
  find(text: string, words: OrdinaryWords): NameReading {
    const { isCommon, isKind } = words;
    const raws = splitRaw(text).map(({ raw, isQuoted }) => ({
      raw: isQuoted ? raw : this.#correct(raw, words),
      isQuoted,
    }));
    const tokens = raws.flatMap(({ raw, isQuoted }, rawIndex): Token[] =>
      placeholderPattern.test(raw)
        ? []
        : foldName(raw)
            .split(" ")
            .filter((part) => part !== "")
            .map((part) => {
              // "dns checks" are checks of a kind; "dns" alone may be part of a name.
              const isOfKind = /^(?:checks?|monitors?)$/.test(raws[rawIndex + 1]?.raw ?? "");
              const isOrdinary = isKind(part) ? isOfKind : isCommon(part);
              return { text: part, rawIndex, isCommon: !isQuoted && isOrdinary };
            }),
    );
    const used = new Set<number>();
    const found: { readonly at: number; readonly raws: Set<number>; readonly name: FoundName }[] =
      [];
    const add = (things: readonly Named[], rawIndexes: readonly number[], isWhole: boolean) => {
      const own = new Set(rawIndexes);
      const at = Math.min(...own);
      const typed = [...own].map((index) => raws[index]?.raw ?? "").join(" ");
      const before = raws.slice(Math.max(0, at - 2), at).map(({ raw }) => raw);
      const isExcluded = before.some((word) => /^(?:except|excluding|besides|without)$/.test(word));
      for (const index of own) used.add(index);
      found.push({ at, raws: own, name: { things, typed, isWhole, isExcluded } });
    };
    for (const [index, { raw }] of raws.entries()) {
      const things = this.#exact.get(raw);
      if (things !== undefined) add(things, [index], true);
      else if (uuidPattern.test(raw)) {
        const isIncident = /\bincident\b/.test(text);
        const kind = isIncident ? ("incident" as const) : ("check" as const);
        add([{ kind, id: raw, name: raw, checkIds: isIncident ? [] : [raw] }], [index], true);
      }
    }
    for (;;) {
      const free = tokens
        .map((token, index) => ({ ...token, index }))
        .filter(({ rawIndex }) => !used.has(rawIndex));
      const matches = this.#match(free, { raws: raws.map(({ raw }) => raw), isCommon });
      const best = matches[0];
      if (best === undefined || found.length >= 8) break;
      const key = best.tokens.join();
      const twins = matches.filter(
        (one) =>
          one.tokens.join() === key &&
          one.isWhole === best.isWhole &&
          one.score >= best.score * 0.8,
      );
      const isNamesake = twins.some(({ thing }) => thing.kind !== "tag");
      const things = twins
        .filter(({ thing }) => thing.kind !== "tag" || !isNamesake)
        .map(({ thing }) => thing)
        .sort((one, other) => kindOrder.indexOf(one.kind) - kindOrder.indexOf(other.kind));
      add(
        things,
        best.tokens.map((index) => tokens[index]?.rawIndex ?? 0),
        best.isWhole,
      );
    }
    return maskText(raws, found, isCommon);
  }

  /** Corrects a misspelt ordinary word, unless it looks like a name of the account. */
  #correct(raw: string, { isCommon, correct }: OrdinaryWords): string {
    if (placeholderPattern.test(raw) || isCommon(raw) || this.#exact.has(raw)) return raw;
    const isName = [...this.#weights.keys()].some(
      (word) => word.startsWith(raw) || (!isCommon(word) && isAlike(raw, word)),
    );
    return isName ? raw : (correct(raw) ?? raw);
  }

  #match(free: readonly (Token & { readonly index: number })[], sentence: Sentence): Match[] {
    const matches = this.#names.flatMap((thing, index) => {
      const match = this.#matchOne(thing, this.#words[index] ?? [], free, sentence);
      return match === null ? [] : [match];
    });
    return matches.sort((one, other) => other.score - one.score);
  }

  #matchOne(
    thing: Named,
    words: readonly string[],
    free: readonly (Token & { readonly index: number })[],
    { raws, isCommon }: Sentence,
  ): Match | null {
    const matched: PartMatch[] = [];
    let total = 0;
    for (const word of words) {
      const weight = this.#weights.get(word) ?? 1;
      total += weight;
      let best: PartMatch | null = null;
      for (const token of free) {
        const quality = rate(token, word, isCommon(word));
        if (quality === 0 || matched.some((one) => one.token.index === token.index)) continue;
        // Of a word that occurs twice, the one beside the words found so far is meant.
        const last = matched.at(-1);
        const gap = last === undefined ? 0 : Math.abs(token.index - last.token.index);
        if (gap > 3) continue;
        const gain = weight * quality - gap * 0.01;
        const isPrefix = token.text.length < word.length && word.startsWith(token.text);
        if (best === null || gain > best.gain) best = { token, gain, isPrefix };
      }
      if (best !== null) matched.push(best);
    }
    if (matched.length === 0) return null;
    const isWhole = matched.length === words.length && !matched.some(({ isPrefix }) => isPrefix);
    const counted = isWhole ? matched : matched.filter(({ token }) => !token.isCommon);
    const tokens = counted.map(({ token }) => token.index).sort((one, other) => one - other);
    const rawIndexes = matched.map(({ token }) => token.rawIndex);
    const isNoun = isNamedByNoun(thing.kind, raws, rawIndexes);
    const own = matched.filter(({ token }) => !token.isCommon);
    // Common words alone are a name only if they are all of it and there are several, or a noun
    // says so.
    if (own.length === 0 && !(isWhole && (words.length > 1 || isNoun))) return null;
    const gain = counted.reduce((sum, one) => sum + one.gain * (one.token.isCommon ? 0.5 : 1), 0);
    if (!isWhole && (gain / total < 0.25 || thing.kind === "tag")) return null;
    const score = gain * (isWhole ? 1.5 : 1) * (isNoun ? 1.6 : 1);
    return { thing, tokens, score, isWhole };
  }
}

function maskText(
  raws: readonly { readonly raw: string; readonly isQuoted: boolean }[],
  found: readonly { readonly at: number; readonly raws: Set<number>; readonly name: FoundName }[],
  isCommon: (word: string) => boolean,
): NameReading {
  const unknown: string[] = [];
  const words: string[] = [];
  for (const [index, { raw, isQuoted }] of raws.entries()) {
    const name = found.find((one) => one.raws.has(index));
    if (name !== undefined) {
      const [first] = name.name.things;
      if (name.at === index && first !== undefined) words.push(placeholderOf(first.kind));
      continue;
    }
    const parts = foldName(raw).split(" ").filter(Boolean);
    const isKnown =
      !isQuoted &&
      !hostPattern.test(raw) &&
      (placeholderPattern.test(raw) ||
        parts.every((part) => isCommon(part) || /^\d/.test(part) || part.length < 3));
    if (!isKnown && parts.length > 0) unknown.push(raw);
    words.push(isKnown ? raw : "UNKNOWN");
  }
  const ordered = found.toSorted((one, other) => one.at - other.at);
  return { masked: words.join(" "), found: ordered.map(({ name }) => name), unknown };
}

/** Returns how well a word of a question fits a word of a name, from 0 to 1. */
function rate({ text, isCommon }: Token, word: string, isWordCommon: boolean): number {
  if (text === word) return 1;
  if (isCommon || isWordCommon) return 0;
  if (text.length >= 3 && word.startsWith(text)) return 0.8;
  return isAlike(text, word) ? 0.75 : 0;
}

function isNamedByNoun(
  kind: NameKind,
  raws: readonly string[],
  indexes: readonly number[],
): boolean {
  const [from, to] = [Math.min(...indexes), Math.max(...indexes)];
  const beside = [raws[from - 1], raws[to + 1]].filter((word) => word !== undefined);
  return beside.some((word) => nouns.some(([pattern, own]) => own === kind && pattern.test(word)));
}
