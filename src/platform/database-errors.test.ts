import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { findTakenConstraint, isDeadlock } from "./database-errors.ts";

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
