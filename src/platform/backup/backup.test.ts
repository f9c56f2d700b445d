/** Backup, restore and verify on real databases, intact and broken. */
import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { migrate, migrationsFolder } from "../migrations.ts";
import { inScratchDatabase, restoreBackup, verifyBackup, writeBackup } from "./index.ts";
import { listTables } from "./session.ts";

let folder = "";
let source: TestDatabase;
let client: pg.Client;
const databases: TestDatabase[] = [];
const clients: pg.Client[] = [];

async function connect(url: string): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: url });
  made.on("error", () => {});
  await made.connect();
  clients.push(made);
  return made;
}

async function createDatabase(isEmpty: boolean): Promise<TestDatabase> {
  const made = await createTestDatabase({ isEmpty });
  databases.push(made);
  return made;
}

const accountId = "6b1f4b52-57a0-4d3e-9a68-0f1b4f2f0a01";
const checkId = "6b1f4b52-57a0-4d3e-9a68-0f1b4f2f0a02";
const hostile = ["\\N", "\\.", "tab\tand\nline\r\n", "\\\\x00", "null", "", "😀 \u202e", "'; --"];

/** Values that a careless format loses: special in text, JSON, bytes, floats or times. */
async function fill(): Promise<void> {
  await client.query(`create table results_2026_11_13 partition of results for values
    from ('00000000-0000-0000-0000-000000000000') to ('01000000-0000-0000-0000-000000000000')`);
  await client.query("insert into accounts (id, name, created_at) values ($1, $2, 'infinity')", [
    accountId,
    hostile.join("|"),
  ]);
  for (const [index, text] of hostile.entries()) {
    await client.query(
      `insert into set_aside (work, key, reason, attempts, retry_at, first_at)
        values ('test', $1, $2, $3, '-infinity', '0001-01-01 00:00:00.000001 BC')`,
      [String(index), text, index],
    );
    await client.query(
      "insert into saved_views (account_id, name, query, is_shared, created_at) values ($1, $2, $3, true, now())",
      [accountId, text, text],
    );
    await client.query(
      `insert into results (check_id, id, location, attempt, is_final, verdict, started_at,
          trouble, samples, response_ms, min_ms, max_ms, avg_ms)
        values ($1, overlay(gen_random_uuid()::text placing '00' from 1)::uuid, 'eu', 1, true, 1,
          now(), $2, $3, 1.1, 'NaN', 'Infinity', 1e-45)`,
      [checkId, JSON.stringify({ [text]: text }), Buffer.from([0, 255, 92, 10, index])],
    );
  }
}

/** The rows of every table as PostgreSQL shows them, sorted. */
async function readEverything(of: pg.Client): Promise<Record<string, unknown>> {
  const everything: Record<string, unknown> = {};
  for (const { name } of await listTables(of)) {
    const { rows } = await of.query(`select t::text as row from "${name}" t order by 1`);
    everything[name] = rows.map(({ row }) => row);
  }
  return everything;
}

async function describeSchema(of: pg.Client): Promise<unknown> {
  const { rows } = await of.query(`
    select conrelid::regclass::text as place, conname as name, pg_get_constraintdef(oid) as text
      from pg_constraint where connamespace = current_schema()::regnamespace
    union all select tablename, indexname, indexdef from pg_indexes
      where schemaname = current_schema()
    union all select tgrelid::regclass::text, tgname, tgenabled::text || pg_get_triggerdef(oid)
      from pg_trigger where not tgisinternal
    order by 1, 2, 3`);
  return rows;
}

const file = () => join(folder, "whole.backup");
const startedAt = new Date("2026-11-16T12:00:00Z");
const make = (more: Partial<Parameters<typeof writeBackup>[0]> = {}) =>
  writeBackup({
    connection: { connectionString: source.url },
    path: file(),
    program: "0.1.0",
    startedAt,
    key: null,
    ...more,
  });
const restore = (url: string, more: Partial<Parameters<typeof restoreBackup>[0]> = {}) =>
  restoreBackup({
    connection: { connectionString: url },
    path: file(),
    shouldOverwrite: false,
    ...more,
  });

/** A row written after the backup has started is not in it. */
async function makeWhileOthersWrite(): Promise<void> {
  const written: Promise<unknown>[] = [];
  const onProgress = () => {
    if (written.length > 0) return;
    const late = `insert into set_aside (work, key, reason, attempts, retry_at, first_at)
      values ('late', '1', '', 1, now(), now())`;
    written.push(client.query(late));
  };
  await make({ onProgress });
  assert.equal(written.length, 1);
  await Promise.all(written);
  const { rowCount } = await client.query("delete from set_aside where work = 'late'");
  assert.equal(rowCount, 1);
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "vedette-backup-"));
  source = await createDatabase(false);
  client = await connect(source.url);
  await fill();
  await makeWhileOthersWrite();
});

after(async () => {
  await Promise.all(clients.map((one) => one.end()));
  await Promise.all(databases.map((one) => one.drop()));
  await rm(folder, { recursive: true, force: true });
});

