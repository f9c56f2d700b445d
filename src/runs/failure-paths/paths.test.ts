/** Tests that failures are traced once, within limits, and compared with learned paths. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Registry } from "prom-client";
import {
  answerOrder,
  createRunsFixture,
  makeResult,
  measure,
  type RunsFixture,
} from "../../../test/support/modules/runs.ts";
import type { Order } from "../../contract/order.ts";
import { builtInRoute } from "../../contract/protocol.ts";
import type { Outcome, Result } from "../../contract/result.ts";
import { tracing } from "../../kinds/index.ts";
import { combineOutcomes } from "../../kinds/kit/families/both-families.ts";
import { summarizePaths } from "../../kinds/kit/paths/compare-paths.ts";
import { recordResults } from "../recording/index.ts";
import { findPathBetween } from "../results/index.ts";
import { findRunPath } from "../results/path-store.ts";
import type { Watched } from "../scheduling/index.ts";
import { createPaths, PathLearner, type Paths } from "./loops.ts";

let fixture: RunsFixture;
let paths: Paths;
let registry: Registry;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());
afterEach(() => paths.failures.stop());

function start(perMinute = 60): void {
  registry = new Registry();
  paths = createPaths(fixture.context, perMinute, registry);
}

const now = () => fixture.clock.now().getTime();

function record(...results: Result[]): Promise<void> {
  return recordResults({ ...fixture.context, failures: paths.failures }, results);
}

function run(check: Watched, location: string, lost: number): Promise<void> {
  fixture.clock.advance(60_000);
  return record(makeResult(check, { dueAtMs: now(), location, outcome: measure(lost) }));
}

/** Queries of the database until a condition must be true. */
const maxTurns = 500;

/** Waits for the orders of traces. */
const takeTraces = (count: number) => takeNext(count, ({ capture }) => capture === undefined);

async function takeNext(count: number, isTaken: (order: Order) => boolean): Promise<Order[]> {
  const orders: Order[] = [];
  for (let turn = 0; orders.length < count; turn += 1) {
    assert.ok(turn < maxTurns, "nothing was ordered");
    orders.push(...(await fixture.takeOrders()).filter(isTaken));
    await fixture.query("select 1");
  }
  return orders;
}

/** Waits until no trace is in progress, as each needs queries before its order; returns traces. */
async function settle(): Promise<Order[]> {
  for (let turn = 0; turn < 50; turn += 1) {
    await fixture.query("select 1");
    await setImmediate();
  }
  return (await fixture.takeOrders()).filter(({ capture }) => capture === undefined);
}

function answer(order: Order, outcome: Outcome): void {
  const { runId, tellServer = "" } = order;
  const message = { runId, tellServer, result: answerOrder(order, outcome) };
  fixture.context.trials.noteMessages([message], [builtInRoute]);
}

/** A trace whose hops have these addresses. */
function traced(addresses: readonly string[], end = "destinationReached"): Outcome {
  const hops = addresses.map((address) => ({
    ...{ sent: 3, rttsMs: [1, 2, 3], error: null, labels: [] },
    addresses: [{ address, name: null }],
  }));
  const silent = { sent: 3, rttsMs: [], error: null, labels: [], addresses: [] };
  const all = end === "destinationReached" ? hops : [...hops, silent, silent];
  const rest = { resolvedIp: "192.0.2.1", dnsMs: 0, mode: "raw", ignoredPackets: 0 };
  const measurement = { ...rest, end, hops: all };
  assert.ok(tracing.kind.isMeasurement(measurement));
  return { kind: "measured", measurement };
}

async function waitForPath(checkId: string) {
  for (let turn = 0; ; turn += 1) {
    assert.ok(turn < maxTurns, "no path was stored");
    const found = await findPathBetween(fixture.context.db, checkId, {
      fromMs: 0,
      toMs: now() + 1,
    });
    if (found !== null) return found;
  }
}

async function countMetric(name: string, labels: string): Promise<number> {
  const line = (await registry.metrics())
    .split("\n")
    .find((one) => one.startsWith(`${name}{${labels}`));
  return Number(line?.split(" ").at(-1) ?? 0);
}

const home = { locations: ["eu-west-1", "us-east-1"], frequency: 1 };

