import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { type TestContext, test } from "node:test";
import { createAgentFixture } from "../../../test/support/modules/agent.ts";
import { failing, passing } from "../../../test/support/modules/alerting.ts";
import { measure, unresolved } from "../../../test/support/modules/runs.ts";
import type { CheckData, FigureData, ResultData, RunData } from "../../kinds/of/icmp/agent.ts";
import { hiddenFromPages } from "../../response/maintenance/planned-window.ts";
import { insertWindow } from "../../response/maintenance/store.ts";
import type { ToolFailure } from "../tool.ts";
import type {
  CompareWindowsData,
  GetCheckData,
  GetResultData,
  GetStatisticsData,
  GetStatusData,
  ListChecksData,
  ListResultsData,
  ListStateChangesData,
} from "../tool-shapes/check-data.ts";
import type { ListLocationsData } from "../tool-shapes/directory-data.ts";
import type { ListDeliveriesData, ListMaintenanceData } from "../tool-shapes/event-data.ts";

const hourMs = 3_600_000;

async function createFixture(t: TestContext) {
  const fixture = await createAgentFixture(t);
  const at = (shiftMs: number) => new Date(fixture.clock.now().getTime() + shiftMs).toISOString();
  const read = async <Data>(tool: string, input: unknown = {}) =>
    (await fixture.use(tool, input)).data as Data;
  return { ...fixture, at, read };
}

type PingResults = Omit<ListResultsData, "results"> & {
  readonly results: readonly (ListResultsData["results"][number] & ResultData)[];
};
type PingRun = RunData & { readonly longestLossBurst: number | null };

test("list_checks filters by name, tag, status and location, including inherited ones", async (t) => {
  const { addCheck, recordRuns, read, use, query, accountId } = await createFixture(t);
  const [group] = await query(
    `insert into check_groups (account_id, name, settings, created_at)
      select $1, 'Edge', $2::jsonb, now() returning id`,
    accountId,
    JSON.stringify({
      activated: true,
      muted: false,
      tags: ["edge"],
      locations: ["eu-west-1"],
      privateLocations: [],
      concurrency: 3,
      runParallel: null,
      doubleCheck: true,
      runtimeId: null,
      retryStrategy: null,
      alertSettings: null,
      useGlobalAlertSettings: null,
      alertChannelSubscriptions: [],
    }),
  );
  const router = await addCheck({ name: "Router Berlin", tags: ["core"], frequency: 5 });
  const switched = await addCheck({ name: "Switch", groupId: Number(group?.id) });
  await recordRuns(router, failing);
  await recordRuns(switched, passing);
  const names = async (input: object) =>
    (await read<ListChecksData>("list_checks", input)).checks.map(({ name }) => name);
  assert.deepEqual(await names({}), ["Router Berlin", "Switch"]);
  assert.deepEqual(await names({ name: "berlin" }), ["Router Berlin"]);
  assert.deepEqual(await names({ name: "%" }), []);
  assert.deepEqual(await names({ tag: "EDGE" }), ["Switch"]);
  assert.deepEqual(await names({ status: "failing" }), ["Router Berlin"]);
  await query(
    `insert into private_locations (id, account_id, name, slug_name, created_at)
      values (gen_random_uuid(), $1, 'Cellar', 'Office-HQ', now())`,
    accountId,
  );
  assert.deepEqual(await names({ location: "Office-HQ" }), []);
  for (const location of ["eu-west-1", "Ireland", "ireland"]) {
    assert.deepEqual(await names({ location }), ["Switch"], location);
  }
  assert.deepEqual(await names({ location: "somewhere" }), []);
  const { data, sources } = await use("list_checks", { limit: 1 });
  const { checks, total } = data as ListChecksData;
  assert.equal(total, 2);
  assert.deepEqual(checks, [
    {
      checkId: router.checkId,
      checkType: "ICMP",
      name: "Router Berlin",
      hostname: "192.0.2.1",
      status: "failing",
      activated: true,
      muted: false,
      tags: ["core"],
      locations: ["home"],
      everySeconds: 300,
    },
  ]);
  assert.deepEqual(sources, [
    {
      id: router.checkId,
      label: "Router Berlin",
      url: `https://vedette.example/checks/${router.checkId}`,
    },
  ]);
});

test("get_check returns the conditions for failing", async (t) => {
  const { addCheck, read } = await createFixture(t);
  const assertion = { source: "LATENCY", property: "avg", comparison: "LESS_THAN", target: "50" };
  const { checkId } = await addCheck({
    maxPacketLossThreshold: 40,
    maxResponseTime: 80,
    request: { hostname: "192.0.2.1", assertions: [assertion] },
  } as never);
  const check = await read<GetCheckData & CheckData>("get_check", { checkId });
  assert.equal(check.maxPacketLossThreshold, 40);
  assert.equal(check.maxResponseTimeMs, 80);
  assert.deepEqual(check.assertions, [assertion]);
  assert.equal(check.pingCount, 10);
});

