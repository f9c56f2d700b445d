import "../runner/shake.ts";
import { randomBytes } from "node:crypto";
import pg from "pg";

function socketFolder(): string {
  const folder = process.env.VEDETTE_TEST_SOCKET;
  if (folder === undefined) throw new Error("Run tests with `npm test`, which starts PostgreSQL.");
  return folder;
}

/** Settings without durability, which save nine tenths of the CPU of a copy. */
const settings: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  autovacuum: "off",
  checkpoint_timeout: "1h",
};

export async function makeDatabasesCheap(socketFolder: string): Promise<void> {
  const client = new pg.Client({ host: socketFolder, user: "postgres", database: "postgres" });
  await client.connect();
  for (const [name, value] of Object.entries(settings)) {
    await client.query(`alter system set ${name} = '${value}'`);
  }
  await client.query("select pg_reload_conf()");
  await client.end();
}

async function asAdministrator(run: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ host: socketFolder(), user: "postgres", database: "postgres" });
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}

export interface TestDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** Creates a separate database: migrated, or empty. */
export async function createTestDatabase(
  options: { readonly isEmpty?: boolean } = {},
): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const template = options.isEmpty === true ? "template0" : "vedette";
  await asAdministrator((client) =>
    client.query(`create database ${name} owner vedette template ${template} strategy file_copy`),
  );
  return {
    url: `postgres://vedette@localhost/${name}?host=${encodeURIComponent(socketFolder())}`,
    drop: () => asAdministrator((client) => client.query(`drop database ${name} with (force)`)),
  };
}
