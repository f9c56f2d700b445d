import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  answerOrder,
  createRunsFixture,
  makeResult,
  measure,
  type RunsFixture,
} from "../../../test/support/modules/runs.ts";
import type { Order } from "../../contract/order.ts";
import type { IcmpRequest } from "../../kinds/of/icmp/request.ts";
import { recordResults } from "../recording/recorder.ts";
import { deriveRunId } from "../results/run-id.ts";
import { nextDueAtMs } from "./schedule.ts";
import { leaseMs, shardCount } from "./schedule-store.ts";
import { Scheduler } from "./scheduler.ts";
import { type Watched, WatchList } from "./watch-list.ts";

const everyTenSeconds = { frequency: 0, frequencyOffset: 10 } as const;
const periodMs = 10_000;

async function openFixture(t: TestContext): Promise<RunsFixture> {
  const fixture = await createRunsFixture();
  t.after(() => fixture.stop());
  return fixture;
}

async function startScheduler(fixture: RunsFixture, holder = "server"): Promise<Scheduler> {
  const scheduler = new Scheduler(fixture.context, holder, fixture.clock.now);
  await scheduler.holdLeases();
  return scheduler;
}

const now = (fixture: RunsFixture) => fixture.clock.now().getTime();
const goTo = (fixture: RunsFixture, ms: number) => fixture.clock.advance(ms - now(fixture));
const nextOf = (fixture: RunsFixture, check: Watched) => nextDueAtMs(check.plan, now(fixture));

/** Simulates the change notification of the database. */
async function notify(fixture: RunsFixture, scheduler: Scheduler, checkId: string): Promise<void> {
  fixture.context.watchList.forget(checkId);
  scheduler.noteChange(checkId);
  await scheduler.applyChanges();
}

test("a run is ordered at its due time, not before and not twice", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck(everyTenSeconds);
  const scheduler = await startScheduler(fixture);
  const dueAtMs = nextOf(fixture, check);
  goTo(fixture, dueAtMs - 1);
  assert.equal(await scheduler.orderDue(), 0);
  for (const dueNowMs of [dueAtMs, dueAtMs + periodMs, dueAtMs + 2 * periodMs]) {
    goTo(fixture, dueNowMs);
    assert.equal(await scheduler.orderDue(), 1);
    assert.equal(await scheduler.orderDue(), 0);
    const [order] = await fixture.takeOrders();
    const run = { checkId: check.checkId, dueAtMs: dueNowMs, location: "home", attempt: 1 };
    assert.deepEqual(order, {
      ...run,
      runId: deriveRunId(run),
      accountId: check.accountId,
      kind: "ICMP",
      startAtMs: dueNowMs,
      deadlineAtMs: dueNowMs + 19_500,
      request: { hostname: "192.0.2.1", ipFamily: "IPv4", pingCount: 10 },
    });
  }
});

test("checks of several frequencies are each ordered on their own schedule", async (t) => {
  const fixture = await openFixture(t);
  const checks = await Promise.all([
    fixture.addCheck(everyTenSeconds),
    fixture.addCheck({ frequency: 1 }),
    fixture.addCheck({ frequency: 1, frequencyOffset: 3 }),
    fixture.addCheck({ frequency: 5 }),
    fixture.addCheck({ frequency: 1, activated: false }),
  ]);
  const scheduler = await startScheduler(fixture);
  assert.equal(scheduler.size, 4);
  const endMs = now(fixture) + 600_000;
  const orders: Order[] = [];
  while (now(fixture) < endMs) {
    fixture.clock.advance(1_000);
    await scheduler.orderDue();
    orders.push(...(await fixture.takeOrders()));
  }
  const counts = checks.map(({ checkId }) => orders.filter((o) => o.checkId === checkId).length);
  assert.deepEqual(counts, [60, 10, 10, 2, 0]);
  for (const { checkId, plan } of checks) {
    for (const { dueAtMs } of orders.filter((order) => order.checkId === checkId)) {
      assert.equal((dueAtMs - plan.splayMs) % plan.periodMs, 0);
    }
  }
});

