import type { ListSearch } from "./search.ts";

/** What the list showed last: beside an open check it shows the same. */
let last: ListSearch = {};

export function rememberSearch(search: ListSearch): void {
  last = search;
}

export function readLastSearch(): ListSearch {
  return last;
}
