import { allKinds } from "../../../kinds/index.ts";
import { type Database, runSql } from "../../../platform/database.ts";
import type { ListFacts, ListFilter } from "../list-filter.ts";
import { writeListSql } from "../list-filter-store.ts";
import type { BulkCheck, BulkEdit } from "./bulk-change.ts";

/** Lists the ids that a filter matches, at most one more than the limit. */
export async function findFilteredIds(
  db: Database,
  accountId: string,
  filter: ListFilter,
  { facts, limit }: { readonly facts: ListFacts; readonly limit: number },
): Promise<string[]> {
  const { rows, where, values } = writeListSql(accountId, filter, facts);
  const found = await runSql<{ id: string }>(
    db,
    `select c.id from ${rows} c where ${where} order by c.id limit $${values.length + 1}`,
    [...values, limit + 1],
  );
  return found.map(({ id }) => id);
}

const unordered = allKinds.filter(({ isOrdered }) => !isOrdered).map(({ type }) => type);

/** Locks checks in id order, so that two bulk changes never deadlock. */
export function lockBulkChecks(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<BulkCheck[]> {
  return runSql<BulkCheck>(
    db,
    `select id, name, tags, group_id as "groupId", is_activated as activated, is_muted as muted,
        not (settings -> 'locations' = '[]' and places = '[]') as "hasPlaces",
        kind <> all($3::text[]) as "isOrdered",
        (settings ->> 'frequency')::int as frequency,
        (settings ->> 'frequencyOffset')::int as "frequencyOffset",
        array(select jsonb_array_elements_text(case jsonb_typeof(settings -> 'locations')
          when 'array' then settings -> 'locations' else '[]' end)) as locations,
        array(select jsonb_array_elements_text(case jsonb_typeof(settings -> 'privateLocations')
          when 'array' then settings -> 'privateLocations' else '[]' end)) as "privateLocations",
        array(select s.alert_channel_id from channel_subscriptions s
          where s.check_id = checks.id and s.activated) as "alertChannelIds"
      from checks where account_id = $1 and id = any($2::uuid[]) order by id for update`,
    [accountId, ids, unordered],
  );
}

export interface PlacedEdit {
  readonly id: string;
  readonly edit: BulkEdit;
}

/** Updates the settings, which the API shows, and the columns that duplicate tags and group. */
export async function updateBulkChecks(
  db: Database,
  accountId: string,
  { edits, at }: { readonly edits: readonly PlacedEdit[]; readonly at: Date },
): Promise<void> {
  if (edits.length === 0) return;
  await runSql(
    db,
    `update checks set settings = checks.settings || one.edit, updated_at = $3,
        tags = case when one.edit ? 'tags'
          then array(select jsonb_array_elements_text(one.edit -> 'tags')) else checks.tags end,
        group_id = case when one.edit ? 'groupId'
          then (one.edit ->> 'groupId')::int else checks.group_id end
      from jsonb_to_recordset($2::jsonb) as one (id uuid, edit jsonb)
      where checks.account_id = $1 and checks.id = one.id`,
    [accountId, JSON.stringify(edits), at],
  );
}

export async function deleteBulkChecks(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await runSql(db, "delete from checks where account_id = $1 and id = any($2::uuid[])", [
    accountId,
    ids,
  ]);
}
