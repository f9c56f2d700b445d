import { allKinds } from "../../kinds/index.ts";

/**
 * SQL subqueries for other modules, which must not access the tables of this module directly.
 * PostgreSQL inlines them.
 */

const unscheduled = allKinds
  .filter(({ isOrdered }) => !isOrdered)
  .map(({ type }) => `when kind = '${type}' then null`);

/** id, account_id, kind, name, status, period_seconds (`null` for checks without scheduled runs) */
export const checkRows = `(
  select id, account_id, kind, name, status,
    case ${unscheduled.join(" ")} else own_period_seconds end as period_seconds
  from checks)`;

/**
 * id, account_id, kind, name, status, group_name, tags (own tags, then those of the group),
 * is_active (check and group are activated), is_muted (check or group is muted)
 */
export const groupedCheckRows = `(
  select one.id, one.account_id, one.kind, one.name, one.status, in_group.name as group_name,
    one.tags || array(select jsonb_array_elements_text(in_group.settings -> 'tags')) as tags,
    one.settings -> 'activated' = 'true'
      and (in_group.id is null or in_group.settings -> 'activated' = 'true') as is_active,
    coalesce(one.settings -> 'muted' = 'true', false)
      or coalesce(in_group.settings -> 'muted' = 'true', false) as is_muted
  from checks one left join check_groups in_group on in_group.id = one.group_id)`;
