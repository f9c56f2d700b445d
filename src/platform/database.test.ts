import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { type Database, inTransaction, onOneConnection, runPrepared, runSql } from "./database.ts";
import { type DatabasePool, openDatabase } from "./database-pool.ts";

describe("the pool of database connections", () => {
  it("survives a connection that breaks while in use", async (t) => {
    const test = await createTestDatabase({ isEmpty: true });
    const { log, text: logText } = captureLog();
    const { pool, close } = openDatabase({ connectionString: test.url }, log);
    t.after(async () => {
      await close();
      await test.drop();
    });
    const client = await pool.connect();
    const { rows } = await client.query("select pg_backend_pid() as pid");
    await pool.query("select pg_terminate_backend($1)", [rows[0].pid]);
    await waitUntil("the failure is logged", () => logText().includes("failed in use"));
    await assert.rejects(client.query("select 1"), /is not queryable/);
    client.release(true);
    assert.equal((await pool.query("select 1 as one")).rows[0].one, 1);
  });
});

describe("the database handle", () => {
  let test: Awaited<ReturnType<typeof createTestDatabase>>;
  let opened: DatabasePool;
  before(async () => {
    test = await createTestDatabase({ isEmpty: true });
    opened = openDatabase({ connectionString: test.url }, captureLog().log);
    await runSql(opened.db, "create table things (id integer primary key)");
  });
  after(async () => {
    await opened.close();
    await test.drop();
  });

  const insert = (db: Database, id: number) =>
    runPrepared(db, { name: "insert-thing", text: "insert into things values ($1)", values: [id] });
  const listIds = async (db: Database) =>
    (await runSql<{ id: number }>(db, "select id from things order by id")).map(({ id }) => id);
  const empty = (t: TestContext) => t.after(() => runSql(opened.db, "truncate things"));
  const findSession = async (db: Database) =>
    (await runSql<{ pid: number }>(db, "select pg_backend_pid() as pid"))[0]?.pid;

  it("prepares a named statement once per connection", async () => {
    const statement = { name: "double", text: "select $1::int * 2 as doubled" };
    await onOneConnection(opened.db, async (db) => {
      for (const value of [1, 2, 3]) {
        const rows = await runPrepared<{ doubled: number }>(db, { ...statement, values: [value] });
        assert.deepEqual(rows, [{ doubled: value * 2 }]);
      }
      await inTransaction(db, (tx) => runPrepared(tx, { ...statement, values: [4] }));
      await runSql(db, "select $1::int as bare", [1]);
      const prepared = await runSql(
        db,
        `select name, (generic_plans + custom_plans)::int as runs from pg_prepared_statements
          where name = 'double' or statement like '%bare%'`,
      );
      assert.deepEqual(prepared, [{ name: "double", runs: 4 }]);
    });
  });

  it("commits a transaction, and rolls back one that fails", async (t) => {
    empty(t);
    const outcome = await inTransaction(opened.db, async (db) => {
      await insert(db, 1);
      assert.deepEqual(await listIds(opened.db), [], "other sessions do not see it yet");
      return "done";
    });
    assert.equal(outcome, "done");
    const failing = inTransaction(opened.db, async (db) => {
      await insert(db, 2);
      throw new Error("changed my mind");
    });
    await assert.rejects(failing, /changed my mind/);
    assert.deepEqual(await listIds(opened.db), [1]);
  });

  it("joins an open transaction without a second connection", async (t) => {
    empty(t);
    const failing = inTransaction(opened.db, async (outer) => {
      const session = await findSession(outer);
      await inTransaction(outer, async (inner) => {
        assert.equal(await findSession(inner), session);
        await insert(inner, 1);
      });
      await onOneConnection(outer, async (same) => assert.equal(await findSession(same), session));
      throw new Error("changed my mind");
    });
    await assert.rejects(failing, /changed my mind/);
    assert.deepEqual(await listIds(opened.db), []);
  });

  it("does not report a commit after an error that was caught inside", async (t) => {
    empty(t);
    const swallowing = inTransaction(opened.db, async (db) => {
      await insert(db, 1);
      await insert(db, 1).catch(() => {});
    });
    await assert.rejects(swallowing, /rolled back instead of committed/);
    assert.deepEqual(await listIds(opened.db), []);
  });

  it("throws the first error if the connection is lost as well", async () => {
    const failing = inTransaction(opened.db, async (db) => {
      await runSql(opened.db, "select pg_terminate_backend($1)", [await findSession(db)]);
      await waitUntil("the session has ended", async () =>
        listIds(db).then(
          () => false,
          () => true,
        ),
      );
      throw new Error("the first error");
    });
    await assert.rejects(failing, /the first error/);
    assert.deepEqual(await listIds(opened.db), [], "the pool still works");
  });

  it("runs session work on one connection", async () => {
    await onOneConnection(opened.db, async (db) => {
      const session = await findSession(db);
      await inTransaction(db, async (tx) => assert.equal(await findSession(tx), session));
      assert.equal(await findSession(db), session);
      assert.notEqual(await findSession(opened.db), session);
    });
  });
});
