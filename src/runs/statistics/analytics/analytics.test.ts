import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../../test/support/apps/cast.ts";
import { captureLog } from "../../../../test/support/apps/log.ts";
import { measureRtts } from "../../../../test/support/modules/analytics.ts";
import type { Outcome } from "../../../contract/result.ts";
import { kinds } from "../../../kinds/index.ts";
import type { Verdict } from "../../../kinds/kit/verdict.ts";
import { type DatabasePool, openDatabase } from "../../../platform/database-pool.ts";
import { insertNewResults, type JudgedResult } from "../../results/result-write-store.ts";
import { deriveRunId } from "../../results/run-id.ts";
import { listMetrics } from "./metrics.ts";

let app: TestApp;
let database: DatabasePool;
let stranger: Stranger;
let checkId: string;
let foreignId: string;

const hourMs = 3_600_000;

async function createCheck(options: { readonly key?: string } = {}): Promise<string> {
  // Not activated, so that only the results of this test exist.
  const settings = { name: "Router", activated: false, tags: ["edge"], frequency: 5 };
  const body = { ...settings, request: { hostname: "192.0.2.1" } };
  return (await app.call("POST", "/v1/checks/icmp", { body, ...options })).body.id;
}

interface Run {
  readonly hoursAgo: number;
  readonly location: string;
  readonly verdict: Verdict;
  readonly outcome: Outcome;
  readonly attempt?: number;
  readonly isFinal?: boolean;
}

function createResult(run: Run): JudgedResult {
  const { location, verdict, outcome, attempt = 1, isFinal = true } = run;
  const dueAtMs = app.clock.now().getTime() - run.hoursAgo * hourMs;
  const key = { checkId, kind: "ICMP", dueAtMs, location, attempt };
  const request = { hostname: "192.0.2.1", ipFamily: "IPv4", pingCount: 10 };
  const times = { startedAtMs: dueAtMs, stoppedAtMs: dueAtMs + 1_000 };
  const result = { ...key, ...times, runId: deriveRunId(key), probeId: "probe", request, outcome };
  return { result, verdict, reasons: [], isFinal };
}

before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
  checkId = await createCheck();
  foreignId = await createCheck({ key: stranger.key });
  const steady = measureRtts([10, 10, 10, 10]);
  const lossy = measureRtts([20, 20, null, null]);
  const silent = measureRtts([null, null, null, null]);
  const west = "eu-west-1";
  const east = "us-east-1";
  database = openDatabase({ connectionString: app.databaseUrl }, captureLog().log);
  await insertNewResults(
    database.db,
    [
      { hoursAgo: 0.25, location: west, verdict: "passing", outcome: steady } as const,
      { hoursAgo: 0.25, location: east, verdict: "degraded", outcome: lossy } as const,
      { hoursAgo: 3.25, location: west, verdict: "passing", outcome: steady } as const,
      {
        hoursAgo: 3.25,
        location: east,
        verdict: "failing",
        outcome: silent,
        isFinal: false,
      } as const,
      { hoursAgo: 3.25, location: east, verdict: "failing", outcome: silent, attempt: 2 } as const,
    ].map(createResult),
  );
});
after(async () => {
  await database.close();
  await app.stop();
});

const path = () => `/v1/analytics/icmp/${checkId}`;
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) <= 0.0101 * expected, `${actual} is not ${expected}`);

