import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { captureLog } from "../../test/support/apps/log.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { TestClock } from "../../test/support/time/clock.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import type { Loop } from "./loop.ts";
import { WorkCalendar } from "./work-calendar.ts";

const clock = new TestClock();
const woken = { parcels: 0, letters: 0 };
let pool: pg.Pool;
let dropDatabase: () => Promise<void>;
let calendar: WorkCalendar;
let loop: Loop;

before(async () => {
  const database = await createTestDatabase({ isEmpty: true });
  dropDatabase = database.drop;
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  await pool.query(`create table parcels (due_at timestamptz, is_sent boolean default false);
    create table letters (text text)`);
  calendar = new WorkCalendar(pool, clock);
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
  await pool.end();
  await dropDatabase();
});

const inMs = (ms: number) => new Date(clock.now().getTime() + ms);

test("a loop is woken when a row of its queue is due, and no other loop is", async () => {
  await pool.query("insert into parcels values ($1), ($2)", [inMs(-1), inMs(3_600_000)]);
  calendar.lookSoon();
  await waitUntil("it was woken", () => woken.parcels > 0);
  assert.equal(woken.letters, 0);
  await pool.query("update parcels set is_sent = true where due_at < $1", [clock.now()]);
});

test("a row that is due later wakes the loop then", async () => {
  calendar.lookSoon();
  await waitUntil("it has looked", () => (loop.progress?.().lastSuccessAtMs ?? null) !== null);
  const before = woken.parcels;
  clock.advance(3_600_000);
  await waitUntil("it was woken", () => woken.parcels > before);
});

test("rows without a moment are due as soon as they are there, also if nobody says so", async () => {
  await pool.query("insert into letters values ('hello')");
  await waitUntil("it was woken", () => woken.letters > 0);
});
