import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { takeReusableDatabase } from "./reusable-database.ts";

const addAccount =
  "insert into accounts (id, name, created_at) values (gen_random_uuid(), 'a', now())";

test("a released database is used again, with the rows of a new one", async () => {
  const first = await takeReusableDatabase();
  const { rows: before } = await first.pool.query("select * from ping_service");
  assert.equal(before.length, 1, "a migration has inserted a row");
  await first.pool.query(addAccount);
  await first.pool.query("delete from ping_service");
  await first.release();

  const second = await takeReusableDatabase();
  assert.equal(second.url, first.url);
  const { rows: after } = await second.pool.query("select * from ping_service");
  assert.deepEqual(after, before);
  assert.equal((await second.pool.query("select 1 from accounts")).rowCount, 0);
  await second.release();
});

test("a database with a changed schema is dropped", async () => {
  const used = await takeReusableDatabase();
  await used.pool.query("alter table checks rename to checks_away");
  await used.release();
  const next = await takeReusableDatabase();
  assert.notEqual(next.url, used.url);
  await next.release();
});

test("a database with a connection in use is dropped", async () => {
  const used = await takeReusableDatabase();
  const client = await used.pool.connect();
  const released = used.release();
  // The pool of the dropped database ends with its last connection.
  client.release();
  await released;
  const next = await takeReusableDatabase();
  assert.notEqual(next.url, used.url);
  await next.release();
});

test("a database with a session of somebody else is dropped", async () => {
  const used = await takeReusableDatabase();
  const client = new pg.Client(used.url);
  client.on("error", () => {});
  await client.connect();
  await used.release();
  const next = await takeReusableDatabase();
  assert.notEqual(next.url, used.url);
  await next.release();
});
