import { type Database, runSql } from "../../platform/database.ts";

/** Sealed values of the newest checks, of all accounts. */
export async function listSealedInChecks(db: Database, maxValues: number): Promise<string[]> {
  const rows = await runSql<{ sealed: string }>(
    db,
    `select variable ->> 'value' as sealed from checks, jsonb_path_query(private_settings,
      '$.environmentVariables[*] ? (@.isSealed == true)') as variable
      order by id desc limit $1`,
    [maxValues],
  );
  return rows.map(({ sealed }) => sealed);
}
