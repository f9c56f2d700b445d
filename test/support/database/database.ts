import "../runner/shake.ts";
import { randomBytes } from "node:crypto";
import pg from "pg";

function socketFolder(): string {
  const folder = process.env.VEDETTE_TEST_SOCKET;
  if (folder === undefined) throw new Error("Run tests with `npm test`, which starts PostgreSQL.");
  return folder;
}

/**
 * Settings without durability, which reduce the CPU time of copying a database to a tenth.
 * `plan_cache_mode` plans a prepared statement only once per connection instead of again for its
 * first five executions, because test connections execute most statements only a few times.
 */
const settings: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  autovacuum: "off",
  checkpoint_timeout: "1h",
  plan_cache_mode: "force_generic_plan",
};

export async function makeDatabasesCheap(socketFolder: string): Promise<void> {
  const client = new pg.Client({ host: socketFolder, user: "postgres", database: "postgres" });
  await client.connect();
  for (const [name, value] of Object.entries(settings)) {
    await client.query(`alter system set ${name} = '${value}'`);
  }
  await client.query("select pg_reload_conf()");
  // Allows tests to delete rows without running triggers.
  await client.query("grant set on parameter session_replication_role to vedette");
  await client.end();
}

let administrator: pg.Pool | undefined;

/**
 * Executes a statement as administrator. The process keeps one connection, because a new connection
 * for each database took a tenth of PostgreSQL's CPU time.
 */
function asAdministrator(text: string): Promise<unknown> {
  administrator ??= new pg.Pool({
    host: socketFolder(),
    user: "postgres",
    database: "postgres",
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  return administrator.query(text);
}

/**
 * Opens connections to a test database. The error listeners do nothing, because dropping the
 * database breaks open connections, and an error event without a listener would fail the test.
 */
export function openTestPool(url: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 2, ...options });
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", () => {});
  return pool;
}

export interface TestDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** Creates a separate database, which is either migrated or empty. */
export async function createTestDatabase(
  options: { readonly isEmpty?: boolean } = {},
): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const template = options.isEmpty === true ? "template0" : "vedette";
  await asAdministrator(
    `create database ${name} owner vedette template ${template} strategy file_copy`,
  );
  return {
    url: `postgres://vedette@localhost/${name}?host=${encodeURIComponent(socketFolder())}`,
    drop: async () => void (await asAdministrator(`drop database ${name} with (force)`)),
  };
}
