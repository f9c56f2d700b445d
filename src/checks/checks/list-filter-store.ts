import { Type } from "typebox";
import { allKinds, checkTypes } from "../../kinds/index.ts";
import { Described, maxInteger, OneOf } from "../../platform/http/schema.ts";
import { containing } from "../../platform/text/patterns.ts";
import type { CheckStatus } from "./check.ts";

const unscheduled = allKinds.filter(({ isOrdered }) => !isOrdered).map(({ type }) => `'${type}'`);

/**
 * SQL for the rows of check lists, with group settings applied. $1 is the account, $2 the ids of
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

/** Fields of the filter for which lists show counts per value. */
export const facetFields = ["state", "checkType", "tag", "groupId", "location"] as const;
type FacetField = (typeof facetFields)[number];

interface ListSql {
  /** SQL that selects the checks of the account, with the columns of `listedRows`. */
  readonly rows: string;
  /** Conditions on `c`, a row of `rows`, without the facets. "true" if there is no condition. */
  readonly always: string;
  /** Writes the conditions of all facets, or of all facets except one. */
  readonly writeFacets: (except?: FacetField) => string;
  /** All conditions, including those of the facets. */
  readonly where: string;
  readonly values: readonly unknown[];
}

/**
 * Searches the check and the tags of its group. The subquery on groups is cheap, because it runs
 * once per query and accounts have few groups.
 */
const writeSearch = (pattern: string) => `(c.search_text like lower(${pattern})
  or c.group_id in (select id from check_groups where account_id = $1 and exists (
    select 1 from jsonb_array_elements_text(settings -> 'tags') as tag
    where lower(tag) like lower(${pattern}))))`;

/** States of a check in lists, worst first: inactive if deactivated, otherwise its status. */
const listStates = ["failing", "degraded", "unknown", "passing", "inactive"] as const;

type ListState = CheckStatus | "inactive";

/** Filter of a check list. All given fields must match, each with at least one of its values. */
export interface ListFilter {
  /** Text to find in the name, the target and the tags of a check. */
  readonly search?: string | undefined;
  readonly state?: readonly ListState[] | undefined;
  readonly checkType?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  /** Ids of groups. 0 selects checks without a group. */
  readonly groupId?: readonly number[] | undefined;
  readonly location?: readonly string[] | undefined;
  readonly activated?: boolean | undefined;
  readonly muted?: boolean | undefined;
}

/** Data that check lists need from other modules. */
export interface ListFacts {
  /** Ids of checks without recent results. Lists ignore their stored status. */
  readonly silentIds: readonly string[];
  /** Location where a check without configured locations runs. */
  readonly defaultLocation: string;
}

const GroupId = Type.Integer({ minimum: 0, maximum: maxInteger });

const maxValues = 50;

/** Schema of a list filter. Used for query strings and as part of request bodies. */
export const listFilterFields = {
  search: Type.Optional(
    Type.String({
      description: "Only checks with this text in their name, target or tags.",
      maxLength: 255,
      examples: ["router"],
    }),
  ),
  state: Type.Optional(
    Type.Array(OneOf(listStates), {
      description: "Only checks in one of these states; `inactive` means deactivated.",
      maxItems: listStates.length,
      examples: [["failing", "degraded"]],
    }),
  ),
  checkType: Type.Optional(
    Type.Array(OneOf(checkTypes), {
      description: "Only checks of one of these kinds.",
      maxItems: maxValues,
    }),
  ),
  tag: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      description: "Only checks with one of these tags, their own or their group's.",
      maxItems: maxValues,
    }),
  ),
  groupId: Type.Optional(
    Type.Array(GroupId, {
      description: "Only checks of one of these groups; 0 for checks without a group.",
      maxItems: maxValues,
    }),
  ),
  location: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      description: "Only checks that run at one of these locations.",
      maxItems: maxValues,
    }),
  ),
  activated: Described(
    Type.Optional(Type.Boolean()),
    "If true, only checks that are activated, including their group; if false, only others.",
  ),
  muted: Described(
    Type.Optional(Type.Boolean()),
    "If true, only checks that are muted or whose group is; if false, only others.",
  ),
};

/**
 * Writes the SQL of a filter. Only fields that are set become conditions, so that PostgreSQL finds
 * a good plan.
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
