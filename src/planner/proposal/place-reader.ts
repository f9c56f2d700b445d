import type { KnownPlace } from "../reading/vocabulary.ts";
import { foldName } from "../reading/words.ts";

export interface PlaceReading {
  readonly places: readonly string[];
  /** "private location office-1": slugs of private locations. */
  readonly privatePlaces: readonly string[];
  readonly used: ReadonlySet<number>;
}

/** Finds places by code or by city anywhere in the words. */
export function readPlaceNames(
  words: readonly string[],
  known: readonly KnownPlace[],
): PlaceReading {
  const places = new Set<string>();
  const privatePlaces = new Set<string>();
  const used = new Set<number>();
  for (let at = 0; at < words.length; at += 1) {
    const isPrivate =
      /^private$/i.test(words[at - 2] ?? "") && /^locations?$/i.test(words[at - 1] ?? "");
    if (isPrivate && /^[A-Za-z0-9][A-Za-z0-9-]{0,29}$/.test(words[at] ?? "")) {
      privatePlaces.add(words[at] ?? "");
      used.add(at);
      continue;
    }
    for (const { region, name } of known) {
      const length = countMatched(words, at, [region, name]);
      if (length === 0) continue;
      places.add(region);
      for (let index = at; index < at + length; index += 1) used.add(index);
    }
  }
  return { places: [...places], privatePlaces: [...privatePlaces], used };
}

function countMatched(words: readonly string[], at: number, names: readonly string[]): number {
  for (const name of names) {
    const city = foldName(name);
    const short = city
      .split(" ")
      .filter((part) => part.length > 1)
      .join(" ");
    for (const wanted of new Set([city, short])) {
      for (const length of [1, 2, 3]) {
        if (at + length > words.length || wanted === "") continue;
        if (foldName(words.slice(at, at + length).join(" ")) === wanted) return length;
      }
    }
  }
  return 0;
}
