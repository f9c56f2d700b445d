import { type Database, runSql } from "./database.ts";

export interface DatabaseFacts {
  /** For example `18.1`. */
  readonly version: string;
  readonly sizeBytes: number;
}

/** Expensive: it reads the size of every file. */
export async function readDatabaseFacts(db: Database): Promise<DatabaseFacts> {
  const [facts] = await runSql<DatabaseFacts>(
    db,
    `select split_part(current_setting('server_version'), ' ', 1) as version,
      pg_database_size(current_database()) as "sizeBytes"`,
  );
  if (facts === undefined) throw new Error("the database returned no version and size");
  return facts;
}
