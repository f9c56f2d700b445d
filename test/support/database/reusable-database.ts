/**
 * Databases with open connections that tests of a process use one after the other. A new database
 * costs about 60 ms more than emptying a used one, mostly because each new connection loads the
 * catalog and plans every statement again.
 */
import type pg from "pg";
import { WriteFaults } from "../../../src/platform/database-errors.ts";
import {
  createDatabase,
  type DatabasePool,
  type OpenDatabase,
  openDatabase,
} from "../../../src/platform/database-pool.ts";
import { createLog } from "../../../src/platform/log.ts";
import { endWithProcess } from "../runner/process-end.ts";
import { createTestDatabase, openTestPool } from "./database.ts";

interface Reusable {
  readonly url: string;
  readonly opened: DatabasePool;
  /**
   * Connections for queries of the test itself. They return values exactly as PostgreSQL sends
   * them.
   */
  readonly queries: pg.Pool;
  readonly end: () => Promise<void>;
}

export interface ReusableDatabase
  extends Pick<DatabasePool, "db" | "pool">,
    Pick<Reusable, "url" | "queries"> {
  /** Lets an app use the existing connections of this database instead of opening new ones. */
  readonly openAgain: OpenDatabase;
  /** Releases the database. Must be called when nothing uses the database any more. */
  readonly release: () => Promise<void>;
}

/** Schema and initial rows of every new database. */
interface Template {
  readonly schema: string;
  /** Rows that the migrations have inserted, by table, as JSON. */
  readonly seeds: Readonly<Record<string, string>>;
}

const maxConnections = 6;
/**
 * Maximum size of a database that is reused. Deleted rows stay in the tables and slow scans down.
 */
const maxBytes = 8 * 1024 * 1024;

/**
 * Query for the number of open sessions, and for a text that changes whenever the schema changes,
 * because every schema change creates new row versions in the catalog.
 */
const readCondition = `select concat_ws(' ',
    (select sum(xmin::text::bigint) from pg_class),
    (select sum(xmin::text::bigint) from pg_attribute),
    (select sum(xmin::text::bigint) from pg_constraint),
    (select sum(xmin::text::bigint) from pg_trigger),
    (select sum(xmin::text::bigint) from pg_proc)) as schema,
  (select count(*)::int from pg_stat_activity where datname = current_database()) as sessions`;

const listUsedTables = `select oid::regclass::text as name, pg_relation_size(oid) as bytes
  from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    and relname <> 'migrations' and pg_relation_size(oid) > 0`;

const restartSequences = `select setval(oid, 1, false) from pg_class
  where relkind = 'S' and relnamespace = 'public'::regnamespace`;

async function readTemplate({ pool }: DatabasePool): Promise<Template> {
  const { rows } = await pool.query(readCondition);
  const { rows: tables } = await pool.query(listUsedTables);
  const seeds: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows: seeded } = await pool.query(`select * from ${name}`);
    if (seeded.length > 0) seeds[name] = JSON.stringify(seeded);
  }
  return { schema: rows[0].schema, seeds };
}

let template: Promise<Template> | undefined;

async function create(): Promise<Reusable> {
  const { url, drop } = await createTestDatabase();
  const connection = { connectionString: url };
  const opened = openDatabase(connection, createLog("silent"), undefined, maxConnections);
  template ??= readTemplate(opened);
  await template;
  const queries = openTestPool(url);
  const end = async () => {
    await Promise.all([opened.close(), queries.end()]);
    await drop();
  };
  return { url, opened, queries, end };
}

/** Empties a database. Returns false if the database cannot be reused. */
async function empty({ opened: { pool }, queries }: Reusable): Promise<boolean> {
  const pools = [pool, queries];
  const isInUse = (one: pg.Pool) => one.ending || one.idleCount < one.totalCount;
  if (template === undefined || pools.some(isInUse)) return false;
  const { schema, seeds } = await template;
  const { rows } = await pool.query(readCondition);
  const own = pool.totalCount + queries.totalCount;
  if (rows[0].schema !== schema || rows[0].sessions > own) return false;
  const { rows: tables } = await pool.query(listUsedTables);
  if (tables.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) return false;
  const deletions = tables.map(({ name }) => `delete from ${name};`).join("\n");
  // Triggers are off, so that tables can be emptied in any order.
  await pool.query(`begin; set local session_replication_role = replica; ${deletions} commit`);
  for (const [name, seeded] of Object.entries(seeds)) {
    await pool.query(
      `insert into ${name} overriding system value
        select * from json_populate_recordset(null::${name}, $1)`,
      [seeded],
    );
  }
  await pool.query(restartSequences);
  return true;
}

const idle: Reusable[] = [];

endWithProcess(async () => {
  await Promise.all(idle.splice(0).map(({ end }) => end()));
});

/** Returns an empty, migrated database that is not used elsewhere until it is released. */
export async function takeReusableDatabase(): Promise<ReusableDatabase> {
  const reusable = idle.pop() ?? (await create());
  const { url, queries, end } = reusable;
  const { db, pool } = reusable.opened;
  return {
    url,
    db,
    pool,
    queries,
    openAgain: () => {
      const again = createDatabase(pool, (error) => writeFaults.note(error));
      const writeFaults = new WriteFaults(again);
      return { db: again, writeFaults, close: async () => {} };
    },
    release: async () => {
      if (await empty(reusable)) idle.push(reusable);
      else await end();
    },
  };
}
