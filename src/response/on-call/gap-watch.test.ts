import assert from "node:assert/strict";
import { test } from "node:test";
import { takeReusableDatabase } from "../../../test/support/database/reusable-database.ts";
import { TestClock } from "../../../test/support/time/clock.ts";
import { runSql } from "../../platform/database.ts";
import { keepRead, listGapWarnings } from "./gap-watch.ts";

test("a slow read is repeated after a minute, or after nine times its duration", async () => {
  const clock = new TestClock();
  let count = 0;
  let durationMs = 0;
  const read = keepRead({ clock }, async () => {
    count += 1;
    clock.advance(durationMs);
    return [count];
  });
  assert.deepEqual(await read(), [1]);
  clock.advance(59_999);
  assert.deepEqual(await read(), [1]);
  clock.advance(1);
  durationMs = 20_000;
  assert.deepEqual(await read(), [2]);
  clock.advance(179_999);
  assert.deepEqual(await read(), [2]);
  clock.advance(1);
  assert.deepEqual(await read(), [3]);
});

test("a failed read is empty", async () => {
  const read = keepRead({ clock: new TestClock() }, () => Promise.reject(new Error("no database")));
  assert.deepEqual(await read(), []);
});

test("gaps of all accounts are listed, however many there are", async (t) => {
  const { db, release } = await takeReusableDatabase();
  t.after(release);
  const clock = new TestClock();
  await runSql(
    db,
    `with made as (insert into accounts (id, name, created_at)
        select gen_random_uuid(), 'Account', $1 from generate_series(1, 101) returning id)
      insert into on_call_schedules (id, account_id, name, time_zone, layers, warns_about_gaps,
        created_at)
      select gen_random_uuid(), id, 'Night', 'UTC', '[]', true, $1 from made`,
    [clock.now()],
  );
  assert.equal((await listGapWarnings({ db, clock })).length, 101);
});