test("round robin alternates the locations, and parallel runs order all at once", async (t) => {
  const fixture = await openFixture(t);
  const locations = ["eu-west-1", "us-east-1", "ap-south-1"];
  const robin = await fixture.addCheck({ ...everyTenSeconds, locations });
  const parallel = await fixture.addCheck({ ...everyTenSeconds, locations, runParallel: true });
  const scheduler = await startScheduler(fixture);
  const walked: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    fixture.clock.advance(periodMs);
    await scheduler.orderDue();
    const orders = await fixture.takeOrders();
    const placesOf = ({ checkId }: Watched) =>
      orders.filter((order) => order.checkId === checkId).map((order) => order.location);
    assert.deepEqual(placesOf(parallel), locations);
    assert.equal(placesOf(robin).length, 1);
    walked.push(...placesOf(robin));
  }
  const first = locations.indexOf(walked[0] ?? "");
  assert.deepEqual(
    walked,
    walked.map((_, turn) => locations[(first + turn) % 3]),
  );
});

test("a restart does not shift the schedule and keeps the ids of runs", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck(everyTenSeconds);
  fixture.clock.advance(6 * periodMs);
  const former = await startScheduler(fixture);
  fixture.clock.advance(3_333);
  const next = await startScheduler(fixture);
  // Catch up on the runs due while no server was running.
  await next.orderDue();
  await fixture.takeOrders();
  const dueAtMs = nextOf(fixture, check);
  goTo(fixture, dueAtMs - 1);
  assert.equal(await next.orderDue(), 0);
  goTo(fixture, dueAtMs + 7);
  await former.orderDue();
  await next.orderDue();
  const [one, other] = await fixture.takeOrders();
  assert.ok(one !== undefined && other !== undefined);
  assert.deepEqual(one, other);
  await recordResults(fixture.context, [answerOrder(one, measure())]);
  await recordResults(fixture.context, [answerOrder(other, measure(10))]);
  const rows = await fixture.query("select id, verdict from results");
  assert.deepEqual(rows, [{ id: one.runId, verdict: 1 }]);
});

test("edits, deactivation and deletion count from the next due time on", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck(everyTenSeconds);
  const scheduler = await startScheduler(fixture);
  const orderNext = async () => {
    fixture.clock.advance(periodMs);
    await scheduler.orderDue();
    return (await fixture.takeOrders()).map((order) => (order.request as IcmpRequest).hostname);
  };
  assert.deepEqual(await orderNext(), ["192.0.2.1"]);
  await fixture.editCheck(check.checkId, { request: { hostname: "192.0.2.2" } });
  await notify(fixture, scheduler, check.checkId);
  assert.deepEqual(await orderNext(), ["192.0.2.2"]);
  await fixture.editCheck(check.checkId, { frequencyOffset: 30 });
  await notify(fixture, scheduler, check.checkId);
  const thrice = [await orderNext(), await orderNext(), await orderNext()];
  assert.equal(thrice.flat().length, 1, "it is due every thirty seconds now");
  await fixture.editCheck(check.checkId, { activated: false, frequencyOffset: 10 });
  await notify(fixture, scheduler, check.checkId);
  assert.equal(scheduler.size, 0);
  assert.deepEqual(await orderNext(), []);
  await fixture.editCheck(check.checkId, { activated: true });
  await notify(fixture, scheduler, check.checkId);
  assert.deepEqual(await orderNext(), ["192.0.2.2"]);
  await fixture.deleteCheck(check.checkId);
  await notify(fixture, scheduler, check.checkId);
  assert.deepEqual(await orderNext(), []);
  const fresh = await fixture.addCheck(everyTenSeconds);
  await notify(fixture, scheduler, fresh.checkId);
  assert.deepEqual(await orderNext(), ["192.0.2.1"]);
});

test("an edit at the due time of a run does not skip it", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck(everyTenSeconds);
  const scheduler = await startScheduler(fixture);
  goTo(fixture, nextOf(fixture, check));
  await fixture.editCheck(check.checkId, { request: { hostname: "192.0.2.2" } });
  await notify(fixture, scheduler, check.checkId);
  assert.equal(await scheduler.orderDue(), 1);
});

