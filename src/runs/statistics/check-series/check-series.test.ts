import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { createChance, createRunsOverTime } from "../../../../test/support/modules/analytics.ts";
import {
  createRunsFixture,
  type RunsFixture,
  readMeasurement,
} from "../../../../test/support/modules/runs.ts";
import { propertyRuns } from "../../../../test/support/properties.ts";
import type { Caller } from "../../../access/accounts/index.ts";
import {
  createPartition,
  insertNewResults,
  type JudgedResult,
} from "../../results/result-write-store.ts";
import { runBucketsStatement } from "../../results/run-sum-store.ts";
import type { Watched } from "../../scheduling/watch-list.ts";
import { rollupBucketsStatement } from "../analytics/analytics-store.ts";
import { rollUpClosedHours } from "../rollups/rollup-builder.ts";
import { dayMs, hourMs } from "../window.ts";
import { type CheckSeries, getCheckSeries, type SeriesRequest } from "./actions.ts";
import { toWireSeries } from "./routes.ts";

const nowMs = Date.parse("2026-11-15T12:00:00.000Z");
const firstMs = Date.parse("2026-11-13T00:00:00.000Z");

let fixture: RunsFixture;
let check: Watched;
let all: JudgedResult[];
let caller: Caller;

before(async () => {
  fixture = await createRunsFixture();
  await createPartition(fixture.context.db, firstMs);
  check = await fixture.addCheck({ locations: ["eu-west-1", "us-east-1"], frequency: 5 });
  caller = { accountId: fixture.accountId } as Caller;
  const span = { fromMs: firstMs + 3 * hourMs, toMs: nowMs };
  all = createRunsOverTime([check], span, createChance(11));
  await insertNewResults(fixture.context.db, all);
});
after(() => fixture.stop());

/** The reference implementation: every final result of one slot. */
function listFinals(location: string | null, fromMs: number, toMs: number): JudgedResult[] {
  return all.filter(
    ({ result, isFinal }) =>
      isFinal &&
      result.dueAtMs >= fromMs &&
      result.dueAtMs < toMs &&
      (location === null || result.location === location),
  );
}

const worst = ["failing", "degraded", "passing", "unknown"];

function describe(finals: readonly JudgedResult[]) {
  const count = (wanted: string) => finals.filter(({ verdict }) => verdict === wanted).length;
  const measured = finals.flatMap(({ result }) => readMeasurement(result.outcome) ?? []);
  const sum = (read: (one: (typeof measured)[number]) => number) =>
    measured.reduce((total, one) => total + read(one), 0);
  const sent = sum(({ statistics }) => statistics.packetsSent);
  const received = sum(({ statistics }) => statistics.packetsReceived);
  const rtts = measured
    .flatMap(({ packets }) => packets.flatMap(({ rttMs }) => rttMs ?? []))
    .toSorted((one, other) => one - other);
  const known = finals.length - count("unknown");
  return {
    runs: finals.length,
    failing: count("failing"),
    degraded: count("degraded"),
    unknown: count("unknown"),
    state: worst.find((verdict) => count(verdict) > 0) ?? null,
    loss: sent === 0 ? null : (100 * (sent - received)) / sent,
    isUp: known === 0 ? null : known === count("passing") + count("degraded"),
    at: (share: number) => rtts[Math.floor(share * (rtts.length - 1))] ?? null,
  };
}

function assertNear(actual: number | null, expected: number | null, what: string): void {
  if (expected === null || actual === null) assert.equal(actual, expected, what);
  else assert.ok(Math.abs(actual - expected) <= 0.0101 * expected + 0.001, `${what} ${actual}`);
}

type Figures = ReturnType<typeof toWireSeries>["series"][number]["total"];

function assertFigures(shown: Omit<Figures, "availability">, finals: readonly JudgedResult[]) {
  const { loss, at, isUp: _isUp, ...counts } = describe(finals);
  assert.deepEqual(
    [shown.runs, shown.failing, shown.degraded, shown.unknown, shown.state],
    [counts.runs, counts.failing, counts.degraded, counts.unknown, counts.state],
  );
  if (loss === null || shown.loss === null) assert.equal(shown.loss, loss);
  else assert.ok(Math.abs(shown.loss - loss) < 0.001);
  for (const [name, share] of [
    ["min", 0],
    ["p50", 0.5],
    ["p95", 0.95],
    ["p99", 0.99],
    ["max", 1],
  ] as const) {
    assertNear(shown[name], at(share), name);
  }
}

function assertWhole(found: CheckSeries, request: SeriesRequest): void {
  const wire = toWireSeries(found);
  const { window } = found.plan;
  assert.ok(window.fromMs <= (request.fromMs ?? 0) && window.toMs >= (request.toMs ?? 0));
  for (const { runLocation, total, slots } of wire.series) {
    for (const slot of slots) {
      const startsMs = Date.parse(slot.at);
      const endsMs = Math.min(startsMs + found.plan.slotMs, window.toMs);
      assertFigures(slot, listFinals(runLocation, startsMs, endsMs));
    }
    const finals = listFinals(runLocation, window.fromMs, window.toMs);
    assertFigures(total, finals);
    const { isUp } = describe(finals);
    assert.equal(total.availability === null ? null : total.availability === 100, isUp);
  }
}

