import { type Database, runSql } from "../../platform/database.ts";

/** Lists encrypted keys of the newest certificates of all accounts. */
export async function listSealedInCertificates(db: Database, maxValues: number): Promise<string[]> {
  const text = "select sealed_key as sealed from client_certificates order by id desc limit $1";
  const rows = await runSql<{ sealed: string }>(db, text, [maxValues]);
  return rows.map(({ sealed }) => sealed);
}
