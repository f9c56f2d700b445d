import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { inTransaction, onOneConnection, runSql } from "./database.ts";
import { openDatabase } from "./database-pool.ts";

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

it("a write that failed for want of disk is remembered until writing is proven to work", async (t) => {
  const { db, writeFaults } = await open(t);
  assert.equal(writeFaults.find(), null);
  await assert.rejects(runSql(db, fullDisk));
  assert.equal(writeFaults.find(), "the disk of the database is full");
  await writeFaults.prove();
  assert.equal(writeFaults.find(), null);
  await assert.rejects(inTransaction(db, (inside) => runSql(inside, fullDisk)));
  assert.equal(writeFaults.find(), "the disk of the database is full");
});

it("a database that takes no writes is told from one that is full, and stays so", async (t) => {
  const { db, writeFaults } = await open(t);
  await runSql(db, "create table things (id int)");
  await onOneConnection(db, async (session) => {
    await runSql(session, "set default_transaction_read_only = on");
    await assert.rejects(runSql(session, "insert into things values (1)"));
  });
  assert.equal(writeFaults.find(), "the database is read-only");
  await writeFaults.prove();
  assert.equal(writeFaults.find(), "the database is read-only", "the proof failed as well");
});

it("a fault of the writer is no fault of the disk", async (t) => {
  const { db, writeFaults } = await open(t);
  await assert.rejects(runSql(db, "select 1 / 0"));
  assert.equal(writeFaults.find(), null);
});
