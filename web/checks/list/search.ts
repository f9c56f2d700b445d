import type { operations } from "../../api/schema.d.ts";

/**
 * Parses and changes the query parameters of the check list: filters, sort order and hidden
 * columns.
 */

export const sorts = ["name", "state", "availability", "p95", "lastRun", "created"] as const;
export type Sort = (typeof sorts)[number];

export const columns = ["kind", "group", "tags", "bar", "availability", "p95", "lastRun"] as const;
export type Column = (typeof columns)[number];

export const facetNames = ["state", "checkType", "tag", "groupId", "location"] as const;
export type FacetName = (typeof facetNames)[number];

type Values = { readonly [Facet in FacetName]?: readonly string[] };

export interface ListSearch extends Values {
  readonly q?: string;
  readonly muted?: boolean;
  readonly sort?: Sort;
  readonly order?: "desc";
  readonly hide?: readonly Column[];
}

const maxValues = 50;
const states = ["failing", "degraded", "unknown", "passing", "inactive"];

function readList(value: unknown): readonly string[] | undefined {
  const list = (Array.isArray(value) ? value : [value])
    .filter((one) => ["string", "number", "boolean"].includes(typeof one) && one !== "")
    .map((one) => String(one).slice(0, 255));
  return list.length === 0 ? undefined : [...new Set(list)].slice(0, maxValues);
}

const isGroup = (value: string) => /^\d{1,9}$/.test(value);

const isAllowed: { readonly [Facet in FacetName]?: (value: string) => boolean } = {
  state: (value) => states.includes(value),
  checkType: (value) => /^[A-Z_]{1,32}$/.test(value),
  groupId: isGroup,
};

/** Parses the query parameters of a URL. Invalid values are ignored. */
export function parseListSearch(search: Readonly<Record<string, unknown>>): ListSearch {
  const facets = Object.fromEntries(
    facetNames.flatMap((name) => {
      const list = readList(search[name])?.filter(isAllowed[name] ?? (() => true));
      return list === undefined || list.length === 0 ? [] : [[name, list]];
    }),
  ) as Values;
  const hide = columns.filter((column) => readList(search.hide)?.includes(column));
  const q = typeof search.q === "string" || typeof search.q === "number" ? String(search.q) : "";
  const sort = sorts.find((one) => one === search.sort);
  return {
    ...facets,
    ...(q === "" ? {} : { q: q.slice(0, 255) }),
    ...(search.muted === true ? { muted: true } : {}),
    ...(sort === undefined || sort === "name" ? {} : { sort }),
    ...(search.order === "desc" ? { order: "desc" as const } : {}),
    ...(hide.length === 0 ? {} : { hide }),
  };
}

export type ListFilter = NonNullable<operations["countCheckFacets"]["parameters"]["query"]>;

/** Returns the filter in the API's format, for a query string or a request body. */
export function toFilter(search: ListSearch): ListFilter {
  const { q, state, checkType, tag, groupId, location, muted } = search;
  return {
    ...(q !== undefined && { search: q }),
    ...(state && { state: [...state] as NonNullable<ListFilter["state"]> }),
    ...(checkType && { checkType: [...checkType] as NonNullable<ListFilter["checkType"]> }),
    ...(tag && { tag: [...tag] }),
    ...(groupId && { groupId: groupId.map(Number) }),
    ...(location && { location: [...location] }),
    ...(muted && { muted }),
  };
}

export function isFiltered(search: ListSearch): boolean {
  return Object.keys(toFilter(search)).length > 0;
}

export function countFilters(search: ListSearch): number {
  const chosen = facetNames.reduce((sum, name) => sum + (search[name]?.length ?? 0), 0);
  return chosen + (search.muted ? 1 : 0);
}

/** Adds or removes a facet value. */
export function toggleFacet(search: ListSearch, name: FacetName, value: string): ListSearch {
  const { [name]: before = [], ...rest } = search;
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  return after.length === 0 ? rest : { ...rest, [name]: after };
}

/** Initial sort order of each column. Metrics are sorted with the worst value first. */
const firstOrder: Readonly<Record<Sort, "asc" | "desc">> = {
  name: "asc",
  state: "asc",
  availability: "asc",
  p95: "desc",
  lastRun: "desc",
  created: "desc",
};

/** Sorts by a column, or reverses the order if the list is already sorted by this column. */
export function toggleSort(search: ListSearch, sort: Sort): ListSearch {
  const { sort: before = "name", order: beforeOrder = "asc", ...rest } = search;
  const opposite = beforeOrder === "asc" ? "desc" : "asc";
  const order = before === sort ? opposite : firstOrder[sort];
  return {
    ...rest,
    ...(sort === "name" ? {} : { sort }),
    ...(order === "desc" ? { order } : {}),
  };
}

export function toggleColumn(search: ListSearch, column: Column): ListSearch {
  const { hide = [], ...rest } = search;
  const next = hide.includes(column) ? hide.filter((one) => one !== column) : [...hide, column];
  return next.length === 0 ? rest : { ...rest, hide: next };
}

export function clearFilters({ sort, order, hide }: ListSearch): ListSearch {
  return { ...(sort && { sort }), ...(order && { order }), ...(hide && { hide }) };
}
