import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import pg from "pg";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { baselineFile, migrate, migrationsTable } from "./migrations.ts";

type Files = Readonly<Record<string, string>>;

const first: Files = {
  "0001-first.sql": "create table first (id int); insert into first values (1);",
};
const second: Files = { "0002-second.sql": "create table second (id int);" };

/** A baseline with the first migration, but two rows. */
const baseline: Files = {
  [baselineFile]: `${migrationsTable}; ${first["0001-first.sql"]} insert into first values (2);
    insert into migrations values ('0001-first.sql',
      '${createHash("sha256")
        .update(first["0001-first.sql"] ?? "")
        .digest("hex")}')`,
};

/** An empty database, a connection to inspect it, and a folder of migrations. */
async function setUp(t: TestContext, files: Files) {
  const database = await createTestDatabase({ isEmpty: true });
  const folder = await mkdtemp(join(tmpdir(), "vedette-migrations-"));
  const client = new pg.Client(database.url);
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.drop();
    await rm(folder, { recursive: true });
  });
  const write = async (more: Files) => {
    for (const [name, sql] of Object.entries(more)) await writeFile(join(folder, name), sql);
  };
  await write(files);
  const run = () => migrate({ connectionString: database.url }, folder);
  return { run, write, folder, client, url: database.url };
}

async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    "select tablename from pg_tables where schemaname = 'public' order by tablename",
  );
  return rows.map((row) => row.tablename);
}

async function listApplied(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query("select name from migrations order by name");
  return rows.map((row) => row.name);
}

/** Locks of this database only: other tests hold the same lock in theirs. */
const ownLocks =
  "select 1 from pg_locks where locktype = 'advisory' " +
  "and database = (select oid from pg_database where datname = current_database())";

describe("migrations", () => {
  it("are applied once each, in the order of their names", async (t) => {
    const { run, write, client } = await setUp(t, { ...second, ...first });
    assert.deepEqual(await run(), ["0001-first.sql", "0002-second.sql"]);
    assert.deepEqual(await run(), []);
    await write({ "0003-third.sql": "alter table second add column name text;" });
    assert.deepEqual(await run(), ["0003-third.sql"]);
    assert.equal((await client.query("select * from first")).rowCount, 1);
  });

  it("are applied once when several servers start at the same time", async (t) => {
    const { run, client } = await setUp(t, { ...first, ...second });
    const answers = await Promise.all([run(), run(), run(), run()]);
    assert.deepEqual(
      answers.filter((applied) => applied.length > 0),
      [["0001-first.sql", "0002-second.sql"]],
    );
    assert.equal((await client.query("select * from first")).rowCount, 1);
  });

  it("of a new database begin with the baseline, also if several servers start", async (t) => {
    const { run, client } = await setUp(t, { ...baseline, ...first, ...second });
    const answers = await Promise.all([run(), run(), run(), run()]);
    assert.deepEqual(
      answers.filter((applied) => applied.length > 0),
      [["0001-first.sql", "0002-second.sql"]],
    );
    assert.equal((await client.query("select * from first")).rowCount, 2);
    assert.deepEqual(await listTables(client), ["first", "migrations", "second"]);
    assert.deepEqual(await listApplied(client), ["0001-first.sql", "0002-second.sql"]);
  });

  it("of a database that has been migrated never use the baseline", async (t) => {
    const { run, write, client } = await setUp(t, { "0001-first.sql": "select 1 / 0;" });
    await assert.rejects(run());
    await write({ ...baseline, ...first, ...second });
    assert.deepEqual(await run(), ["0001-first.sql", "0002-second.sql"]);
    assert.equal((await client.query("select * from first")).rowCount, 1);
  });

  it("leave a database empty if the baseline fails", async (t) => {
    const broken = { [baselineFile]: `${migrationsTable}; select 1 / 0;` };
    const { run, write, client } = await setUp(t, { ...first, ...broken });
    await assert.rejects(run(), /division by zero/);
    assert.deepEqual(await listTables(client), []);
    await write(baseline);
    assert.deepEqual(await run(), ["0001-first.sql"]);
  });

  it("wait for the server that is already migrating", async (t) => {
    const { run, client } = await setUp(t, first);
    await client.query("select pg_advisory_lock(7333883)");
    const running = run();
    const waiting = `${ownLocks} and not granted`;
    await waitUntil("one waits", async () => (await client.query(waiting)).rowCount === 1);
    assert.deepEqual(await listTables(client), []);
    await client.query("select pg_advisory_unlock(7333883)");
    assert.deepEqual(await running, ["0001-first.sql"]);
  });

  it("roll back one that fails, and continue once it is fixed", async (t) => {
    const broken = { "0002-second.sql": "create table second (id int); select 1 / 0;" };
    const { run, write, client } = await setUp(t, { ...first, ...broken });
    await assert.rejects(run(), /division by zero/);
    assert.deepEqual(await listTables(client), ["first", "migrations"]);
    assert.deepEqual(await listApplied(client), ["0001-first.sql"]);
    await write(second);
    assert.deepEqual(await run(), ["0002-second.sql"]);
  });

  it("release the lock if one fails", async (t) => {
    const { run, client } = await setUp(t, { "0001-first.sql": "select 1 / 0;" });
    await assert.rejects(run());
    await waitUntil(
      "nobody holds the lock",
      async () => (await client.query(ownLocks)).rowCount === 0,
    );
  });

  it("are rejected if one was changed after it was applied", async (t) => {
    const { run, write, client } = await setUp(t, first);
    await run();
    await write({ ...second, "0001-first.sql": "create table first (id bigint);" });
    await assert.rejects(run(), {
      message: "The migration 0001-first.sql was changed after it had been applied.",
    });
    assert.deepEqual(await listTables(client), ["first", "migrations"]);
  });

  it("are rejected if a newer version has used the database", async (t) => {
    const { run, write, folder } = await setUp(t, { ...first, ...second });
    await run();
    await rm(join(folder, "0002-second.sql"));
    await assert.rejects(run(), {
      message:
        "The database has the migration 0002-second.sql, which this version of Vedette does not " +
        "know.\nA newer version has used this database: start that version, or restore an older backup.",
    });
    await write(second);
    assert.deepEqual(await run(), []);
  });

  it("are rejected before any is applied if a name is invalid", async (t) => {
    for (const name of ["1-first.sql", "0002_second.sql", "0002-Second.sql", "0002-.sql.sql"]) {
      const { run, client } = await setUp(t, { ...first, [name]: "select 1;" });
      await assert.rejects(run(), { message: `${name} is not a valid migration name.` });
      assert.deepEqual(await listTables(client), []);
    }
  });

  it("ignore other files of the folder", async (t) => {
    const { run } = await setUp(t, { ...first, "README.md": "# Not SQL" });
    assert.deepEqual(await run(), ["0001-first.sql"]);
  });

  it("of the product can be applied to an empty database", async (t) => {
    const { url } = await setUp(t, {});
    const connection = { connectionString: url };
    assert.ok((await migrate(connection)).length > 0);
    assert.deepEqual(await migrate(connection), []);
  });
});
