import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";

/** A combination of tags and group, with the number of checks that have it. */
export interface LabelSet {
  /** Includes the tags of the group. */
  readonly tags: readonly string[];
  readonly groupId: number | null;
  readonly count: number;
}

/** Lists the label combinations. There are few, because many checks share the same labels. */
export async function listLabelSets(db: Database, accountId: string): Promise<LabelSet[]> {
  const { rows } = await sql<LabelSet>`
    select own.tags || array(select jsonb_array_elements_text(in_group.settings -> 'tags')) as tags,
      own."groupId", own.count
    from (select tags, group_id as "groupId", count(*)::int as count from checks
      where account_id = ${accountId} group by tags, group_id) own
    left join check_groups in_group on in_group.id = own."groupId"`.execute(db);
  return rows;
}

export interface LabelledCheck extends Omit<LabelSet, "count"> {
  readonly id: string;
  readonly name: string;
}

export async function listLabelledChecks(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<LabelledCheck[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<LabelledCheck>`
    select one.id, one.name, one.group_id as "groupId",
      one.tags || array(select jsonb_array_elements_text(in_group.settings -> 'tags')) as tags
    from checks one left join check_groups in_group on in_group.id = one.group_id
    where one.account_id = ${accountId} and one.id = any(${[...new Set(ids)]}::uuid[])
    order by one.sort_name, one.id`.execute(db);
  return rows;
}

export async function mapGroupNames(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; name: string }>`select id, name from check_groups
    where account_id = ${accountId} and id = any(${[...new Set(ids)]}::int[])`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
