import { type Database, runSql } from "../../platform/database.ts";
import type { PlaceUses } from "../locations/index.ts";

const names = "settings -> 'privateLocations' ? $2";

/** Counts the checks and groups that use a private location. */
export async function countPlaceUses(
  db: Database,
  accountId: string,
  slugName: string,
): Promise<PlaceUses> {
  const [uses] = await runSql<PlaceUses>(
    db,
    `select
      (select count(*)::int from checks where account_id = $1 and ${names}) as checks,
      (select count(*)::int from check_groups where account_id = $1 and ${names}) as groups`,
    [accountId, slugName],
  );
  return uses ?? { checks: 0, groups: 0 };
}

/** Renames the location in every check and group that uses it, without creating duplicates. */
export async function renamePlace(
  db: Database,
  accountId: string,
  { from, to, at }: { readonly from: string; readonly to: string; readonly at: Date },
): Promise<void> {
  const renamed = `jsonb_set(settings, '{privateLocations}', (
    select jsonb_agg(slug order by place) from (
      select case when slug = $2 then $3 else slug end as slug, min(place) as place
      from jsonb_array_elements_text(settings -> 'privateLocations')
        with ordinality as named (slug, place)
      group by 1) as unique_slugs))`;
  for (const table of ["checks", "check_groups"]) {
    await runSql(
      db,
      `update ${table} set settings = ${renamed}, updated_at = $4
        where account_id = $1 and ${names}`,
      [accountId, from, to, at],
    );
  }
}

/**
 * Lists activated checks that run at a location, of one account or, for a public location, of all.
 */
export async function listChecksAtPlace(
  db: Database,
  {
    accountId,
    place,
    limit,
  }: {
    readonly accountId: string | null;
    readonly place: string;
    readonly limit: number;
  },
): Promise<{ readonly checkId: string; readonly accountId: string }[]> {
  return runSql(
    db,
    `select c.id as "checkId", c.account_id as "accountId"
      from checks c left join check_groups g on g.id = c.group_id
      where ($1::uuid is null or c.account_id = $1) and c.is_activated
        and (g.id is null or coalesce(g.settings -> 'activated' = 'true', true))
        and case when jsonb_array_length(g.places) > 0 then g.places ? $2 else c.places ? $2 end
      order by c.id limit $3`,
    [accountId, place, limit],
  );
}