test("after a pause of the process only the newest missed run is ordered", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck(everyTenSeconds);
  const scheduler = await startScheduler(fixture);
  const dueAtMs = nextOf(fixture, check);
  goTo(fixture, dueAtMs + 25 * periodMs + 1_234);
  assert.equal(await scheduler.orderDue(), 1);
  const [order] = await fixture.takeOrders();
  assert.equal(order?.dueAtMs, dueAtMs + 25 * periodMs);
  goTo(fixture, dueAtMs + 26 * periodMs);
  assert.equal(await scheduler.orderDue(), 1);
});

test("a clock that is set back does not stop the runs until it has caught up", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck(everyTenSeconds);
  const scheduler = await startScheduler(fixture);
  fixture.clock.advance(periodMs);
  await scheduler.orderDue();
  await fixture.takeOrders();
  fixture.clock.advance(-3_600_000);
  await scheduler.orderDue();
  const dueAtMs = nextOf(fixture, check);
  goTo(fixture, dueAtMs);
  assert.equal(await scheduler.orderDue(), 1);
  assert.equal((await fixture.takeOrders())[0]?.dueAtMs, dueAtMs);
});

test("two servers share the shards: the second has none until the first has died", async (t) => {
  const fixture = await openFixture(t);
  await fixture.addCheck(everyTenSeconds);
  const first = await startScheduler(fixture, "first");
  assert.deepEqual([first.heldShards, first.size], [shardCount, 1]);
  const second = await startScheduler(fixture, "second");
  assert.deepEqual([second.heldShards, second.size], [0, 0]);
  fixture.clock.advance(leaseMs - 1);
  await first.holdLeases();
  fixture.clock.advance(leaseMs);
  await second.holdLeases();
  assert.deepEqual([second.heldShards, second.size], [0, 0], "the first has renewed its leases");
  fixture.clock.advance(1);
  await second.holdLeases();
  assert.deepEqual([second.heldShards, second.size], [shardCount, 1]);
  await first.holdLeases();
  assert.deepEqual([first.heldShards, first.size], [0, 0], "it drops its checks");
});

test("a stopping server releases its shards, and a returning one gets them back", async (t) => {
  const fixture = await openFixture(t);
  await fixture.addCheck(everyTenSeconds);
  const first = await startScheduler(fixture, "first");
  const returned = await startScheduler(fixture, "first");
  assert.deepEqual([returned.heldShards, returned.size], [shardCount, 1]);
  await first.releaseLeases();
  const second = await startScheduler(fixture, "second");
  assert.deepEqual([second.heldShards, second.size], [shardCount, 1]);
});

/** A watch list that fails or waits as a database may. */
class FaultyWatchList extends WatchList {
  isBroken = false;
  /** Called after the query has returned and before the scheduler processes it. */
  whileListing = async (): Promise<void> => {};

  override async listShards(shards: readonly number[]): Promise<Watched[]> {
    if (this.isBroken) throw new Error("the database is down");
    const list = await super.listShards(shards);
    await this.whileListing();
    return list;
  }

  override async find(ids: readonly string[]): Promise<Map<string, Watched>> {
    if (this.isBroken) throw new Error("the database is down");
    return super.find(ids);
  }
}

function troubled(fixture: RunsFixture): { watchList: FaultyWatchList; scheduler: Scheduler } {
  const watchList = new FaultyWatchList(fixture.context.db, "home", () => true);
  return { watchList, scheduler: new Scheduler({ ...fixture.context, watchList }, "server") };
}

test("a check deleted while notifications were missed is no longer ordered", async (t) => {
  const fixture = await openFixture(t);
  const doomed = await fixture.addCheck(everyTenSeconds);
  const kept = await fixture.addCheck(everyTenSeconds);
  const scheduler = await startScheduler(fixture);
  await fixture.deleteCheck(doomed.checkId);
  fixture.context.watchList.forgetAll();
  scheduler.invalidateShards();
  await scheduler.holdLeases();
  fixture.clock.advance(periodMs);
  await scheduler.orderDue();
  const ordered = (await fixture.takeOrders()).map((order) => order.checkId);
  assert.deepEqual(ordered, [kept.checkId]);
});

