import type { ListSearch } from "./search.ts";

/** What the list showed last: beside an open check it shows the same. */
let last: ListSearch = {};

export function rememberSearch(search: ListSearch): void {
  last = search;
}

export function readLastSearch(): ListSearch {
  return last;
}

/** Where the list last showed each check, to find it again beside its page. */
const places = new Map<string, number>();
const maxPlaces = 5_000;

export function rememberPlace(checkId: string, index: number): void {
  if (places.size >= maxPlaces) places.clear();
  places.set(checkId, index);
}

export function findPlace(checkId: string): number {
  return places.get(checkId) ?? -1;
}