test("a day is returned by the hour, with the check and the meaning of each figure", async () => {
  const metrics = "availability,packetLoss_avg,latencyAvg_p95,retries";
  const { status, body } = await app.call("GET", `${path()}?metrics=${metrics}`);
  assert.equal(status, 200);
  const { series, metadata, ...rest } = body;
  assert.deepEqual(rest, {
    checkId,
    name: "Router",
    checkType: "ICMP",
    activated: false,
    muted: false,
    frequency: 5,
    from: "2026-11-14T12:00:00.000Z",
    to: "2026-11-15T12:00:00.000Z",
    tags: ["edge"],
    pagination: { page: 1, limit: 10_000 },
  });
  assert.deepEqual(Object.keys(metadata), metrics.split(","));
  assert.deepEqual(metadata.latencyAvg_p95, {
    unit: "milliseconds",
    label: "Average latency of a run, 95th percentile",
    aggregation: "p95",
  });
  assert.equal(series.length, 1);
  const { data } = series[0];
  assert.equal(data.length, 24);
  assert.deepEqual(data[0], {
    time: "2026-11-14T12:00:00.000Z",
    availability: null,
    packetLoss_avg: null,
    latencyAvg_p95: null,
    retries: 0,
  });
  const last = data[23];
  assert.equal(last.time, "2026-11-15T11:00:00.000Z");
  assert.deepEqual([last.availability, last.packetLoss_avg, last.retries], [100, 25, 0]);
  near(last.latencyAvg_p95, 10);
  const eight = data[20];
  assert.deepEqual([eight.availability, eight.packetLoss_avg, eight.retries], [50, 50, 1]);
});

test("each location has a separate series on request", async () => {
  const query = "metrics=availability&metrics=latencyMax_max&groupBy=runLocation";
  const { body } = await app.call("GET", `${path()}?${query}&aggregationInterval=1440`);
  const [west, east] = body.series;
  assert.deepEqual([west.runLocation, east.runLocation], ["eu-west-1", "us-east-1"]);
  assert.deepEqual(
    west.data.map((row: { availability: number | null }) => row.availability),
    [null, 100],
  );
  assert.equal(east.data[1].availability, 50);
  near(east.data[1].latencyMax_max, 20);
});

test("every allowed metric is returned", async () => {
  const metricNames = [...listMetrics(kinds.ICMP).keys()];
  const query = `metrics=${metricNames.join(",")}&aggregationInterval=15`;
  const { body } = await app.call("GET", `${path()}?${query}`);
  const row = body.series[0].data.find((one: { retries: number }) => one.retries > 0);
  assert.deepEqual(Object.keys(row), ["time", ...metricNames]);
  assert.deepEqual([row.packetLoss_max, row.packetLoss_min], [100, 0]);
  assert.equal(Object.keys(body.metadata).length, 57);
});

test("runs can be filtered by status", async () => {
  const query = "metrics=packetLoss_avg,latencyAvg&from=2026-11-15&aggregationInterval=43200";
  const read = async (status: string) =>
    (await app.call("GET", `${path()}?${query}&filterByStatus=${status}`)).body.series[0].data[0];
  const success = await read("success");
  near(success.packetLoss_avg, (100 * 2) / 12);
  near(success.latencyAvg, 40 / 3);
  assert.deepEqual(await read("failure"), {
    time: "2026-11-15T00:00:00.000Z",
    packetLoss_avg: 100,
    latencyAvg: null,
  });
});

test("an invalid query is 400 and lists the allowed values", async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["", /metrics is required/],
    [
      "metrics=speed",
      /metrics must be one of availability, retries, packetLoss, .*latencyStdDev_sum/,
    ],
    ["metrics=availability,", /metrics must be one of/],
    ["metrics=availability_p95", /metrics must be one of/],
    ["metrics=retries&from=2026-11-15&to=2026-11-14", /from must be before to/],
    ["metrics=retries&from=2026-11-15&to=2026-11-15", /from must be before to/],
    ["metrics=retries&from=2020-01-01&to=2026-01-01", /at most 800 days/],
    ["metrics=retries&from=yesterday", /from must be a date/],
    ["metrics=retries&to=2016-12-31T23:59:60Z", /to must be an existing time/],
    ["metrics=retries&quickRange=lastYear", /quickRange must be one of/],
    ["metrics=retries&aggregationInterval=0", /aggregationInterval/],
    ["metrics=retries&aggregationInterval=43201", /aggregationInterval/],
    ["metrics=retries&aggregationInterval=1&quickRange=last30Days", /limit of 10000/],
    ["metrics=retries&from=2026-01-01&aggregationInterval=60", /multiple of 1440/],
    ["metrics=retries&from=2026-09-01&aggregationInterval=90", /at most 31 days/],
    ["metrics=retries&from=2026-01-01&filterByStatus=failure", /at most 31 days/],
    ["metrics=retries&filterByStatus=unknown", /filterByStatus/],
    ["metrics=retries&groupBy=probe", /groupBy must be one of runLocation/],
    ["metrics=retries&limit=0", /limit/],
  ];
  for (const [query, message] of cases) {
    const { status, body } = await app.call("GET", `${path()}?${query}`);
    assert.equal(status, 400, query);
    assert.match(body.message, message);
    assert.equal(body.validation.source, "querystring");
  }
});

