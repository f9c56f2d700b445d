import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { createChance, createRunsOverTime } from "../../../../test/support/modules/analytics.ts";
import {
  createRunsFixture,
  type RunsFixture,
  readMeasurement,
} from "../../../../test/support/modules/runs.ts";
import { propertyRuns } from "../../../../test/support/properties.ts";
import { inTransaction, onOneConnection, runSql } from "../../../platform/database.ts";
import { addToSketch, createSketch, encodeSketch } from "../../../platform/sketch.ts";
import { markLateHours } from "../../recording/follow-up-store.ts";
import {
  createPartition,
  insertNewResults,
  type JudgedResult,
} from "../../results/result-write-store.ts";
import type { Watched } from "../../scheduling/watch-list.ts";
import { type CheckSummary, summariseChecks } from "../analytics/actions.ts";
import { addPercent } from "../sketch-statistics.ts";
import { alignWindow, dayMs, hourMs, type Span, startOf } from "../window.ts";
import { keepRollups, pruneRollups, repairLateHours, rollUpClosedHours } from "./rollup-builder.ts";

const firstMs = Date.parse("2026-11-13T00:00:00.000Z");
const resultsFromMs = Date.parse("2026-11-13T20:00:00.000Z");
const nowMs = Date.parse("2026-11-15T12:00:00.000Z");

let fixture: RunsFixture;
let checks: Watched[];
let all: JudgedResult[];
let inTime: JudgedResult[];
let late: JudgedResult[];

async function insert(results: readonly JudgedResult[]): Promise<void> {
  for (let at = 0; at < results.length; at += 500) {
    await insertNewResults(fixture.context.db, results.slice(at, at + 500));
  }
}

before(async () => {
  fixture = await createRunsFixture();
  await createPartition(fixture.context.db, firstMs);
  checks = [await fixture.addCheck(), await fixture.addCheck(), await fixture.addCheck()];
  const chance = createChance(20_261_115);
  all = createRunsOverTime(checks.slice(0, 2), { fromMs: resultsFromMs, toMs: nowMs }, chance);
  late = all.filter(({ result }) => result.dueAtMs < nowMs - 3 * hourMs && chance() < 0.05);
  inTime = all.filter((one) => !late.includes(one));
  await insert(inTime);
});
after(() => fixture.stop());

interface Expected {
  readonly runs: CheckSummary["runs"];
  readonly sent: number;
  readonly received: number;
  readonly rtts: readonly number[];
}

/** The reference implementation: every result, one by one. */
function addUp(results: readonly JudgedResult[], checkId: string, span: Span): Expected {
  const runs = { unknown: 0, passing: 0, degraded: 0, failing: 0 };
  let sent = 0;
  let received = 0;
  const rtts: number[] = [];
  for (const { result, verdict, isFinal } of results) {
    const isWithin = result.dueAtMs >= span.fromMs && result.dueAtMs < span.toMs;
    if (result.checkId !== checkId || !isWithin || !isFinal) continue;
    runs[verdict] += 1;
    const measured = readMeasurement(result.outcome);
    if (measured === null) continue;
    sent += measured.statistics.packetsSent;
    received += measured.statistics.packetsReceived;
    for (const { rttMs } of measured.packets) if (rttMs !== null) rtts.push(rttMs);
  }
  return { runs, sent, received, rtts: rtts.sort((one, other) => one - other) };
}

function assertEquals(summary: CheckSummary | undefined, expected: Expected): void {
  assert.ok(summary);
  const { runs, sent, received, rtts } = expected;
  assert.deepEqual(summary.runs, runs);
  const known = runs.passing + runs.degraded + runs.failing;
  const up = runs.passing + runs.degraded;
  if (known === 0) assert.equal(summary.availability, null);
  else assert.ok(Math.abs((summary.availability ?? -1) - up / known) < 1e-12);
  const loss = sent === 0 ? null : (100 * (sent - received)) / sent;
  assert.equal(summary.parts.packetLoss?.avg, loss);
  const shares = { min: 0, p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, max: 1 } as const;
  for (const [name, share] of Object.entries(shares)) {
    const actual: number | null = summary.latencyMs[name as keyof typeof shares];
    const exact = rtts[Math.floor(share * (rtts.length - 1))];
    if (exact === undefined) assert.equal(actual, null);
    else
      assert.ok(Math.abs((actual ?? 0) - exact) <= 0.0101 * exact, `${name}: ${actual} ${exact}`);
  }
}

