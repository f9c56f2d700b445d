import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { createChance, measureRtts } from "../../../../test/support/modules/analytics.ts";
import {
  createRunsFixture,
  makeResult,
  type RunsFixture,
} from "../../../../test/support/modules/runs.ts";
import { propertyRuns } from "../../../../test/support/properties.ts";
import { kinds } from "../../../kinds/index.ts";
import { markLateHours } from "../../recording/follow-up-store.ts";
import {
  createPartition,
  insertNewResults,
  type JudgedResult,
} from "../../results/result-write-store.ts";
import type { Watched } from "../../scheduling/watch-list.ts";
import { summariseChecks } from "../analytics/actions.ts";
import { blockMs, dayMs, hourMs, startOf } from "../window.ts";
import { type ImportedSlot, importRollups } from "./import-rollups.ts";
import { repairLateHours, rollUpClosedHours } from "./rollup-builder.ts";

let fixture: RunsFixture;
let nowMs: number;
let today: number;
before(async () => {
  fixture = await createRunsFixture();
  nowMs = fixture.clock.now().getTime();
  today = startOf(nowMs, dayMs);
});
after(() => fixture.stop());

/** Two days of runs with one reply each. All runs of a day take equally long. */
function createRuns(watched: Watched): JudgedResult[] {
  const chance = createChance(27);
  const runs: JudgedResult[] = [];
  for (let dueAtMs = today - 2 * dayMs; dueAtMs < today; dueAtMs += 300_000) {
    const hour = new Date(dueAtMs).getUTCHours();
    // One hour has no runs, and in another all of them fail.
    if (hour === 5) continue;
    const isUp = hour !== 9 && chance() < 0.8;
    const rttMs = dueAtMs < today - dayMs ? 12.5 : 170;
    const result = makeResult(watched, {
      ...{ dueAtMs, location: "eu-west-1", outcome: measureRtts([isUp ? rttMs : null]) },
    });
    runs.push({ result, verdict: isUp ? "passing" : "failing", reasons: [], isFinal: true });
  }
  return runs;
}

/** The same runs as another monitor would have counted them. */
function countRuns(runs: readonly JudgedResult[], unitMs: number): ImportedSlot[] {
  const byStart = Map.groupBy(runs, ({ result }) => startOf(result.dueAtMs, unitMs));
  return [...byStart].map(([startMs, some]) => {
    const up = some.filter(({ verdict }) => verdict === "passing").length;
    const rttMs = up === 0 ? null : startMs < today - dayMs ? 12.5 : 170;
    const times = { avgMs: rttMs, minMs: rttMs, maxMs: rttMs };
    return { startMs, up, down: some.length - up, ...times };
  });
}

const columns = {
  hourly_rollups: "starts_at, runs, retries, sample_count, sample_sum_ms, samples",
  daily_rollups: "starts_at, runs, retries, sample_count, sample_sum_ms, samples",
  hourly_running_totals: "starts_at, runs, samples, hours",
  daily_running_totals: "starts_at, runs, samples",
};
const listRows = (table: keyof typeof columns, checkId: string, which = columns[table]) =>
  fixture.query(`select ${which} from ${table} where check_id = $1 order by starts_at`, checkId);

test("imported statistics equal those of the same runs recorded one by one", async () => {
  const [recorded, imported] = [await fixture.addCheck(), await fixture.addCheck()];
  for (const day of [1, 2]) await createPartition(fixture.context.db, today - day * dayMs);
  const runs = createRuns(recorded);
  await insertNewResults(fixture.context.db, runs);
  await rollUpClosedHours(fixture.context);
  const slots = { hours: countRuns(runs, hourMs), days: countRuns(runs, dayMs) };
  const history = { checkId: imported.checkId, kind: kinds.ICMP, ...slots };
  await importRollups(fixture.context.db, [history], nowMs);
  for (const table of Object.keys(columns) as (keyof typeof columns)[]) {
    const rows = await listRows(table, imported.checkId);
    assert.equal(rows.length, table.startsWith("hourly") ? 46 : 2, table);
    assert.deepEqual(rows, await listRows(table, recorded.checkId), table);
  }
  const ids = [recorded.checkId, imported.checkId];
  for (const [from, to] of [
    ...[
      [48, 0],
      [30, 0],
      [47, 3],
      [24, 10],
      [11, 4],
      [20, 19],
    ],
  ] as const) {
    const window = { fromMs: today - from * hourMs, toMs: today - to * hourMs };
    const [one, other] = await summariseChecks(fixture.context, ids, window);
    assert.deepEqual(
      [other?.runs, other?.availability, other?.latencyMs],
      [one?.runs, one?.availability, one?.latencyMs],
      `${from} to ${to} hours ago`,
    );
  }
});

const time = fc.double({ min: 0, max: 60_000, noNaN: true });
const slotAt = (startMs: number) =>
  fc
    .record({
      up: fc.integer({ min: 0, max: 60 }),
      down: fc.integer({ min: 0, max: 60 }),
      times: fc.option(fc.tuple(time, time, time), { freq: 5 }),
    })
    .map(({ up, down, times }): ImportedSlot => {
      const [minMs, avgMs, maxMs] = times?.toSorted((one, other) => one - other) ?? [];
      return { startMs, up, down, ...noTimes, ...(times && ({ minMs, avgMs, maxMs } as object)) };
    });
const noTimes = { avgMs: null, minMs: null, maxMs: null };
const history = (startsMs: readonly number[]) =>
  fc
    .subarray([...startsMs])
    .chain((starts) => fc.tuple(...starts.map(slotAt)))
    .map((slots): ImportedSlot[] => slots);
const listStarts = (fromMs: number, stepMs: number, count: number) =>
  Array.from({ length: count }, (_, index) => fromMs + index * stepMs);

test("running totals are those that a repair sums from the imported hours and days", async () => {
  const firstDay = startOf(today - 120 * dayMs, blockMs);
  const firstHour = today - 40 * dayMs;
  const hourStarts = listStarts(firstHour, hourMs, 50);
  const dayStarts = listStarts(firstDay, dayMs, 70);
  await fc.assert(
    fc.asyncProperty(history(hourStarts), history(dayStarts), async (hours, days) => {
      const { checkId } = await fixture.addCheck();
      const runs = [{ checkId, kind: kinds.ICMP, hours, days }];
      await importRollups(fixture.context.db, runs, nowMs);
      const read = async () => [
        await listRows("hourly_running_totals", checkId, "*"),
        await listRows("daily_running_totals", checkId, "*"),
      ];
      const before = await read();
      assert.deepEqual(
        before.map(({ length }) => length),
        [hours.length, days.length],
      );
      // A late result lets the builder sum the later totals of its day and block again.
      const late = [
        ...[0, 1, 2].map((day) => firstHour + day * dayMs),
        ...[0, 1, 2].map((block) => firstDay + block * blockMs),
      ];
      const marks = late.map((startMs) => ({ checkId, hourMs: startMs }));
      await markLateHours(fixture.context.db, marks);
      assert.ok(((await repairLateHours(fixture.context)) ?? 0) >= 5);
      // It also writes totals for the hours and days without runs.
      const after = (await read()).map((rows, index) => {
        const known = new Set(before[index]?.map(({ starts_at }) => String(starts_at)));
        return rows.filter(({ starts_at }) => known.has(String(starts_at)));
      });
      assert.deepEqual(after, before);
    }),
    { numRuns: propertyRuns / 10 },
  );
});
