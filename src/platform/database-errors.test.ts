import assert from "node:assert/strict";
import { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext, test } from "node:test";
import pg from "pg";
import { captureLog } from "../../test/support/apps/log.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { inTransaction, onOneConnection, runSql } from "./database.ts";
import { explainDamage, findTakenConstraint, isDeadlock } from "./database-errors.ts";
import { openDatabase } from "./database-pool.ts";
import { toKnownError } from "./http/error-handler.ts";

async function open(t: TestContext) {
  const database = await createTestDatabase({ isEmpty: true });
  const opened = openDatabase({ connectionString: database.url }, captureLog().log);
  t.after(async () => {
    await opened.close();
    await database.drop();
  });
  return opened;
}

const fullDisk = `do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`;

it("a write that failed because the disk is full is reported until a write succeeds", async (t) => {
  const { db, writeFaults } = await open(t);
  assert.equal(writeFaults.find(), null);
  await assert.rejects(runSql(db, fullDisk));
  assert.equal(writeFaults.find(), "the database disk is full");
  await writeFaults.prove();
  assert.equal(writeFaults.find(), null);
  await assert.rejects(inTransaction(db, (inside) => runSql(inside, fullDisk)));
  assert.equal(writeFaults.find(), "the database disk is full");
});

it("a read-only database is distinguished from a full disk, and stays read-only", async (t) => {
  const { db, writeFaults } = await open(t);
  await runSql(db, "create table things (id int)");
  await onOneConnection(db, async (session) => {
    await runSql(session, "set default_transaction_read_only = on");
    await assert.rejects(runSql(session, "insert into things values (1)"));
  });
  assert.equal(writeFaults.find(), "the database is read-only");
  await writeFaults.prove();
  assert.equal(writeFaults.find(), "the database is read-only", "the test write failed as well");
});

/** A copy of the files, whose pages have not been read yet, with one page overwritten. */
async function openDamaged(t: TestContext) {
  const made = await createTestDatabase({ isEmpty: true });
  const url = new URL(made.url);
  const name = url.pathname.slice(1);
  const administrator = new pg.Client({
    connectionString: made.url.replace("vedette@", "postgres@").replace(name, "postgres"),
  });
  await administrator.connect();
  const first = new pg.Client({ connectionString: made.url });
  await first.connect();
  await first.query("create table sound as select 1 as id");
  await first.query("create table torn as select generate_series(1, 1000) as id");
  await first.end();
  const copy = `${name}_torn`;
  await administrator.query(
    `create database ${copy} owner vedette template ${name} strategy file_copy`,
  );
  const opened = openDatabase({ connectionString: made.url.replace(name, copy) }, captureLog().log);
  t.after(async () => {
    await opened.close();
    await administrator.query(`drop database ${copy} with (force)`);
    await administrator.end();
    await made.drop();
  });
  const [file] = await runSql<{ path: string }>(
    opened.db,
    "select pg_relation_filepath('torn') as path",
  );
  const { rows } = await administrator.query("show data_directory");
  const handle = await openFile(join(rows[0].data_directory, file?.path ?? ""), "r+");
  await handle.write(Buffer.alloc(512, 0x5a), 0, 512, 4_096);
  await handle.close();
  return { ...opened, url: made.url.replace(name, copy) };
}

it("a damaged page is reported, and everything else still works", async (t) => {
  const { db, writeFaults, url } = await openDamaged(t);
  assert.equal(writeFaults.findDamage(), null);
  const torn = await runSql(db, "select count(*) from torn").catch((error) => error);
  assert.equal(torn.code, "XX001");
  assert.match(toKnownError(torn).message, /^A page of the database .* is damaged/);
  assert.match(writeFaults.findDamage() ?? "", /damaged: run `vedette doctor`/);
  assert.equal(writeFaults.find(), null, "writing works");
  assert.deepEqual(await runSql(db, "select id from sound"), [{ id: 1 }]);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("begin");
  const error = await client.query("select count(*) from torn").catch((reason) => reason);
  const explained = (await explainDamage(error, client)) as Error;
  await client.end();
  assert.match(explained.message, /^A page of torn is damaged: /, "with the name of the table");
  assert.match(explained.message, /"A damaged page" of docs\/operate\.md/);
});

it("a failed write reports why", async (t) => {
  const { db } = await open(t);
  const error = await runSql(db, fullDisk).catch((reason) => reason);
  const known = toKnownError(error);
  assert.equal(known.errorName, "unavailable");
  assert.equal(known.message, "Changes cannot be saved: the database disk is full");
});

it("an error of the statement is not a disk fault", async (t) => {
  const { db, writeFaults } = await open(t);
  await assert.rejects(runSql(db, "select 1 / 0"));
  assert.equal(writeFaults.find(), null);
});

async function catchError(run: Promise<unknown>): Promise<unknown> {
  try {
    await run;
    return null;
  } catch (error) {
    return error;
  }
}

test("a duplicate name is identified by the violated constraint", async (t) => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.drop();
  });
  await client.query("create table things (name text constraint things_name unique not null)");
  await client.query("insert into things values ('one')");
  const taken = await catchError(client.query("insert into things values ('one')"));
  assert.equal(findTakenConstraint(taken), "things_name");
  assert.equal(isDeadlock(taken), false);
  const absent = await catchError(client.query("insert into things values (null)"));
  assert.ok(absent instanceof Error);
  assert.equal(findTakenConstraint(absent), null);
});

test("the transaction ended by a deadlock is recognised", async (t) => {
  const database = await createTestDatabase();
  const clients = [0, 1].map(() => new pg.Client({ connectionString: database.url }));
  await Promise.all(clients.map((client) => client.connect()));
  t.after(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await database.drop();
  });
  const [one, two] = clients;
  assert.ok(one && two);
  await one.query("create table things (id integer primary key)");
  await one.query("insert into things values (1), (2)");
  const lock = (client: pg.Client, id: number) =>
    client.query("select 1 from things where id = $1 for update", [id]);
  await Promise.all([one.query("begin"), two.query("begin")]);
  await Promise.all([lock(one, 1), lock(two, 2)]);
  const finish = async (client: pg.Client, id: number) => {
    const error = await catchError(lock(client, id));
    await client.query("rollback");
    return error;
  };
  const errors = await Promise.all([finish(one, 2), finish(two, 1)]);
  assert.equal(errors.filter(isDeadlock).length, 1);
});

test("any other error is neither", () => {
  for (const thrown of [null, undefined, "23505", new Error("23505"), { code: 23505 }]) {
    assert.equal(findTakenConstraint(thrown), null);
    assert.equal(isDeadlock(thrown), false);
  }
});