const windows = fc
  .record({
    start: fc.integer({ min: firstMs - dayMs, max: nowMs - 1 }),
    length: fc.integer({ min: 1, max: 4 * dayMs }),
  })
  .map(({ start, length }): Span => ({ fromMs: start, toMs: start + length }));

async function assertSummariesEqual(results: readonly JudgedResult[]): Promise<void> {
  const ids = checks.map(({ checkId }) => checkId);
  await fc.assert(
    fc.asyncProperty(windows, async (window) => {
      const summaries = await summariseChecks(fixture.context, ids, window);
      const aligned = alignWindow(window, nowMs);
      for (const [index, checkId] of ids.entries()) {
        assertEquals(summaries[index], addUp(results, checkId, aligned));
      }
    }),
    { numRuns: propertyRuns / 4 },
  );
}

type RollupRow = Record<string, unknown> & { check_id: string; location: string; starts_at: Date };

/** Each row has exactly the counts and sketches of its results. */
async function assertRowsEqual(results: readonly JudgedResult[]): Promise<void> {
  for (const [table, lengthMs] of [
    ["hourly_rollups", hourMs],
    ["daily_rollups", dayMs],
  ] as const) {
    const rows = (await fixture.query(`select * from ${table}`)) as RollupRow[];
    const groups = Map.groupBy(results, ({ result }) =>
      [result.checkId, result.location, startOf(result.dueAtMs, lengthMs)].join(),
    );
    const closedMs = startOf(nowMs - 360_000, lengthMs);
    const expected = [...groups].filter(([key]) => Number(key.split(",")[2]) < closedMs);
    assert.equal(rows.length, expected.length);
    const byKey = new Map(
      rows.map((row) => [[row.check_id, row.location, row.starts_at.getTime()].join(), row]),
    );
    for (const [key, group] of expected) assertRowEquals(byKey.get(key), group);
  }
}

function assertRowEquals(row: RollupRow | undefined, group: readonly JudgedResult[]): void {
  assert.ok(row);
  const [one] = group;
  const span = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  const { runs, sent, received, rtts } = addUp(group, one?.result.checkId ?? "", span);
  assert.deepEqual(row.runs, [runs.unknown, runs.passing, runs.degraded, runs.failing]);
  assert.equal(row.retries, group.filter(({ isFinal }) => !isFinal).length);
  assert.deepEqual(row.counters, [sent, received]);
  const sketchOf = (values: readonly (number | null)[], add = addToSketch) => {
    const sketch = createSketch();
    for (const value of values) if (value !== null) add(sketch, Math.fround(value));
    return Buffer.from(encodeSketch(sketch));
  };
  const statistics = group.flatMap(({ result, isFinal }) =>
    isFinal ? (readMeasurement(result.outcome)?.statistics ?? []) : [],
  );
  const exact = createSketch();
  for (const rtt of rtts) addToSketch(exact, rtt);
  assert.deepEqual(row.samples, Buffer.from(encodeSketch(exact)));
  assert.equal(row.sample_count, rtts.length);
  const losses = statistics.map(({ packetLossPercent }) => packetLossPercent);
  assert.deepEqual(row.parts, [
    sketchOf(losses, addPercent),
    sketchOf(statistics.map(({ minMs }) => minMs)),
    sketchOf(statistics.map(({ maxMs }) => maxMs)),
    sketchOf(statistics.map(({ avgMs }) => avgMs)),
    sketchOf(statistics.map(({ stdDevMs }) => stdDevMs)),
  ]);
}

test("before the first roll-up, figures come from single results", async () => {
  await assertSummariesEqual(inTime);
});

test("while another server rolls up, nothing is done twice", async () => {
  await onOneConnection(fixture.context.db, async (other) => {
    await runSql(other, "select pg_advisory_lock(7333885)");
    assert.equal(await rollUpClosedHours(fixture.context), null);
    assert.equal(await repairLateHours(fixture.context), null);
    assert.equal(await pruneRollups(fixture.context), null);
    await runSql(other, "select pg_advisory_unlock(7333885)");
  });
  assert.deepEqual(await fixture.query("select * from rollup_progress"), []);
});

