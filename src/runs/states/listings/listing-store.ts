import {
  facetFields,
  type ListFacts,
  type ListFilter,
  writeListSql,
} from "../../../checks/checks/index.ts";
import type { Verdict } from "../../../kinds/kit/verdict.ts";
import { type Database, runSql } from "../../../platform/database.ts";
import type { CheckState } from "../state.ts";

export const listSorts = ["name", "state", "availability", "p95", "lastRun", "created"] as const;
export type ListSort = (typeof listSorts)[number];

export interface ListPage {
  readonly limit: number;
  readonly page: number;
  readonly sort: ListSort;
  readonly isDescending: boolean;
  /** Figures to sort by, keyed by check id. Empty unless the list is sorted by a figure. */
  readonly figures: ReadonlyMap<string, number>;
}

export interface ListedCheck {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly target: string;
  readonly tags: readonly string[];
  readonly groupId: number | null;
  readonly groupName: string | null;
  readonly isActive: boolean;
  readonly isMuted: boolean;
  readonly createdAt: Date;
  /** Last stored status; `null` if the check has not run yet. */
  readonly status: Verdict | null;
  readonly since: Date | null;
  readonly lastRunAt: Date | null;
  readonly firstRunAt: Date | null;
  readonly locations: CheckState["locations"];
}

const worstFirst = `case c.state when 'failing' then 0 when 'degraded' then 1 when 'unknown' then 2
  when 'passing' then 3 else 4 end`;

/** Returns the SQL for the sort order. Checks with equal values are sorted by name and id. */
function writeOrder({ sort, isDescending }: ListPage): string {
  const way = isDescending ? "desc" : "asc";
  const byName = `c.sort_name ${way}, c.id ${way}`;
  switch (sort) {
    case "name":
      return byName;
    case "created":
      return `c.created_at ${way}, c.id ${way}`;
    case "state":
      return `${worstFirst} ${way}, ${byName}`;
    case "lastRun":
      return `s.last_due_at ${way} nulls last, ${byName}`;
    case "availability":
    case "p95":
      return `figure.value ${way} nulls last, ${byName}`;
  }
}

interface ListRequest {
  readonly filter: ListFilter;
  readonly facts: ListFacts;
}

export async function listListedChecks(
  db: Database,
  accountId: string,
  { filter, facts, page }: ListRequest & { readonly page: ListPage },
): Promise<ListedCheck[]> {
  const { rows, where, values } = writeListSql(accountId, filter, facts);
  const next = values.length + 1;
  const isByFigure = page.sort === "availability" || page.sort === "p95";
  const figures = isByFigure
    ? `left join unnest($${next + 2}::uuid[], $${next + 3}::float8[]) as figure (id, value)
        on figure.id = c.id`
    : "";
  return runSql<ListedCheck>(
    db,
    `select c.id, c.kind, c.name, c.target, c.tags, c.group_id as "groupId",
        c.group_name as "groupName", c.is_active as "isActive", c.is_muted as "isMuted",
        c.created_at as "createdAt", s.status, s.since, s.last_due_at as "lastRunAt",
        s.created_at as "firstRunAt", coalesce(s.locations, '{}') as locations
      from ${rows} c left join check_states s on s.check_id = c.id ${figures}
      where ${where} order by ${writeOrder(page)} limit $${next} offset $${next + 1}`,
    [
      ...values,
      page.limit,
      Math.max(0, page.page - 1) * page.limit,
      ...(isByFigure ? [[...page.figures.keys()], [...page.figures.values()]] : []),
    ],
  );
}

export async function countListedChecks(
  db: Database,
  accountId: string,
  { filter, facts }: ListRequest,
): Promise<number> {
  const { rows, where, values } = writeListSql(accountId, filter, facts);
  const [found] = await runSql<{ total: number }>(
    db,
    `select count(*)::int as total from ${rows} c where ${where}`,
    values,
  );
  return found?.total ?? 0;
}

export interface FacetCount {
  readonly facet: (typeof facetFields)[number] | "muted" | "total";
  /** Value of the facet, in the form that the filter uses. */
  readonly value: string;
  /** Name of the group if the facet is `groupId`; otherwise `null`. */
  readonly label: string | null;
  readonly count: number;
}

/** Maximum number of values per facet. The most frequent values are returned first. */
const maxFacetValues = 100;

/** SQL expressions of each facet: the value, its label and an additional join. */
const facetSources = {
  state: ["c.state", "null::text", ""],
  checkType: ["c.kind", "null::text", ""],
  tag: ["tag", "null::text", "cross join lateral (select distinct unnest(c.tags) as tag) as one"],
  groupId: ["coalesce(c.group_id, 0)::text", "c.group_name", ""],
  location: [
    "place",
    "null::text",
    "cross join lateral (select distinct jsonb_array_elements_text(c.places) as place) as one",
  ],
} as const;

/**
 * Counts the checks for each value of each facet in a single query. The count of a facet ignores
 * the filter on this facet, so that users can still select other values of the facet.
 */
export async function countFacets(
  db: Database,
  accountId: string,
  { filter, facts }: ListRequest,
): Promise<FacetCount[]> {
  const { rows, always, writeFacets, values } = writeListSql(accountId, filter, facts);
  const chosen = writeFacets();
  const counts = facetFields.map((field) => {
    const [value, label, source] = facetSources[field];
    return `(select '${field}' as facet, ${value} as value, ${label} as label,
        sum(checks)::int as count
      from listed c ${source} where ${writeFacets(field)}
      group by 2, 3 order by 4 desc, 2 limit ${maxFacetValues})`;
  });
  return runSql<FacetCount>(
    db,
    // Rows are grouped before counting, because many checks have identical values.
    `with listed as materialized (
        select c.state, c.kind, c.tags, c.group_id, c.group_name, c.places, c.is_muted,
          count(*) as checks
        from ${rows} c where ${always} group by 1, 2, 3, 4, 5, 6, 7)
      ${counts.join(" union all ")}
      union all (select 'muted', 'true', null, coalesce(sum(checks), 0)::int from listed c
        where c.is_muted and ${chosen})
      union all (select 'total', '', null, coalesce(sum(checks), 0)::int from listed c
        where ${chosen})`,
    values,
  );
}
