import { type Database, runSql } from "../../platform/database.ts";

/** A combination of tags and group, with the number of checks that have it. */
export interface LabelSet {
  /** Includes the tags of the group. */
  readonly tags: readonly string[];
  readonly groupId: number | null;
  readonly count: number;
}

/** Lists the label combinations. There are few, because many checks share the same labels. */
export function listLabelSets(db: Database, accountId: string): Promise<LabelSet[]> {
  return runSql(
    db,
    `select own.tags || coalesce(in_group.tags, '{}') as tags, own.group_id as "groupId", own.count
      from (select own_tags as tags, group_id, count(*) as count from checks_with_group
        where account_id = $1 group by own_tags, group_id) own
      left join group_labels in_group on in_group.id = own.group_id`,
    [accountId],
  );
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
  return runSql(
    db,
    `select id, name, group_id as "groupId", tags from checks_with_group
      where account_id = $1 and id = any($2::uuid[]) order by sort_name, id`,
    [accountId, ids],
  );
}

export async function mapGroupNames(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await runSql<{ id: number; name: string }>(
    db,
    "select id, name from group_labels where account_id = $1 and id = any($2::int[])",
    [accountId, ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