test("every closed hour since the oldest partition is rolled up once, and so are whole days", async () => {
  // At 12:00 the hour from 11:00 is closed, but not yet for six minutes.
  assert.deepEqual(await rollUpClosedHours(fixture.context), { hours: 24 + 24 + 11, days: 2 });
  assert.deepEqual(await rollUpClosedHours(fixture.context), { hours: 0, days: 0 });
  await assertRowsEqual(inTime);
});

test("any window is the sum of its results, across roll-ups and single results", async () => {
  await assertSummariesEqual(inTime);
});

test("late results are included once their hours and days are repaired", async () => {
  assert.ok(late.some(({ result }) => result.dueAtMs < Date.parse("2026-11-14T00:00:00Z")));
  await insert(late);
  const marks = late.map(({ result }) => {
    return { checkId: result.checkId, hourMs: startOf(result.dueAtMs, hourMs) };
  });
  await markLateHours(fixture.context.db, marks);
  const distinct = new Set(marks.map((mark) => `${mark.checkId} ${mark.hourMs}`)).size;
  assert.equal(await repairLateHours(fixture.context), distinct);
  assert.deepEqual(await fixture.query("select * from late_hours"), []);
  await assertRowsEqual(all);
  await assertSummariesEqual(all);
});

test("a server that died before recording progress repeats the roll-up with the same result", async () => {
  const read = async () => [
    await fixture.query("select * from hourly_rollups order by check_id, starts_at, location"),
    await fixture.query("select * from daily_rollups order by check_id, starts_at, location"),
  ];
  const rows = await read();
  await fixture.query(
    "delete from rollup_progress where starts_at >= $1",
    new Date(firstMs + dayMs),
  );
  await keepRollups(fixture.context);
  assert.deepEqual(await read(), rows);
});

test("a mark that is set during a repair is kept, so that no late result is lost", async () => {
  const [check] = checks;
  const hour = { checkId: check?.checkId ?? "", hourMs: nowMs - 5 * hourMs };
  await markLateHours(fixture.context.db, [hour]);
  // The hour is already marked, so this recorder adds no mark; its result is not committed yet.
  const extra = createRunsOverTime(
    [check as Watched],
    { fromMs: hour.hourMs + 61_000, toMs: hour.hourMs + 62_000 },
    () => 0.5,
  );
  assert.ok(extra.length > 0);
  const repairing = await inTransaction(fixture.context.db, async (recorder) => {
    await insertNewResults(recorder, extra);
    await markLateHours(recorder, [hour]);
    const started = repairLateHours(fixture.context);
    await runSql(recorder, "select pg_sleep(0.2)");
    return { ended: started };
  });
  await repairing.ended;
  all = [...all, ...extra];
  await assertRowsEqual(all);
  await assertSummariesEqual(all);
});

test("hourly roll-ups are kept for 100 days and daily ones for 800", async () => {
  const count = async (table: string) =>
    (await fixture.query(`select count(*)::int as n from ${table}`))[0]?.n as number;
  const days = await count("daily_rollups");
  assert.equal(await pruneRollups(fixture.context), 0);
  fixture.clock.advance(150 * dayMs);
  assert.ok(((await pruneRollups(fixture.context)) ?? 0) > 0);
  assert.equal(await count("hourly_rollups"), 0);
  assert.equal(await count("daily_rollups"), days);
  const window = { fromMs: firstMs + 5 * hourMs, toMs: firstMs + dayMs + 7 * hourMs };
  const [summary] = await summariseChecks(fixture.context, [checks[0]?.checkId ?? ""], window);
  const wholeDays = { fromMs: firstMs, toMs: firstMs + 2 * dayMs };
  assertEquals(summary, addUp(all, checks[0]?.checkId ?? "", wholeDays));
  fixture.clock.advance(700 * dayMs);
  await pruneRollups(fixture.context);
  assert.equal(await count("daily_rollups"), 0);
  assert.deepEqual(await fixture.query("select * from rollup_progress"), []);
});