describe("a backup", () => {
  it("restores every row, sequence, partition, reference and trigger", async () => {
    const target = await createDatabase(true);
    const { end } = await restore(target.url);
    const restored = await connect(target.url);
    assert.deepEqual(await readEverything(restored), await readEverything(client));
    assert.deepEqual(await describeSchema(restored), await describeSchema(client));
    const rows = Object.values(await readEverything(client)).flat();
    assert.equal(end.rows, rows.length);
    const { rows: made } = await restored.query(
      `insert into saved_views (account_id, name, query, is_shared, created_at)
        values ($1, '', '', true, now()) returning id`,
      [accountId],
    );
    assert.equal(made[0]?.id, hostile.length + 1, "sequences continue where they were");
  });

  it("leaves no file with its final name if it is cancelled", async () => {
    const path = join(folder, "given-up.backup");
    const signal = AbortSignal.abort(new Error("given up"));
    await assert.rejects(make({ path, signal }), /given up/);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith("given-up")),
      [],
    );
    await assert.rejects(make({ path: join(folder, "no", "x.backup") }), /mkdir -p/);
  });

  it("is verified in a temporary database that is dropped afterwards", async () => {
    const connection = { connectionString: source.url };
    await client.query("select 1");
    const administrator = { connectionString: source.url.replace("vedette@", "postgres@") };
    const seen: string[] = [];
    await inScratchDatabase(administrator, folder, async (scratch) => {
      assert.ok("connectionString" in scratch);
      seen.push(new URL(scratch.connectionString).pathname.slice(1));
      await verifyBackup(scratch, { path: file() });
      const tampered = await connect(scratch.connectionString);
      const { rows } = await tampered.query("select count(*)::int as rows from saved_views");
      assert.equal(rows[0]?.rows, hostile.length);
      await tampered.end();
    });
    const { rows } = await client.query("select 1 from pg_database where datname = any($1)", [
      seen,
    ]);
    assert.equal(rows.length, 0);
    await assert.rejects(
      inScratchDatabase(connection, folder, async () => {}),
      /may not create databases[\s\S]*alter role "vedette" createdb/,
    );
  });
});

describe("a restore", () => {
  it("rejects a database with data unless overwriting is requested", async () => {
    const target = await createDatabase(false);
    const there = await connect(target.url);
    await there.query("insert into accounts values (gen_random_uuid(), 'Old', now(), null)");
    await assert.rejects(restore(target.url), /already contains data of Vedette[\s\S]*--overwrite/);
    await restore(target.url, { shouldOverwrite: true });
    assert.deepEqual(await readEverything(there), await readEverything(client));
  });

  it("rejects tables that are not Vedette's, even if overwriting is requested", async () => {
    const target = await createDatabase(true);
    await (await connect(target.url)).query("create table invoices (id int)");
    await assert.rejects(
      restore(target.url, { shouldOverwrite: true }),
      /not Vedette's \(invoices\)/,
    );
  });

  it("rejects a database that a server uses", async () => {
    const target = await createDatabase(true);
    const server = new pg.Client({ connectionString: target.url, application_name: "vedette" });
    await server.connect();
    clients.push(server);
    await assert.rejects(restore(target.url), /Stop all its servers first/);
  });

  it("changes nothing if the file is broken or the restore fails midway", async () => {
    const target = await createDatabase(true);
    const broken = join(folder, "broken.backup");
    const bytes = await readFile(file());
    await writeFile(broken, bytes.subarray(0, bytes.length - 10));
    await assert.rejects(restore(target.url, { path: broken }), /truncated/);
    const there = await connect(target.url);
    const count = "select count(*)::int as tables from pg_tables where schemaname = 'public'";
    assert.equal((await there.query(count)).rows[0]?.tables, 0);
    // A row whose account is missing violates a reference at the very end.
    const bad = await createDatabase(false);
    const badClient = await connect(bad.url);
    await badClient.query("alter table saved_views drop constraint saved_views_account_id_fkey");
    await badClient.query(
      `insert into saved_views (account_id, name, query, is_shared, created_at)
        values (gen_random_uuid(), '', '', true, now())`,
    );
    const path = join(folder, "bad.backup");
    await make({ connection: { connectionString: bad.url }, path });
    await assert.rejects(restore(target.url, { path }), /violates foreign key/);
    assert.equal((await there.query(count)).rows[0]?.tables, 0);
  });

  it("restores a backup of an older version, which the newer one then migrates", async () => {
    const newer = join(folder, "migrations");
    const target = await createDatabase(true);
    await cp(migrationsFolder, newer, { recursive: true });
    await writeFile(join(newer, "9999-later.sql"), "alter table accounts add column later int");
    await restore(target.url, { folder: newer });
    assert.deepEqual(await migrate({ connectionString: target.url }, newer), ["9999-later.sql"]);
    const path = join(folder, "newer.backup");
    await make({ connection: { connectionString: target.url }, path });
    const older = await createDatabase(true);
    await assert.rejects(restore(older.url, { path }), /9999-later\.sql, which this version/);
  });
});

it("a server that has something to migrate does not wait for a backup", async () => {
  const database = await createDatabase(true);
  const reading = new pg.Client({
    connectionString: database.url,
    application_name: "vedette backup",
  });
  const ended = Promise.withResolvers<string>();
  reading.on("error", ({ message }) => ended.resolve(message));
  await reading.connect();
  await reading.query("begin");
  await reading.query("select pg_advisory_xact_lock_shared(7333883)");
  assert.ok((await migrate({ connectionString: database.url })).length > 0);
  assert.match(await ended.promise, /terminating connection|Connection terminated/);
});
