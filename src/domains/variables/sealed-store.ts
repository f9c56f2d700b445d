import { type Database, runSql } from "../../platform/database.ts";

/** Lists encrypted values of the newest variables of all accounts. */
export async function listSealedInVariables(db: Database, maxValues: number): Promise<string[]> {
  const text = "select sealed from variables order by created_at desc limit $1";
  const rows = await runSql<{ sealed: string }>(db, text, [maxValues]);
  return rows.map(({ sealed }) => sealed);
}
