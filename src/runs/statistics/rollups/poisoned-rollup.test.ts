/** A check whose rows cannot be summed does not block the statistics of others. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRunsOverTime } from "../../../../test/support/modules/analytics.ts";
import { createRunsFixture, type RunsFixture } from "../../../../test/support/modules/runs.ts";
import { markLateHours } from "../../recording/follow-up-store.ts";
import { createPartition, insertNewResults } from "../../results/result-write-store.ts";
import { idFloor } from "../../results/run-id.ts";
import type { Watched } from "../../scheduling/watch-list.ts";
import { dayMs, hourMs, startOf } from "../window.ts";
import { keepRollups, rollUpClosedHours } from "./rollup-builder.ts";

let fixture: RunsFixture;
let checks: Watched[];
let poisonedId: string;
let dayStartMs: number;
let firstMs: number;

before(async () => {
  fixture = await createRunsFixture();
  dayStartMs = startOf(fixture.clock.now().getTime(), dayMs) - dayMs;
  firstMs = dayStartMs + 20 * hourMs;
  await createPartition(fixture.context.db, dayStartMs);
  checks = [await fixture.addCheck(), await fixture.addCheck(), await fixture.addCheck()];
  poisonedId = checks[1]?.checkId ?? "";
  const span = { fromMs: firstMs, toMs: firstMs + 2 * hourMs };
  await insertNewResults(
    fixture.context.db,
    createRunsOverTime(checks, span, () => 0.5),
  );
  await fixture.query("create table sound as select id, samples from results");
  await fixture.query(
    "update results set samples = '\\x09' where check_id = $1 and id >= $2 and id < $3",
    poisonedId,
    idFloor(firstMs),
    idFloor(firstMs + hourMs),
  );
});
after(() => fixture.stop());

const listAside = () => fixture.query("select work, key, reason, attempts from set_aside");
const listHours = async (checkId: string) => {
  const rows = await fixture.query(
    `select distinct starts_at from hourly_rollups where check_id = $1
      order by starts_at`,
    checkId,
  );
  return rows.map(({ starts_at }) => ((starts_at as Date).getTime() - firstMs) / hourMs);
};
const sumDay = async (checkId: string) => {
  const [row] = await fixture.query(
    `select sum(runs[1] + runs[2] + runs[3] + runs[4])::int as count from daily_rollups
      where check_id = $1 and starts_at = $2`,
    checkId,
    new Date(dayStartMs),
  );
  return row?.count;
};

test("an hour that fails for one check is rolled up for the others, and so is its day", async () => {
  const rolled = await rollUpClosedHours(fixture.context);
  assert.equal(rolled?.days, 1);
  for (const { checkId } of checks) {
    assert.deepEqual(await listHours(checkId), checkId === poisonedId ? [1] : [0, 1]);
  }
  const key = `${poisonedId} ${new Date(firstMs).toISOString().slice(0, 13)}:00Z`;
  const [aside, ...others] = await listAside();
  assert.deepEqual(others, []);
  assert.deepEqual([aside?.work, aside?.key, aside?.attempts], ["roll statistics up", key, 1]);
  assert.match(String(aside?.reason), /unknown sketch format/);
  assert.deepEqual(await rollUpClosedHours(fixture.context), { hours: 0, days: 0 });
});

test("late results of other checks are repaired while it keeps failing", async () => {
  const marks = checks.map(({ checkId }) => ({ checkId, hourMs: firstMs + hourMs }));
  await markLateHours(fixture.context.db, marks);
  fixture.clock.advance(60_000);
  await keepRollups(fixture.context);
  assert.deepEqual(await fixture.query("select check_id from late_hours"), [
    { check_id: poisonedId },
  ]);
  assert.equal((await listAside())[0]?.attempts, 2);
});

test("once its rows are valid again, they are in the hour and the day", async () => {
  await fixture.query(
    "update results set samples = sound.samples from sound where sound.id = results.id",
  );
  fixture.clock.advance(60_000);
  await keepRollups(fixture.context);
  assert.deepEqual(await listHours(poisonedId), [0, 1]);
  assert.equal(await sumDay(poisonedId), await sumDay(checks[0]?.checkId ?? ""));
  assert.deepEqual(await listAside(), []);
  assert.deepEqual(await fixture.query("select check_id from late_hours"), []);
});

test("rows that stay invalid are abandoned eventually", async () => {
  await fixture.query("update results set samples = '\\x09' where check_id = $1", poisonedId);
  await markLateHours(fixture.context.db, [{ checkId: poisonedId, hourMs: firstMs }]);
  let rounds = 0;
  for (; rounds < 30; rounds += 1) {
    await keepRollups(fixture.context);
    if ((await fixture.query("select check_id from late_hours")).length === 0) break;
    fixture.clock.advance(7_200_000);
  }
  assert.equal(rounds, 19);
});
