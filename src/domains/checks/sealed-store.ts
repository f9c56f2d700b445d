import { type Database, runSql } from "../../platform/database.ts";

/** Lists encrypted values of the newest checks and groups of all accounts. */
export async function listSealedInChecks(db: Database, maxValues: number): Promise<string[]> {
  const rows = await runSql<{ sealed: string }>(
    db,
    `select variable ->> 'value' as sealed
      from ((select id::text as id, variables from checks where variables <> '[]'
          order by checks.id desc limit $1)
        union all (select id::text as id, variables from check_groups where variables <> '[]'
          order by check_groups.id desc limit $1)) as holders,
        jsonb_path_query(variables, '$[*] ? (@.isSealed == true)') as variable
      limit $1`,
    [maxValues],
  );
  return rows.map(({ sealed }) => sealed);
}