test("resuming notifications at the due time of a run does not skip it", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck(everyTenSeconds);
  const scheduler = await startScheduler(fixture);
  goTo(fixture, nextOf(fixture, check) + 5);
  scheduler.invalidateShards();
  await scheduler.holdLeases();
  assert.equal(await scheduler.orderDue(), 1);
});

test("checks that could not be loaded are loaded in the next round", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck(everyTenSeconds);
  const { watchList, scheduler } = troubled(fixture);
  watchList.isBroken = true;
  await assert.rejects(scheduler.holdLeases(), /the database is down/);
  watchList.isBroken = false;
  await scheduler.holdLeases();
  assert.equal(scheduler.size, 1);
  watchList.isBroken = true;
  await fixture.editCheck(check.checkId, { activated: false });
  watchList.forget(check.checkId);
  scheduler.noteChange(check.checkId);
  await assert.rejects(scheduler.applyChanges(), /the database is down/);
  watchList.isBroken = false;
  await scheduler.applyChanges();
  assert.equal(scheduler.size, 0);
});

test("a change while checks are loaded is not overwritten by the loaded data", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck(everyTenSeconds);
  const { watchList, scheduler } = troubled(fixture);
  watchList.whileListing = async () => {
    await fixture.deleteCheck(check.checkId);
    watchList.forget(check.checkId);
    scheduler.noteChange(check.checkId);
    await scheduler.applyChanges();
  };
  await scheduler.holdLeases();
  await scheduler.applyChanges();
  assert.equal(scheduler.size, 0);
});

test("missed notifications while checks are loaded cause a reload", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck(everyTenSeconds);
  const { watchList, scheduler } = troubled(fixture);
  watchList.whileListing = async () => {
    await fixture.deleteCheck(check.checkId);
    watchList.forgetAll();
    scheduler.invalidateShards();
  };
  await scheduler.holdLeases();
  watchList.whileListing = async () => {};
  await scheduler.holdLeases();
  assert.equal(scheduler.size, 0);
});

const retryStrategy = {
  type: "FIXED" as const,
  baseBackoffSeconds: 60,
  sameRegion: true,
  maxRetries: 2,
  maxDurationSeconds: 600,
  onlyOn: [],
};

test("a retry is ordered when it is due, once, and again by a new scheduler", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck({ frequency: 60, retryStrategy });
  const scheduler = await startScheduler(fixture);
  const failed = makeResult(check, { dueAtMs: now(fixture), outcome: measure(10) });
  await recordResults(fixture.context, [failed]);
  fixture.clock.advance(59_999);
  await scheduler.orderRetries();
  assert.deepEqual(await fixture.takeOrders(), []);
  fixture.clock.advance(1);
  await scheduler.orderRetries();
  await scheduler.orderRetries();
  const [retry, ...more] = await fixture.takeOrders();
  assert.deepEqual([retry?.attempt, retry?.startAtMs, more.length], [2, now(fixture), 0]);
  const next = await startScheduler(fixture);
  await next.orderRetries();
  assert.deepEqual(await fixture.takeOrders(), [retry], "a crash loses no retry");
  assert.ok(retry !== undefined);
  await recordResults(fixture.context, [answerOrder(retry, measure())]);
  await (await startScheduler(fixture)).orderRetries();
  assert.deepEqual(await fixture.takeOrders(), []);
});

test("a retry is ordered although the check was deactivated", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck({ frequency: 60, retryStrategy, activated: false });
  const scheduler = await startScheduler(fixture);
  assert.equal(scheduler.size, 0);
  const failed = makeResult(check, { dueAtMs: now(fixture), outcome: measure(10) });
  await recordResults(fixture.context, [failed]);
  fixture.clock.advance(60_000);
  await scheduler.orderRetries();
  assert.equal((await fixture.takeOrders()).length, 1);
});

test("retries are ordered by the server that has the check, and by no other", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck({ frequency: 60, retryStrategy });
  await startScheduler(fixture, "first");
  const second = await startScheduler(fixture, "second");
  const failed = makeResult(check, { dueAtMs: now(fixture), outcome: measure(10) });
  await recordResults(fixture.context, [failed]);
  fixture.clock.advance(60_000);
  await second.orderRetries();
  assert.deepEqual(await fixture.takeOrders(), []);
});