test("get_status returns the worst first, with since and why", async (t) => {
  const { addCheck, recordRuns, read, at, use } = await createFixture(t);
  const fine = await addCheck({ name: "Fine" });
  const lossy = await addCheck({
    name: "Lossy",
    locations: ["eu-west-1", "us-east-1"],
    runParallel: true,
  });
  const gone = await addCheck({ name: "Gone" });
  const fresh = await addCheck({ name: "Fresh" });
  await recordRuns(fine, passing, passing);
  await recordRuns(lossy, passing, measure(5));
  const since = at(0);
  await recordRuns(gone, unresolved, unresolved);
  const { counts, total, checks } = await read<GetStatusData>("get_status");
  assert.deepEqual(counts, { passing: 1, degraded: 0, failing: 2, unknown: 1 });
  assert.equal(total, 4);
  assert.deepEqual(
    checks.map(({ name, status }) => `${name} ${status}`),
    ["Lossy failing", "Gone failing", "Fresh unknown", "Fine passing"],
  );
  const [first, second, third, last] = checks;
  assert.equal(first?.since, since);
  assert.deepEqual(first?.why.map(({ location }) => location).sort(), ["eu-west-1", "us-east-1"]);
  assert.deepEqual(first?.why[0]?.reasons, [
    {
      name: "packet-loss-at-or-above-max",
      text: "50 % of the packets were lost, at or above the limit of 20 %",
      lossPercent: 50,
      limitPercent: 20,
    },
  ]);
  assert.equal(second?.consecutiveFailures, 2);
  assert.match(second?.why[0]?.reasons[0]?.text ?? "", /could not be resolved \(ENOTFOUND\)/);
  assert.equal(third?.since, null);
  assert.deepEqual(last?.why, []);
  const one = await use("get_status", { checkIds: [fresh.checkId, randomUUIDv7()] });
  const named = one.data as GetStatusData;
  assert.deepEqual(
    named.checks.map(({ name }) => name),
    ["Fresh"],
  );
  assert.equal(named.notFound.length, 1);
  assert.equal(one.sources[0]?.id, fresh.checkId);
});

test("list_results and get_result return runs down to single packets", async (t) => {
  const { addCheck, recordRuns, read, at } = await createFixture(t);
  const watched = await addCheck({ name: "Router" });
  const { checkId } = watched;
  await recordRuns(watched, passing, measure(1), measure(4), passing);
  const window = { checkId, from: at(-hourMs), to: at(1_000) };
  const all = await read<PingResults>("list_results", window);
  assert.deepEqual(
    all.results.map(({ verdict, lossPercent }) => [verdict, lossPercent]),
    [
      ["passing", 0],
      ["failing", 40],
      ["degraded", 10],
      ["passing", 0],
    ],
  );
  assert.equal(all.isTruncated, false);
  const one = await read<PingResults>("list_results", { ...window, verdict: "degraded" });
  assert.deepEqual(
    one.results.map(({ lossPercent }) => lossPercent),
    [10],
  );
  const first = await read<ListResultsData>("list_results", { ...window, limit: 1 });
  assert.equal(first.isTruncated, true);
  const earlier = { checkId, from: at(-2 * hourMs), to: at(-hourMs) };
  assert.deepEqual((await read<ListResultsData>("list_results", earlier)).results, []);
  const resultId = all.results[1]?.resultId ?? "";
  const whole = await read<GetResultData & PingRun>("get_result", { checkId, resultId });
  assert.equal(whole.packets.length, 10);
  assert.deepEqual(
    whole.packets.map(({ rttMs }) => rttMs),
    [null, null, null, null, 1, 2, 3, 4, 5, 6],
  );
  assert.equal(whole.longestLossBurst, 4);
  assert.equal(whole.resolvedIp, "192.0.2.1");
});

test("get_statistics and compare_windows return exact figures, also by location", async (t) => {
  const { addCheck, recordRuns, read, at, clock } = await createFixture(t);
  const places = { locations: ["eu-west-1", "us-east-1"], runParallel: true } as never;
  const busy = await addCheck({ name: "Busy", tags: ["core"], ...(places as object) });
  const quiet = await addCheck({ name: "Quiet" });
  await recordRuns(busy, passing, measure(5));
  clock.advance(2 * hourMs);
  await recordRuns(busy, passing, passing);
  const now = { from: at(-hourMs / 2), to: at(1) };
  const before = { from: at(-3 * hourMs), to: at(-hourMs) };
  const tagged = await read<GetStatisticsData>("get_statistics", { ...before, tag: "core" });
  const [figures] = tagged.checks;
  assert.equal(tagged.total, 1);
  assert.deepEqual(figures?.runs, { unknown: 0, passing: 2, degraded: 0, failing: 2 });
  assert.equal(figures?.availabilityPercent, 50);
  assert.equal((figures as unknown as FigureData).packetLossPercent, 25);
  const all = await read<GetStatisticsData>("get_statistics", { ...before, byLocation: true });
  assert.deepEqual(
    all.checks.map(({ name }) => name),
    ["Busy", "Quiet"],
  );
  const split = all.checks[0]?.byLocation ?? [];
  assert.deepEqual(
    split.map(({ location, availabilityPercent }) => [location, availabilityPercent]),
    [
      ["eu-west-1", 50],
      ["us-east-1", 50],
    ],
  );
  const { avg, max } = figures?.latencyMs ?? {};
  assert.ok(avg && max);
  for (const { location, latencyMs } of split) {
    assert.deepEqual([latencyMs.avg, latencyMs.max], [avg, max], `as fast from ${location}`);
  }
  assert.equal(all.checks[1]?.availabilityPercent, null, "a check that never ran has no figures");
  const compared = await read<CompareWindowsData>("compare_windows", {
    checkIds: [busy.checkId, quiet.checkId],
    ...now,
    previousFrom: before.from,
    previousTo: before.to,
  });
  assert.equal(compared.checks[0]?.change.availabilityPercent, 50);
  const change = compared.checks[0]?.change as unknown as FigureData;
  assert.equal(change.packetLossPercent, -25);
  assert.equal(compared.checks[1]?.change.availabilityPercent, null);
});