test("an unknown check or one of another account is 404, an invalid id 400, no key 401", async () => {
  const ask = (id: string, key?: string | null) =>
    app.call(
      "GET",
      `/v1/analytics/icmp/${id}?metrics=availability`,
      key === undefined ? {} : { key },
    );
  assert.equal((await ask(foreignId)).status, 404);
  assert.equal((await ask(checkId, stranger.key)).status, 404);
  assert.equal((await ask("11111111-1111-4111-8111-111111111111")).status, 404);
  assert.equal((await ask("7")).status, 400);
  assert.equal((await ask(checkId, null)).status, 401);
  assert.equal((await ask(checkId, "not-a-key")).status, 401);
});

test("many checks are returned in the requested order", async () => {
  const idle = await createCheck();
  const checkIds = [idle, checkId, checkId.toUpperCase()];
  const { status, body } = await app.call("POST", "/v1/analytics/checks", { body: { checkIds } });
  assert.equal(status, 200);
  const nothing = {
    availability: null,
    latency_avg: null,
    latency_p50: null,
    latency_p95: null,
    latency_p99: null,
    packetLoss_avg: null,
    packetLoss_p95: null,
    packetLoss_p99: null,
  };
  assert.equal(body.length, 2);
  assert.deepEqual(body[0], { checkId: idle, checkType: "ICMP", ...nothing });
  const [, { latency_avg, latency_p50, latency_p95, latency_p99, ...exact }] = body;
  assert.deepEqual(exact, {
    checkId,
    checkType: "ICMP",
    availability: 75,
    packetLoss_avg: 37.5,
    packetLoss_p95: 50,
    packetLoss_p99: 50,
  });
  near(latency_avg, 12);
  near(latency_p50, 10);
  near(latency_p95, 20);
  near(latency_p99, 20);
});

test("the batch covers the requested range", async () => {
  const ask = async (range: string) =>
    (
      await app.call("POST", `/v1/analytics/checks?quickRange=${range}`, {
        body: { checkIds: [checkId] },
      })
    ).body[0].availability;
  assert.equal(await ask("last7Days"), 75);
  assert.equal(await ask("last30Days"), 75);
  assert.equal(await ask("lastMonth"), null);
});

test("a batch with a check of another account is 404, and an empty or too large one 400", async () => {
  const ask = (checkIds: unknown, key?: string | null) =>
    app.call("POST", "/v1/analytics/checks", {
      body: { checkIds },
      ...(key === undefined ? {} : { key }),
    });
  assert.equal((await ask([checkId, foreignId])).status, 404);
  assert.equal((await ask([checkId], stranger.key)).status, 404);
  assert.equal((await ask(["11111111-1111-4111-8111-111111111111"])).status, 404);
  assert.equal((await ask([])).status, 400);
  assert.equal((await ask(["seven"])).status, 400);
  assert.equal((await ask(Array.from({ length: 201 }, () => checkId))).status, 400);
  assert.equal((await ask([checkId], null)).status, 401);
  const range = await app.call("POST", "/v1/analytics/checks?quickRange=ever", {
    body: { checkIds: [checkId] },
  });
  assert.equal(range.status, 400);
});