const requests = fc
  .record({
    start: fc.integer({ min: firstMs - dayMs, max: nowMs - hourMs }),
    length: fc.oneof(
      fc.integer({ min: 60_000, max: 6 * hourMs }),
      fc.integer({ min: 60_000, max: 40 * dayMs }),
    ),
    points: fc.integer({ min: 1, max: 500 }),
    isByLocation: fc.boolean(),
  })
  .map(
    ({ start, length, ...rest }): SeriesRequest => ({
      ...rest,
      checkId: check.checkId,
      fromMs: start,
      toMs: start + length,
      metric: null,
    }),
  );

async function assertSeriesAreNaive(): Promise<void> {
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      assertWhole(await getCheckSeries(fixture.context, caller, request), request);
    }),
    { numRuns: propertyRuns / 4 },
  );
}

test("every slot and the total are the sums of their runs", assertSeriesAreNaive);

test("every slot and the total are the sums of their runs, read from roll-ups", async () => {
  await rollUpClosedHours(fixture.context);
  await assertSeriesAreNaive();
});

test("a part of the runs can be requested instead of the samples", async () => {
  const base = { checkId: check.checkId, fromMs: firstMs, toMs: nowMs, isByLocation: false };
  const request = { ...base, points: 10, metric: "packetLoss" };
  const wire = toWireSeries(await getCheckSeries(fixture.context, caller, request));
  assert.equal(wire.metric.unit, "percentage");
  const losses = all.flatMap(({ result, isFinal }) =>
    isFinal ? (readMeasurement(result.outcome)?.statistics.packetLossPercent ?? []) : [],
  );
  const total = wire.series[0]?.total;
  assert.equal(total?.max, 100);
  assert.equal(total?.min, 0);
  assert.ok(losses.length > 0 && total?.p50 === 0);
});

/** Rows that table scans returned, from the statistics of the database. */
async function countRowsRead(
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
  table: string,
): Promise<number> {
  const rows = await fixture.query(`explain (analyze, format json) ${text}`, ...values);
  let count = 0;
  const visit = (node: Record<string, unknown>) => {
    const name = String(node["Relation Name"] ?? "");
    if (name.startsWith(table) && String(node["Node Type"]).includes("Scan")) {
      const removed = Number(node["Rows Removed by Filter"] ?? 0);
      count += (Number(node["Actual Rows"]) + removed) * Number(node["Actual Loops"]);
    }
    for (const child of (node.Plans as Record<string, unknown>[] | undefined) ?? []) visit(child);
  };
  const plans = rows.flatMap((row) => row["QUERY PLAN"] as { Plan: Record<string, unknown> }[]);
  for (const { Plan } of plans) visit(Plan);
  return count;
}

test("thirty days read about as many rows as one day, and no single runs", async () => {
  const busy = await fixture.addCheck({ locations: ["eu-west-1", "us-east-1"], frequency: 1 });
  const { checkId, kind } = busy;
  const others = Array.from({ length: 6 }, () => randomUUID());
  const dayBefore = nowMs - dayMs;
  const [model] = await fixture.query("select * from results where samples is not null limit 1");
  await fixture.query(
    `insert into results (check_id, id, location, attempt, is_final, verdict, started_at,
        duration_us, samples, detail)
      select one.id, (lpad(to_hex(ms), 12, '0') || '70008000000000000000')::uuid,
        (array['eu-west-1', 'us-east-1'])[1 + ms / 60000 % 2], 1, true, 1,
        to_timestamp(ms / 1000.0), 1000, $4, $5
      from generate_series($2::bigint, $3::bigint - 1, 60000) as ms
      cross join unnest($1::uuid[]) as one (id)`,
    // With rows of other checks, so that a full table scan would be noticed.
    ...[[checkId, ...others], dayBefore, nowMs, model?.samples, model?.detail],
  );
  await fixture.query(
    `insert into hourly_rollups (check_id, starts_at, location, runs, retries, counters,
        sample_count, samples, parts)
      select one.id, at, location, array[0, 30, 0, 0], 0, counters, sample_count, samples, parts
      from (select * from hourly_rollups limit 2) as model
      cross join generate_series(to_timestamp($2::float8 / 1000), to_timestamp($3::float8 / 1000)
        - interval '1 hour', interval '1 hour') as at
      cross join unnest($1::uuid[]) as one (id) order by one.id on conflict do nothing`,
    ...[[checkId, ...others], nowMs - 30 * dayMs, nowMs],
  );
  await fixture.query("analyze results, hourly_rollups");
  const base = { checkId, toMs: nowMs, points: 300, isByLocation: false, metric: null };
  const day = await getCheckSeries(fixture.context, caller, { ...base, fromMs: dayBefore });
  const month = await getCheckSeries(fixture.context, caller, {
    ...base,
    fromMs: nowMs - 30 * dayMs,
  });
  assert.deepEqual([day.plan.source, month.plan.source], ["runs", "hours"]);
  const query = { checkId, isByLocation: false, hasSamples: true, partPlaces: [] };
  const runs = { check: { checkId, kind }, verdicts: [0, 1, 2, 3], ...query };
  const rowsOfDay = await countRowsRead(
    runBucketsStatement({ ...runs, buckets: day.plan.buckets }, day.plan.window),
    "results",
  );
  const rowsOfMonth = await countRowsRead(
    rollupBucketsStatement("hourly_rollups", { ...query, buckets: month.plan.buckets }, [
      month.plan.window,
    ]),
    "hourly_rollups",
  );
  assert.equal(rowsOfDay, 24 * 60);
  assert.ok(rowsOfMonth <= 1.5 * rowsOfDay, `${rowsOfMonth} rows in place of ${rowsOfDay}`);
});
