import { useQueries } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type CheckOverview, pageQuery, pageSize } from "./queries.ts";
import type { ListSearch } from "./search.ts";

/** Last search of the check list. The list beside an open check starts with the same search. */
let last: ListSearch = {};

export function rememberSearch(search: ListSearch): void {
  last = search;
}

export function readLastSearch(): ListSearch {
  return last;
}

/**
 * Last known index of each check in the list. The list beside an open check scrolls to this index.
 */
const places = new Map<string, number>();
const maxPlaces = 5_000;

export function rememberPlace(checkId: string, index: number): void {
  if (places.size >= maxPlaces) places.clear();
  places.set(checkId, index);
}

export function findPlace(checkId: string): number {
  return places.get(checkId) ?? -1;
}

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Whether all checks that match the filter are selected, including rows that are not loaded. */
  readonly isAll: boolean;
  readonly has: (checkId: string) => boolean;
  readonly toggle: (checkId: string, index: number) => void;
  /** Selects all rows from the last toggled row to the row at `index`. */
  readonly extend: (index: number, idsBetween: (from: number, to: number) => string[]) => void;
  readonly choose: (ids: readonly string[]) => void;
  readonly chooseAll: () => void;
  readonly clear: () => void;
}

interface Chosen {
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly lastIndex: number;
}

const nothing: Chosen = { ids: new Set(), isAll: false, lastIndex: 0 };

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<Chosen>(nothing);
  return useMemo(
    () => ({
      ids: chosen.ids,
      isAll: chosen.isAll,
      has: (checkId) => chosen.isAll || chosen.ids.has(checkId),
      toggle: (checkId, lastIndex) => {
        // If all checks are selected, toggling one check clears the selection, because the ids of
        // the checks that are not loaded are unknown.
        if (chosen.isAll) return setChosen({ ...nothing, lastIndex });
        const ids = new Set(chosen.ids);
        if (!ids.delete(checkId)) ids.add(checkId);
        setChosen({ ids, isAll: false, lastIndex });
      },
      extend: (index, idsBetween) => {
        const [from, to] = [chosen.lastIndex, index].sort((a, b) => a - b);
        const ids = new Set([...chosen.ids, ...idsBetween(from ?? 0, to ?? 0)]);
        setChosen({ ids, isAll: false, lastIndex: index });
      },
      choose: (ids) => setChosen({ ...nothing, ids: new Set(ids) }),
      chooseAll: () => setChosen({ ...chosen, isAll: true }),
      clear: () => setChosen(nothing),
    }),
    [chosen],
  );
}

export interface ListRows {
  readonly total: number | undefined;
  readonly error: unknown;
  readonly barFrom: string;
  /** Whether the rows still belong to the previous search because the new search is loading. */
  readonly isOld: boolean;
  readonly at: (index: number) => CheckOverview | undefined;
  readonly indexOf: (checkId: string) => number;
  readonly loaded: readonly CheckOverview[];
  readonly retry: () => void;
  /** Reports the indexes of the first and last visible row, so that their pages are loaded. */
  readonly show: (first: number, last: number) => void;
}

const pageOf = (index: number) => Math.floor(index / pageSize) + 1;

/** Loads the visible pages of a check list. The list can have any length. */
export function useListRows(search: ListSearch): ListRows {
  const [range, setRange] = useState({ first: 1, last: 1 });
  const numbers = Array.from({ length: range.last - range.first + 1 }, (_, n) => range.first + n);
  const results = useQueries({ queries: numbers.map((page) => pageQuery(search, page)) });
  const pages = new Map(results.map((result, place) => [numbers[place] ?? 0, result.data]));
  const known = results.find(({ data }) => data !== undefined)?.data;
  const at = (index: number) => pages.get(pageOf(index))?.entries[index % pageSize];
  return {
    total: known?.total,
    error: known === undefined ? results.find(({ error }) => error !== null)?.error : null,
    barFrom: known?.barFrom ?? "",
    isOld: results.some(({ isPlaceholderData }) => isPlaceholderData),
    at,
    indexOf: (checkId) => {
      for (const [page, data] of pages) {
        const place = data?.entries.findIndex((entry) => entry.checkId === checkId) ?? -1;
        if (place >= 0) return (page - 1) * pageSize + place;
      }
      return -1;
    },
    loaded: [...pages.values()].flatMap((data) => data?.entries ?? []),
    retry: () => {
      for (const result of results) void result.refetch();
    },
    show: (first, last) => {
      const next = { first: pageOf(Math.max(0, first)), last: pageOf(Math.max(0, last)) };
      if (next.first !== range.first || next.last !== range.last) setRange(next);
    },
  };
}