test("the first failure is traced from the location and from one that passes", async () => {
  start();
  const check = await fixture.addCheck(home);
  await run(check, "us-east-1", 0);
  await run(check, "eu-west-1", 0);
  await run(check, "eu-west-1", 10);
  const orders = await takeTraces(2);
  const dueAtMs = now();
  assert.deepEqual(orders.map(({ location }) => location).sort(), ["eu-west-1", "us-east-1"]);
  for (const order of orders) {
    assert.equal(order.isTrial, true, "nothing of it is recorded as a run");
    const { hostname, protocol } = order.request as { hostname: string; protocol: string };
    assert.deepEqual([hostname, protocol], ["192.0.2.1", "ICMP"]);
    const isFailing = order.location === "eu-west-1";
    answer(
      order,
      isFailing ? traced(["10.0.0.1"], "maxUnknownHops") : traced(["10.1.0.1", "192.0.2.1"]),
    );
  }
  const report = await waitForPath(check.checkId);
  assert.equal(
    summarizePaths(report),
    "The path ends after hop 1 (10.0.0.1). " +
      "From us-east-1, where the check passes, the path reaches the target with 2 hops.",
  );
  const [{ id }] = (await fixture.query(
    "select id from results where check_id = $1 order by id desc limit 1",
    check.checkId,
  )) as [{ id: string }];
  assert.deepEqual(await findRunPath(fixture.context.db, check.checkId, id), report);
  await run(check, "eu-west-1", 10);
  assert.deepEqual(await settle(), [], "the streak goes on");
  assert.ok(now() > dueAtMs);
});

test("an attempt that is retried is traced, and the run has that path", async () => {
  start();
  const once = { type: "FIXED", baseBackoffSeconds: 1, maxRetries: 1 } as const;
  const retryStrategy = { ...once, maxDurationSeconds: 60, sameRegion: true, onlyOn: [] };
  const check = await fixture.addCheck({ ...home, retryStrategy });
  await run(check, "eu-west-1", 10);
  const [order] = await takeTraces(1);
  answer(order as Order, traced(["192.0.2.1"]));
  const report = await waitForPath(check.checkId);
  const dueAtMs = now();
  fixture.clock.advance(5_000);
  const retry = { dueAtMs, location: "eu-west-1", attempt: 2, outcome: measure(10) };
  const last = makeResult(check, retry);
  await record(last);
  assert.deepEqual(
    (await settle()).filter(({ isTrial }) => isTrial),
    [],
  );
  assert.deepEqual(await findRunPath(fixture.context.db, check.checkId, last.runId), report);
});

test("of two IP families the one that fails is traced, once", async () => {
  start();
  const request = { hostname: "both.example", ipFamily: "BOTH" as never, pingCount: 1 };
  const check = await fixture.addCheck({ ...home, request: { ...request, assertions: [] } });
  const { measurement } = measure(10);
  const lost = { ...measurement, resolvedIp: "2001:db8::1" };
  const families = { IPv4: measure(0), IPv6: { kind: "measured", measurement: lost } } as const;
  const runGap = () => {
    fixture.clock.advance(60_000);
    const outcome = combineOutcomes(families);
    return record(makeResult(check, { dueAtMs: now(), location: "eu-west-1", outcome }));
  };
  await runGap();
  const orders = await takeTraces(1);
  const [traceOrder] = orders as [Order];
  const { hostname, ipFamily } = traceOrder.request as { hostname: string; ipFamily: string };
  assert.deepEqual([hostname, ipFamily], ["2001:db8::1", "IPv6"]);
  for (const order of orders) answer(order, traced(["2001:db8::9"], "maxUnknownHops"));
  await waitForPath(check.checkId);
  await runGap();
  assert.deepEqual(await settle(), [], "the streak goes on");
});

test("a failed run is repeated once after its trace, for the packets", async () => {
  start();
  const check = await fixture.addCheck(home);
  await run(check, "eu-west-1", 10);
  const [{ id }] = (await fixture.query(
    "select id from results where check_id = $1 order by id desc limit 1",
    check.checkId,
  )) as [{ id: string }];
  const [order] = await takeTraces(1);
  answer(order as Order, traced(["10.0.0.1"], "maxUnknownHops"));
  const [repeat] = await takeNext(1, ({ capture }) => capture !== undefined);
  assert.ok(repeat);
  const { runId, location, isTrial, request, capture } = repeat;
  assert.deepEqual([runId, location, isTrial], [id, "eu-west-1", true]);
  assert.deepEqual(request, { hostname: "192.0.2.1", ipFamily: "IPv4", pingCount: 10 });
  assert.deepEqual(capture, { address: "192.0.2.1", protocol: "ICMP", port: null });
  const { context } = fixture;
  const signed = context.tags.sign(repeat, "eu-west-1");
  const grant = context.tags.readGrant(signed.assetGrant ?? "");
  assert.deepEqual([grant?.runId, grant?.checkId], [id, check.checkId], "a probe may send a file");
  answer(repeat, measure(0));
  for (let turn = 0; (await countCaptures()) === 0; turn += 1) {
    assert.ok(turn < maxTurns, "the repeat was not counted");
    await fixture.query("select 1");
  }
  const results = await fixture.query("select id from results where check_id = $1", check.checkId);
  assert.equal(results.length, 1, "nothing of it is recorded");
});

