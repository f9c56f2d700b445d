import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { TestClock } from "../../test/support/time/clock.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { runSql } from "./database.ts";
import { type DatabasePool, openDatabase } from "./database-pool.ts";
import type { Loop } from "./loop.ts";
import { WorkCalendar } from "./work-calendar.ts";

const clock = new TestClock();
const woken = { parcels: 0, letters: 0 };
let opened: DatabasePool;
let dropDatabase: () => Promise<void>;
let calendar: WorkCalendar;
let loop: Loop;

before(async () => {
  const database = await createTestDatabase({ isEmpty: true });
  dropDatabase = database.drop;
  opened = openDatabase({ connectionString: database.url }, captureLog().log);
  await runSql(
    opened.db,
    `create table parcels (due_at timestamptz, is_sent boolean default false);
    create table letters (text text)`,
  );
  calendar = new WorkCalendar(opened.db, clock);
  const parcels = { table: "parcels", dueAt: "due_at", where: "not is_sent" };
  calendar.watch(parcels)(() => {
    woken.parcels += 1;
  });
  calendar.watch({ table: "letters" })(() => {
    woken.letters += 1;
  });
  loop = calendar.start(captureLog().log);
});
after(async () => {
  await loop.stop();
  await opened.close();
  await dropDatabase();
});

const inMs = (ms: number) => new Date(clock.now().getTime() + ms);

test("wakes the loop of a queue, and no other, when one of its rows is due", async () => {
  await runSql(opened.db, "insert into parcels values ($1), ($2)", [inMs(-1), inMs(3_600_000)]);
  calendar.pollSoon();
  await waitUntil("the loop was woken", () => woken.parcels > 0);
  assert.equal(woken.letters, 0);
  await runSql(opened.db, "update parcels set is_sent = true where due_at < $1", [clock.now()]);
});

test("a row due later wakes the loop at that time", async () => {
  calendar.pollSoon();
  await waitUntil("it has polled", () => (loop.progress?.().lastSuccessAtMs ?? null) !== null);
  const before = woken.parcels;
  clock.advance(3_600_000);
  await waitUntil("the loop was woken", () => woken.parcels > before);
});

test("rows without a due time are due at once, even without a notification", async () => {
  await runSql(opened.db, "insert into letters values ('hello')");
  await waitUntil("the loop was woken", () => woken.letters > 0);
});
