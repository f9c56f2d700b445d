import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { captureLog } from "../../../test/support/apps/log.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { propertyRuns } from "../../../test/support/properties.ts";
import { type Database, inTransaction, runSql } from "../../platform/database.ts";
import { type DatabasePool, openDatabase } from "../../platform/database-pool.ts";
import { KnownError } from "../../platform/errors.ts";
import { migrate } from "../../platform/migrations.ts";
import type { Caller } from "./caller.ts";
import { createOnce, forgetOldRequests } from "./create-once.ts";
import { findIdempotencyKey } from "./credential-store.ts";

const at = new Date("2026-11-15T12:00:00Z");
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: DatabasePool;
let caller: Caller;
let other: Caller;

async function addAccount(): Promise<Caller> {
  const accountId = randomUUID();
  await pool.pool.query("insert into accounts (id, name, created_at) values ($1, 'a', now())", [
    accountId,
  ]);
  return {
    type: "API_KEY",
    credentialId: randomUUID(),
    userId: null,
    label: "a test",
    accountId,
    role: "OWNER",
    address: "127.0.0.1",
    requestId: "1",
    accountIds: [accountId],
    roleIn: () => null,
  };
}

before(async () => {
  database = await createTestDatabase();
  const connection = { connectionString: database.url };
  await migrate(connection);
  pool = openDatabase(connection, captureLog().log);
  await pool.pool.query("create table things (id uuid primary key, request text not null)");
  caller = await addAccount();
  other = await addAccount();
});
after(async () => {
  await pool.close();
  await database.drop();
});

interface Input {
  readonly key: string | undefined;
  readonly body?: unknown;
  readonly operation?: string;
  readonly as?: Caller;
  readonly fails?: boolean;
}

async function insertThing(db: Database, id: string, request: string): Promise<void> {
  await runSql(db, "insert into things (id, request) values ($1, $2)", [id, request]);
}

/** Creates a thing the way the actions do. */
function request({ key, body = {}, operation = "thing.created", as = caller, fails }: Input) {
  const targetId = randomUUID();
  return inTransaction(pool.db, (db) =>
    createOnce(db, as, { key, operation, body, targetId, at }, async () => {
      await insertThing(db, targetId, key ?? targetId);
      if (fails === true) throw new Error("the create failed");
    }),
  );
}

async function countThings(name: string): Promise<number> {
  const { rows } = await pool.pool.query("select 1 from things where request = $1", [name]);
  return rows.length;
}

const isConflict = (error: unknown) =>
  error instanceof KnownError && error.errorName === "conflict";

test("concurrent identical requests create one object, and all receive its id", async () => {
  const run = fc.tuple(fc.integer({ min: 2, max: 12 }), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(run, async ([count, body]) => {
      const key = randomUUID();
      const inputs = Array.from({ length: count }, () => request({ key, body }));
      const done = await Promise.all(inputs);
      assert.equal(new Set(done.map(({ targetId }) => targetId)).size, 1);
      assert.equal(done.filter(({ isRepeat }) => !isRepeat).length, 1);
      assert.equal(await countThings(key), 1);
    }),
    { numRuns: propertyRuns / 10 },
  );
});

test("the same key with another body or operation is rejected", async () => {
  const key = randomUUID();
  const first = await request({ key, body: { name: "a" } });
  await assert.rejects(() => request({ key, body: { name: "b" } }), isConflict);
  await assert.rejects(
    () => request({ key, body: { name: "a" }, operation: "other.created" }),
    isConflict,
  );
  const again = await request({ key, body: { name: "a" } });
  assert.deepEqual(again, { targetId: first.targetId, isRepeat: true });
  assert.equal(await countThings(key), 1);
});

test("of different concurrent requests with one key, one succeeds", async () => {
  const key = randomUUID();
  const settled = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) => request({ key, body: { index } })),
  );
  assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
  for (const one of settled) {
    if (one.status === "rejected") assert.ok(isConflict(one.reason), String(one.reason));
  }
  assert.equal(await countThings(key), 1);
});

test("a failed create stores neither the object nor the key", async () => {
  const key = randomUUID();
  await assert.rejects(() => request({ key, fails: true }), /the create failed/);
  assert.equal(await countThings(key), 0);
  assert.equal(await findIdempotencyKey(pool.db, caller.accountId, key), null);
  const retry = await request({ key, body: { name: "another body even" } });
  assert.equal(retry.isRepeat, false);
  assert.equal(await countThings(key), 1);
});

test("when a request fails, one of the waiting requests creates the object", async () => {
  const key = randomUUID();
  const settled = await Promise.allSettled([
    request({ key, fails: true }),
    ...Array.from({ length: 5 }, () => request({ key })),
  ]);
  const done = settled.filter((one) => one.status === "fulfilled").map(({ value }) => value);
  assert.ok(done.length >= 5);
  assert.equal(new Set(done.map(({ targetId }) => targetId)).size, 1);
  assert.equal(await countThings(key), 1);
});

test("without a key every request creates", async () => {
  const done = await Promise.all([request({ key: undefined }), request({ key: undefined })]);
  assert.notEqual(done[0].targetId, done[1].targetId);
  assert.ok(done.every(({ isRepeat }) => !isRepeat));
});

test("the same key in another account is another key", async () => {
  const key = randomUUID();
  const mine = await request({ key });
  const theirs = await request({ key, body: { name: "theirs" }, as: other });
  assert.notEqual(mine.targetId, theirs.targetId);
  assert.equal(theirs.isRepeat, false);
});

test("a key is deleted after 24 hours, and not before", async () => {
  const key = randomUUID();
  await request({ key });
  const dayMs = 24 * 3_600_000;
  await forgetOldRequests(pool.db, new Date(at.getTime() + dayMs));
  assert.notEqual(await findIdempotencyKey(pool.db, caller.accountId, key), null);
  await forgetOldRequests(pool.db, new Date(at.getTime() + dayMs + 1));
  assert.equal(await findIdempotencyKey(pool.db, caller.accountId, key), null);
  assert.equal((await request({ key })).isRepeat, false);
});
