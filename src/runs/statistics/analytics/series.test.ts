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
import type { Caller } from "../../../access/accounts/index.ts";
import { kinds } from "../../../kinds/index.ts";
import {
  createPartition,
  insertNewResults,
  type JudgedResult,
} from "../../results/result-write-store.ts";
import type { Watched } from "../../scheduling/watch-list.ts";
import type { Rollup } from "../rollups/rollup.ts";
import { rollUpClosedHours } from "../rollups/rollup-builder.ts";
import { dayMs, hourMs } from "../window.ts";
import { type AnalyticsRequest, getAnalytics, type RunStatus } from "./actions.ts";
import { listMetrics, parseMetrics } from "./metrics.ts";

const nowMs = Date.parse("2026-11-15T12:00:00.000Z");
const firstMs = Date.parse("2026-11-13T00:00:00.000Z");

let fixture: RunsFixture;
let check: Watched;
let all: JudgedResult[];
let caller: Caller;

before(async () => {
  fixture = await createRunsFixture();
  await createPartition(fixture.context.db, firstMs);
  check = await fixture.addCheck();
  caller = { accountId: fixture.accountId } as Caller;
  const span = { fromMs: firstMs + 3 * hourMs, toMs: nowMs };
  all = createRunsOverTime([check], span, createChance(4));
  await insertNewResults(fixture.context.db, all);
});
after(() => fixture.stop());

const inputs = fc
  .record({
    start: fc.integer({ min: firstMs - dayMs, max: nowMs - hourMs }),
    length: fc.integer({ min: 60_000, max: 3 * dayMs }),
    intervalMinutes: fc.constantFrom(1, 7, 30, 60, 90, 180, 1_440, 2_880, 43_200, null),
    isByLocation: fc.boolean(),
    hasSamples: fc.boolean(),
    statuses: fc.constantFrom<RunStatus[]>([], [], ["success"], ["failure"]),
  })
  .map(
    ({ start, length, ...rest }): AnalyticsRequest => ({
      ...rest,
      checkId: check.checkId,
      fromMs: start,
      toMs: start + length,
      quickRange: "last24Hours",
      metrics: parseMetrics(["availability"], listMetrics(kinds.ICMP)),
      limit: null,
      page: 1,
    }),
  );

const verdictsOf = {
  success: ["passing", "degraded"],
  failure: ["failing"],
} as const;

/** The reference implementation: the results of one point of one series. */
function listOf(input: AnalyticsRequest, location: string | null, span: [number, number]) {
  const wanted: readonly string[] = input.statuses.flatMap((status) => verdictsOf[status]);
  const here = all.filter(
    ({ result }) =>
      result.dueAtMs >= span[0] &&
      result.dueAtMs < span[1] &&
      (location === null || result.location === location),
  );
  const finals = here.filter(
    ({ isFinal, verdict }) => isFinal && (wanted.length === 0 || wanted.includes(verdict)),
  );
  const retries = here.filter(({ isFinal }) => !isFinal).length;
  return { finals, retries, hasSamples: input.hasSamples };
}

function assertPoint(rollup: Rollup, expected: ReturnType<typeof listOf>): void {
  const { finals, retries, hasSamples } = expected;
  for (const name of ["unknown", "passing", "degraded", "failing"] as const) {
    assert.equal(rollup[name], finals.filter(({ verdict }) => verdict === name).length);
  }
  assert.equal(rollup.retries, retries);
  const measured = finals.flatMap(
    ({ result: { outcome } }) => readMeasurement(outcome)?.statistics ?? [],
  );
  assert.equal(rollup.parts[0]?.count, measured.length);
  assert.equal(rollup.parts[3]?.count, measured.filter(({ avgMs }) => avgMs !== null).length);
  const sent = measured.reduce((sum, { packetsSent }) => sum + packetsSent, 0);
  assert.equal(rollup.counters[0], sent);
  const received = measured.reduce((sum, { packetsReceived }) => sum + packetsReceived, 0);
  assert.equal(rollup.samples.count, hasSamples ? received : 0);
}

async function assertSeriesEqual(): Promise<void> {
  await fc.assert(
    fc.asyncProperty(inputs, async (input) => {
      const { window, series } = await getAnalytics(fixture.context, caller, input);
      assert.ok(window.fromMs <= (input.fromMs ?? 0) && window.toMs === input.toMs);
      for (const { location, points } of series) {
        for (const [index, { startsMs, rollup }] of points.entries()) {
          const endsMs = points[index + 1]?.startsMs ?? window.toMs;
          const span: [number, number] = [Math.max(startsMs, window.fromMs), endsMs];
          assertPoint(rollup, listOf(input, location, span));
        }
      }
      const shown = new Set(series.map(({ location }) => location));
      const { finals } = listOf({ ...input, statuses: [] }, null, [window.fromMs, window.toMs]);
      if (input.isByLocation) {
        for (const { result } of finals) assert.ok(shown.has(result.location));
      } else {
        assert.deepEqual([...shown], [null]);
      }
    }),
    { numRuns: propertyRuns / 2 },
  );
}

test("each point of a series is the sum of its results, read from single results", async () => {
  await assertSeriesEqual();
});

test("each point of a series is the sum of its results, read from roll-ups", async () => {
  await rollUpClosedHours(fixture.context);
  await assertSeriesEqual();
});

test("pages are consecutive parts of the window", async () => {
  const input = {
    checkId: check.checkId,
    fromMs: nowMs - 10 * hourMs,
    toMs: nowMs,
    quickRange: "last24Hours",
    intervalMinutes: 60,
    statuses: [],
    isByLocation: false,
    hasSamples: false,
    metrics: parseMetrics(["retries"], listMetrics(kinds.ICMP)),
    limit: null,
    page: 1,
  } as const;
  const timesOf = async (part: Partial<AnalyticsRequest>) => {
    const { series } = await getAnalytics(fixture.context, caller, { ...input, ...part });
    return series[0]?.points.map(({ startsMs }) => (startsMs - input.fromMs) / hourMs);
  };
  assert.deepEqual(await timesOf({}), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(await timesOf({ limit: 4, page: 1 }), [0, 1, 2, 3]);
  assert.deepEqual(await timesOf({ limit: 4, page: 0 }), [0, 1, 2, 3]);
  assert.deepEqual(await timesOf({ limit: 4, page: 3 }), [8, 9]);
  assert.deepEqual(await timesOf({ limit: 4, page: 4 }), []);
});
