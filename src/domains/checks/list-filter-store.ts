import { Type } from "typebox";
import { allKinds, checkTypes } from "../../kinds/index.ts";
import { Described, maxInteger, OneOf } from "../../platform/http/schema.ts";
import { containing } from "../../platform/text/patterns.ts";
import type { CheckStatus } from "./check.ts";

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
type FacetField = (typeof facetFields)[number];

interface ListSql {
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

/** State of a check in lists: its status, or inactive if deactivated. Ordered worst first. */
const listStates = ["failing", "degraded", "unknown", "passing", "inactive"] as const;

type ListState = CheckStatus | "inactive";

/** A field matches if one of its values matches; all given fields must match. */
export interface ListFilter {
  /** Searched in the name, the target and the tags. */
  readonly search?: string | undefined;
  readonly state?: readonly ListState[] | undefined;
  readonly checkType?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  /** Group ids; 0 means no group. */
  readonly groupId?: readonly number[] | undefined;
  readonly location?: readonly string[] | undefined;
  readonly activated?: boolean | undefined;
  readonly muted?: boolean | undefined;
}

/** Data about the account's checks that other modules provide. */
export interface ListFacts {
  /** Checks without recent results; their stored status is ignored. */
  readonly silentIds: readonly string[];
  /** Location of a check without configured locations. */
  readonly defaultLocation: string;
}

const GroupId = Type.Integer({ minimum: 0, maximum: maxInteger });

const maxValues = 50;

/** Filter of a list, used as a query and as part of a body. */
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
