import { type Database, runSql } from "../../platform/database.ts";

/** Encrypted values of the latest subscribers of all accounts. */
export async function listSealedInSubscribers(
  db: Database,
  maxSubscribers: number,
): Promise<string[]> {
  const rows = await runSql<{ sealed: string }>(
    db,
    `(select address as sealed from subscribers where type <> 'EMAIL' order by id desc limit $1)
      union all
      (select secret from subscribers where secret is not null order by id desc limit $1)`,
    [maxSubscribers],
  );
  return rows.map(({ sealed }) => sealed);
}