const countCaptures = () =>
  countMetric("vedette_paths_traced_total", 'cause="capture",outcome="traced"');

test("passing runs, unknown runs and kinds without a target order nothing", async () => {
  start();
  const check = await fixture.addCheck(home);
  await run(check, "eu-west-1", 0);
  fixture.clock.advance(60_000);
  const outcome = { kind: "no-answer", message: "It did not answer." } as const;
  await record(makeResult(check, { dueAtMs: now(), outcome }));
  assert.deepEqual(await settle(), []);
});

test("what exceeds the limit per minute is counted, and 0 turns tracing off", async () => {
  start(1);
  const checks = [await fixture.addCheck(home), await fixture.addCheck(home)];
  fixture.clock.advance(60_000);
  const fail = (check: Watched) => makeResult(check, { dueAtMs: now(), outcome: measure(10) });
  await record(...checks.map(fail));
  assert.equal((await settle()).length, 1);
  assert.equal(await countMetric("vedette_paths_shed_total", 'reason="rate"'), 1);
  await paths.failures.stop();
  start(0);
  const third = await fixture.addCheck(home);
  await record(fail(third));
  assert.deepEqual(await settle(), []);
});

test("a check that fails again within ten minutes is not traced again", async () => {
  start();
  const check = await fixture.addCheck(home);
  await run(check, "eu-west-1", 10);
  const [order] = await takeTraces(1);
  answer(order as Order, traced(["192.0.2.1"]));
  await waitForPath(check.checkId);
  await run(check, "eu-west-1", 0);
  await run(check, "eu-west-1", 10);
  assert.deepEqual(await settle(), []);
  await run(check, "eu-west-1", 0);
  fixture.clock.advance(600_000);
  await run(check, "eu-west-1", 10);
  assert.equal((await takeTraces(1)).length, 1);
});

test("a probe without permission explains it in the report and once in the log", async () => {
  start();
  const check = await fixture.addCheck(home);
  await run(check, "eu-west-1", 10);
  const [order] = await takeTraces(1);
  const message = "It may not open raw sockets.\nDo one of the following:\n  this";
  answer(order as Order, { kind: "cannot-check", message });
  const report = await waitForPath(check.checkId);
  assert.deepEqual(report.failing, { trouble: message });
  assert.equal(summarizePaths(report), "It may not open raw sockets.");
  const failed = 'cause="failure",outcome="not"';
  assert.equal(await countMetric("vedette_paths_traced_total", failed), 1);
});

test("a path is learned once a day while the check passes", async () => {
  start();
  const learner = new PathLearner(paths.context);
  const failing = await fixture.addCheck(home);
  const check = await fixture.addCheck(home);
  await run(failing, "eu-west-1", 10);
  await run(check, "eu-west-1", 0);
  for (const order of await takeTraces(1)) answer(order, traced(["192.0.2.1"]));
  const answerAll = async () => {
    let isOver = false;
    let count = 0;
    const turn = learner.turn().then(() => {
      isOver = true;
    });
    while (!isOver) {
      for (const order of await fixture.takeOrders()) {
        if (order.capture !== undefined) continue;
        count += 1;
        const isOurs = order.checkId === check.checkId;
        answer(order, traced([isOurs ? "10.0.0.7" : "10.0.0.1", "192.0.2.1"]));
      }
    }
    await turn;
    return count;
  };
  assert.ok((await answerAll()) >= 1);
  const learned = () =>
    fixture.query("select check_id, location, path from good_paths where path is not null");
  const rows = await learned();
  assert.ok(!rows.some((row) => row.check_id === failing.checkId));
  assert.ok(rows.some((row) => row.check_id === check.checkId && row.location === "eu-west-1"));
  assert.equal(await answerAll(), 0, "known for today");
  await run(check, "eu-west-1", 10);
  for (const order of await takeTraces(1)) answer(order, traced(["10.0.0.7"], "maxUnknownHops"));
  assert.equal(
    summarizePaths(await waitForPath(check.checkId)),
    "The path ends after hop 1 (10.0.0.7); the last good path went on to hop 2 (192.0.2.1).",
  );
  fixture.clock.advance(90_000_000);
  await run(check, "eu-west-1", 0);
  assert.ok((await answerAll()) >= 1, "learned again after a day");
  await fixture.query("update good_paths set path = null, learned_at = null");
  assert.equal(await answerAll(), 0, "a path that could not be traced waits an hour");
  fixture.clock.advance(3_700_000);
  await run(check, "eu-west-1", 0);
  assert.ok((await answerAll()) >= 1, "and is learned then");
});