test("list_state_changes returns old and new status", async (t) => {
  const { addCheck, recordRuns, read, at } = await createFixture(t);
  const watched = await addCheck({ name: "Router" });
  await recordRuns(watched, passing, failing, passing);
  const window = { from: at(-hourMs), to: at(1) };
  const { changes } = await read<ListStateChangesData>("list_state_changes", window);
  assert.deepEqual(
    changes.map(({ fromStatus, toStatus, at: moment }) => [fromStatus, toStatus, moment]),
    [
      ["failing", "passing", at(0)],
      ["passing", "failing", at(-60_000)],
      ["unknown", "passing", at(-120_000)],
    ],
  );
  const { checkId } = watched;
  const earlier = { checkId, from: at(-hourMs), to: at(-60_000) };
  const some = await read<ListStateChangesData>("list_state_changes", earlier);
  assert.equal(some.changes.length, 1);
});

test("list_deliveries returns outcomes without addresses", async (t) => {
  const { addCheck, addWebhook, subscribe, run, deliver, use, http } = await createFixture(t);
  const watched = await addCheck({ name: "Router" });
  const other = await addCheck({ name: "Switch" });
  await subscribe(await addWebhook("/secret-path-of-hook"), { checkId: watched.checkId });
  await run(watched, failing);
  await deliver();
  const result = await use("list_deliveries", { checkId: watched.checkId });
  const { deliveries, total } = result.data as ListDeliveriesData;
  assert.equal(total, 1);
  assert.equal(deliveries[0]?.status, "SENT");
  assert.equal(deliveries[0]?.channelType, "WEBHOOK");
  assert.equal(deliveries[0]?.alertType, "ALERT_FAILURE");
  assert.equal(JSON.stringify(result).includes("secret-path-of-hook"), false);
  assert.equal(JSON.stringify(result).includes(http.url), false);
  const none = await use("list_deliveries", { checkId: other.checkId });
  assert.deepEqual(none.data, { deliveries: [], total: 0 });
});

test("list_maintenance returns each occurrence", async (t) => {
  const { context, accountId, clock, read, at } = await createFixture(t);
  const startsAtMs = clock.now().getTime() + hourMs;
  await insertWindow(context.db, accountId, {
    name: "Patch night",
    description: null,
    visibility: hiddenFromPages,
    nextAnnouncementAt: null,
    schedule: {
      startsAtMs,
      endsAtMs: startsAtMs + hourMs,
      timeZone: "UTC",
      repeatInterval: 1,
      repeatUnit: "DAY",
      repeatEndsAtMs: null,
      tags: ["core"],
      pauseAllChecks: false,
      silenceAllAlerts: false,
      silenceAlertsTags: [],
    },
    createdAt: clock.now(),
  });
  const window = { from: at(0), to: at(3 * 24 * hourMs) };
  const { windows } = await read<ListMaintenanceData>("list_maintenance", window);
  assert.deepEqual(
    windows.map(({ name, startsAt, repeats }) => [name, startsAt, repeats]),
    [0, 1, 2].map((day) => ["Patch night", at(hourMs + day * 24 * hourMs), "DAY"]),
  );
  const far = { from: at(0), to: at(400 * 24 * hourMs) };
  assert.equal((await read<ToolFailure>("list_maintenance", far)).error, "invalid");
});

test("list_locations returns all locations, including those without probes", async (t) => {
  const { addCheck, read } = await createFixture(t);
  await addCheck({ name: "Router", locations: ["eu-west-1"], privateLocations: ["cellar"] });
  const { locations } = await read<ListLocationsData>("list_locations");
  assert.deepEqual(
    locations.map(({ region, checks, servedBy }) => [region, checks, servedBy]),
    [
      ["eu-west-1", 1, "nobody"],
      ["cellar", 1, "nobody"],
    ],
  );
});
