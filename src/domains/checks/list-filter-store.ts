import { allKinds } from "../../kinds/index.ts";
import { containing } from "../../platform/text/patterns.ts";
import type { ListFacts, ListFilter } from "./list-filter.ts";

const unscheduled = allKinds.filter(({ isOrdered }) => !isOrdered).map(({ type }) => `'${type}'`);

/**
 * Rows of checks as lists show them, with group settings applied. $1 is the account, $2 the ids of
 * checks without recent results, $3 the default location.
 */
const listedRows = `(
  select one.id, one.kind, one.name, one.sort_name, one.search_text, coalesce(one.target, '') as target,
    case when in_group.id is null then one.tags
      else one.tags || array(select jsonb_array_elements_text(in_group.settings -> 'tags'))
      end as tags,
    one.group_id, in_group.name as group_name,
    case when one.kind in (${unscheduled.join(", ")}) then '[]'::jsonb
      when in_group.places <> '[]' then in_group.places
      when one.places = '[]' then jsonb_build_array($3::text)
      else one.places end as places,
    one.is_activated and coalesce(in_group.settings -> 'activated' = 'true', true) as is_active,
    one.is_muted or coalesce(in_group.settings -> 'muted' = 'true', false) as is_muted,
    case when not (one.is_activated and coalesce(in_group.settings -> 'activated' = 'true', true))
      then 'inactive'
      when one.id = any($2::uuid[]) then 'unknown' else one.status end as state,
    one.created_at
  from checks one left join check_groups in_group on in_group.id = one.group_id
  where one.account_id = $1)`;

/** Fields that facets count by, each with its own condition. */
export const facetFields = ["state", "checkType", "tag", "groupId", "location"] as const;
export type FacetField = (typeof facetFields)[number];

export interface ListSql {
  /** The columns of `listedRows`. */
  readonly rows: string;
  /** Conditions on `c`, a row of `rows`; "true" if there is no filter. */
  readonly always: string;
  /** Conditions of all facets, or of all but one. */
  readonly writeFacets: (except?: FacetField) => string;
  /** All conditions combined. */
  readonly where: string;
  readonly values: readonly unknown[];
}

/** Also matches tags of the group; groups are few and evaluated once. */
const writeSearch = (pattern: string) => `(c.search_text like lower(${pattern})
  or c.group_id in (select id from check_groups where account_id = $1 and exists (
    select 1 from jsonb_array_elements_text(settings -> 'tags') as tag
    where lower(tag) like lower(${pattern}))))`;

/**
 * Writes SQL for one filter. It contains only the requested conditions, so that each filter gets
 * the best plan.
 */
export function writeListSql(accountId: string, filter: ListFilter, facts: ListFacts): ListSql {
  const values: unknown[] = [accountId, facts.silentIds, facts.defaultLocation];
  const add = (value: unknown, write: (place: string) => string) =>
    value === undefined ? "true" : write(`$${values.push(value)}`);
  const search = add(filter.search ? containing(filter.search) : undefined, writeSearch);
  const activated = add(filter.activated, (is) => `c.is_active = ${is}`);
  const muted = add(filter.muted, (is) => `c.is_muted = ${is}`);
  const facets = {
    state: add(filter.state, (some) => `c.state = any(${some}::text[])`),
    checkType: add(filter.checkType, (some) => `c.kind = any(${some}::text[])`),
    tag: add(filter.tag, (some) => `c.tags && ${some}::text[]`),
    groupId: add(filter.groupId, (some) => `coalesce(c.group_id, 0) = any(${some}::int[])`),
    location: add(filter.location, (some) => `c.places ?| ${some}::text[]`),
  };
  const always = joinConditions([search, activated, muted]);
  const writeFacets = (except?: FacetField) =>
    joinConditions(facetFields.map((field) => (field === except ? "true" : facets[field])));
  const where = joinConditions([always, writeFacets()]);
  return { rows: listedRows, always, writeFacets, where, values };
}

function joinConditions(conditions: readonly string[]): string {
  return conditions.filter((condition) => condition !== "true").join(" and ") || "true";
}
