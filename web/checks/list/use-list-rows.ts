import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { type CheckOverview, pageQuery, pageSize } from "./queries.ts";
import type { ListSearch } from "./search.ts";

export interface ListRows {
  readonly total: number | undefined;
  readonly error: unknown;
  readonly barFrom: string;
  /** Whether the rows belong to the previous search while the new one loads. */
  readonly isOld: boolean;
  readonly at: (index: number) => CheckOverview | undefined;
  readonly indexOf: (checkId: string) => number;
  readonly loaded: readonly CheckOverview[];
  readonly retry: () => void;
  /** Reports the visible rows, whose pages are loaded. */
  readonly show: (first: number, last: number) => void;
}

const pageOf = (index: number) => Math.floor(index / pageSize) + 1;

/** Loads the visible pages of a list of any length. */
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
