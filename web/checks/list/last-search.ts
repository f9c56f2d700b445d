import type { ListSearch } from "./search.ts";

/** The last search of the list, shown again beside an open check. */
let last: ListSearch = {};

export function rememberSearch(search: ListSearch): void {
  last = search;
}

export function readLastSearch(): ListSearch {
  return last;
}

/** Last position of each check in the list, to scroll to it beside its page. */
const places = new Map<string, number>();
const maxPlaces = 5_000;

export function rememberPlace(checkId: string, index: number): void {
  if (places.size >= maxPlaces) places.clear();
  places.set(checkId, index);
}

export function findPlace(checkId: string): number {
  return places.get(checkId) ?? -1;
}
