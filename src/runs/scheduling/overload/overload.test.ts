import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { type TestContext, test } from "node:test";
import { isLongRun } from "../../../../test/support/long-run.ts";
import { createRunsFixture, measure, noData } from "../../../../test/support/modules/runs.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import type { CheckInput } from "../../../checks/checks/index.ts";
import type { Order } from "../../../contract/order.ts";
import { subjects } from "../../../contract/protocol.ts";
import type { Outcome, Result } from "../../../contract/result.ts";
import { createInProcessBus } from "../../../platform/bus.ts";
import { startProbeWorker } from "../../../probe/worker.ts";
import { startRecorder } from "../../recording/loops.ts";
import { listMissedRuns } from "../../results/result-store.ts";
import { deriveRunId, idFloor } from "../../results/run-id.ts";
import { nextDueAtMs, planSchedule } from "../schedule.ts";
import { shardCount } from "../schedule-store.ts";
import { Scheduler } from "../scheduler.ts";
import { type Watched, WatchList } from "../watch-list.ts";
import { maxOpenRuns } from "./run-load.ts";

const every10s = { frequency: 0, frequencyOffset: 10 } as const;
const periodMs = 10_000;
const stepMs = 1_000;
const runMs = 1_000;

/** A prober that finishes a fixed number of runs per second, in order of arrival. */
class SlowProber {
  capacityPerSecond: number;
  readonly open: { readonly begunAtMs: number; readonly end: (outcome: Outcome) => void }[] = [];
  #credit = 0;

  constructor(capacityPerSecond: number) {
    this.capacityPerSecond = capacityPerSecond;
  }

  begin(nowMs: number): Promise<Outcome> {
    return new Promise((end) => this.open.push({ begunAtMs: nowMs, end }));
  }

  step(nowMs: number): void {
    this.#credit = Math.min(this.#credit, 0) + (this.capacityPerSecond * stepMs) / 1_000;
    while (this.#credit >= 1 && (this.open[0]?.begunAtMs ?? nowMs) <= nowMs - runMs) {
      this.open.shift()?.end(measure());
      this.#credit -= 1;
    }
  }
}

/**
 * Sets up scheduler, bus, worker, recorder and database as in production, with a manual clock and
 * prober.
 */
async function openStage(t: TestContext, checkCount: number, capacityPerSecond: number) {
  const fixture = await createRunsFixture();
  const { clock } = fixture;
  const context = { ...fixture.context, bus: createInProcessBus(fixture.context.log) };
  const checks: Watched[] = [];
  for (let at = 0; at < checkCount; at += 1) checks.push(await fixture.addCheck(every10s));
  const prober = new SlowProber(capacityPerSecond);
  const nowMs = () => clock.now().getTime();
  const worker = startProbeWorker({
    bus: context.bus,
    log: context.log,
    probeId: "probe",
    run: () => prober.begin(nowMs()),
    orderSubject: subjects.orders,
    resultSubject: subjects.results,
    trialSubjectOf: (serverId) => `news.${serverId}`,
    nowMs,
  });
  const recorder = startRecorder(context);
  const scheduler = new Scheduler(context, "server", clock.now);
  await scheduler.holdLeases();
  t.after(async () => {
    for (const { end } of prober.open.splice(0)) end(noData());
    await worker.stop();
    await recorder.stop();
    await fixture.stop();
  });
  const settle = () =>
    waitUntil("orders reached the prober, and finished runs are recorded", () => {
      const { bus, load } = context;
      const isTaken = bus.volatileDepth(subjects.orders) === prober.open.length;
      return isTaken && load.windowOf("ICMP").openCount === prober.open.length;
    });
  const advance = async (seconds: number) => {
    for (let passedMs = 0; passedMs < seconds * 1_000; passedMs += stepMs) {
      clock.advance(stepMs);
      await scheduler.orderDue();
      await settle();
      prober.step(nowMs());
      await settle();
      for (let shard = 0; shard < shardCount; shard += 8) await scheduler.reportUnanswered();
    }
  };
  return { fixture, context, checks, prober, advance, nowMs };
}

type Stage = Awaited<ReturnType<typeof openStage>>;

/** Counts the recorded runs of each check by verdict. */
async function countRuns({ fixture, checks }: Stage) {
  const rows = await fixture.query(
    "select check_id, verdict, count(*)::int as count from results group by 1, 2",
  );
  const sum = (verdict: number) =>
    rows
      .filter((row) => row.verdict === verdict)
      .reduce((total, row) => total + Number(row.count), 0);
  const counts = new Map(rows.map((row) => [row.check_id, row.count as number]));
  const perCheck = checks.map(({ checkId }) => counts.get(checkId) ?? 0);
  return { measured: sum(1), unknown: sum(0), perCheck };
}

const overloads = [
  [3, 2 / 3],
  [1.5, 1 / 3],
] as const;
for (const [factor, expectedShare] of overloads.slice(0, isLongRun ? 2 : 1)) {
  test(`at ${factor} times its capacity a server skips the same share of every check and recovers`, async (t) => {
    const checkCount = 120;
    const loadPerSecond = checkCount / 10;
    const capacity = loadPerSecond / factor;
    const stage = await openStage(t, checkCount, capacity);
    const { advance, checks, context, fixture, nowMs, prober } = stage;
    await advance(100);
    const before = await countRuns(stage);
    await advance(60);
    const after = await countRuns(stage);
    const measured = after.measured - before.measured;
    assert.ok(measured >= 0.9 * capacity * 60, `${measured} runs were measured`);
    assert.equal(after.unknown, 0, "a skipped run has no row");
    const perCheck = after.perCheck.map((count, at) => count - (before.perCheck[at] ?? 0));
    const fairCount = (capacity * 60) / checkCount;
    assert.ok(Math.min(...perCheck) >= 0.75 * fairCount - 1, `${perCheck}`);
    assert.ok(Math.max(...perCheck) <= 1.25 * fairCount + 1, `${perCheck}`);
    const share = context.load.overloadShare(nowMs());
    assert.ok(Math.abs(share - expectedShare) < 0.1, `${share} of the runs are skipped`);

    // The load drops: within a period every run is executed again.
    prober.capacityPerSecond = 3 * loadPerSecond;
    await advance(10);
    const recoveredAtMs = nowMs();
    await advance(30);
    const [{ count: recovered } = {}] = await fixture.query(
      "select count(*)::int from results where id >= $1 and id < $2",
      idFloor(recoveredAtMs),
      idFloor(recoveredAtMs + 2 * periodMs),
    );
    assert.equal(recovered, 2 * checkCount);
    assert.equal(context.load.overloadShare(nowMs() + 30_000), 0);

    // Skipped runs are in the gaps and caused no alert.
    const [check] = checks;
    assert.ok(check !== undefined);
    const span = { from: new Date(check.sinceMs), to: new Date(nowMs()), limit: 1_000 };
    const gaps = await listMissedRuns(context.db, check.checkId, span);
    const [{ count: made } = {}] = await fixture.query(
      "select count(*)::int from results where check_id = $1",
      check.checkId,
    );
    const missed = gaps.reduce((sum, { count }) => sum + count, 0);
    const dueCount = Math.floor((nowMs() - check.sinceMs) / periodMs);
    assert.ok(
      Math.abs(missed + Number(made) - dueCount) <= 2,
      `${missed} + ${made} of ${dueCount}`,
    );
    const changes = await fixture.query(
      "select distinct from_status, to_status from state_changes",
    );
    assert.deepEqual(changes, [{ from_status: "unknown", to_status: "passing" }]);
  });
}

test("a run skipped by a probe is counted but not recorded, unless it was triggered", async (t) => {
  const { context, checks, fixture } = await openStage(t, 1, 100);
  const [check] = checks;
  assert.ok(check !== undefined);
  const scheduledMs = nextDueAtMs(check.plan, check.sinceMs);
  const report = (dueAtMs: number, attempt: number, outcome: Outcome): Result => {
    const { checkId, kind } = check;
    const run = { checkId, dueAtMs, location: "home", attempt };
    const times = { startedAtMs: dueAtMs, stoppedAtMs: dueAtMs };
    const request = kind.toRequest(check.settings);
    const probed = { kind: kind.type, probeId: "probe", request, outcome };
    return { ...run, ...times, ...probed, runId: deriveRunId(run) };
  };
  const results = [
    report(scheduledMs, 1, noData("too-late")),
    report(scheduledMs + periodMs, 1, noData("overloaded")),
    report(scheduledMs + 1, 1, noData("overloaded")),
    report(scheduledMs + 2 * periodMs, 2, noData("too-late")),
  ];
  const recorded = context.recordedRuns.waitFor(results.map(({ runId }) => runId));
  await context.bus.publish(subjects.results, results);
  await recorded;
  const rows = await fixture.query("select id from results order by id");
  assert.deepEqual(
    rows.map(({ id }) => id),
    [results[2]?.runId, results[3]?.runId],
  );
  assert.equal(context.load.skipped.isSkipped(check.checkId, scheduledMs + periodMs), true);
});

test("a run that still waits for capacity when its deadline passes is not reported as unanswered", async (t) => {
  const fixture = await createRunsFixture();
  t.after(() => fixture.stop());
  const { clock, context } = fixture;
  const { checkId, kind, plan, settings, sinceMs } = await fixture.addCheck(every10s);
  const scheduler = new Scheduler(context, "server", clock.now);
  await scheduler.holdLeases();
  const dueAtMs = nextDueAtMs(plan, sinceMs);
  for (let at = 0; at < maxOpenRuns; at += 1) {
    const times = { startAtMs: dueAtMs, deadlineAtMs: dueAtMs + 3_600_000 };
    context.load.windowOf(kind.type).open({ runId: String(at), ...times });
  }
  clock.advance(dueAtMs - clock.now().getTime());
  assert.equal(await scheduler.orderDue(), 0, "there is no capacity");
  clock.advance(kind.deadlineMs(settings) + 1);
  for (let shard = 0; shard < shardCount; shard += 1) {
    assert.equal(await scheduler.reportUnanswered(), 0, `${checkId} was never sent to a probe`);
  }
});

/** Many checks that do not exist in the database. */
class CrowdedWatchList extends WatchList {
  crowd: readonly Watched[] = [];
  override async listShards(): Promise<Watched[]> {
    return [...this.crowd];
  }
}

function crowd(check: Watched, count: number): Watched[] {
  return Array.from({ length: count }, () => {
    const checkId = randomUUIDv7();
    const plan = planSchedule({ checkId, frequencyMinutes: 1, frequencyOffset: null });
    return { ...check, checkId, plan };
  });
}

async function openCrowd(t: TestContext, input: CheckInput) {
  const fixture = await createRunsFixture();
  t.after(() => fixture.stop());
  const check = await fixture.addCheck(input);
  const watchList = new CrowdedWatchList(fixture.context.db, "home", () => true);
  watchList.crowd = crowd(check, 12_000);
  const context = { ...fixture.context, watchList };
  const start = async () => {
    const scheduler = new Scheduler(context, "server", fixture.clock.now);
    await scheduler.holdLeases();
    return scheduler;
  };
  return { fixture, start };
}

test("a start with many checks spreads missed runs instead of ordering all at once", async (t) => {
  const { fixture, start } = await openCrowd(t, { frequency: 1 });
  const { clock } = fixture;
  const former = await start();
  await former.releaseLeases();
  // 200 runs per second were due in the meantime.
  clock.advance(20_000);
  const scheduler = await start();
  await scheduler.orderDue();
  const atOnce = (await fixture.takeOrders()).length;
  assert.ok(atOnce <= 1_000, `${atOnce} at once`);
  const perSecond: number[] = [];
  const orders: Order[] = [];
  for (let second = 0; second < 60; second += 1) {
    clock.advance(1_000);
    await scheduler.orderDue();
    const ordered = await fixture.takeOrders();
    perSecond.push(ordered.length);
    orders.push(...ordered);
  }
  assert.ok(Math.max(...perSecond) <= 2.5 * 200, `${perSecond}`);
  assert.ok(Math.min(...perSecond) >= 0.5 * 200, `${perSecond}`);
  for (const { checkId } of [orders[0], orders.at(-1)].flatMap((order) => order ?? [])) {
    assert.ok(orders.some((order) => order.checkId === checkId));
  }
  assert.equal(new Set(orders.map(({ runId }) => runId)).size, orders.length);
});

test("older runs that a restarted server does not catch up on are gaps, not rows", async (t) => {
  const fixture = await createRunsFixture();
  t.after(() => fixture.stop());
  const { clock, context } = fixture;
  for (let at = 0; at < 20; at += 1) await fixture.addCheck(every10s);
  const former = new Scheduler(context, "server", clock.now);
  await former.holdLeases();
  clock.advance(5_000);
  await former.releaseLeases();
  // Two or three runs of each check are missed; the newest is ordered.
  clock.advance(21_000);
  const scheduler = new Scheduler(context, "server", clock.now);
  await scheduler.holdLeases();
  assert.equal(await scheduler.orderDue(), 20);
  for (let shard = 0; shard < shardCount; shard += 1) {
    assert.equal(await scheduler.reportUnanswered(), 0);
  }
});

test("runs that were due while no server ran are gaps, not rows", async (t) => {
  const { fixture, start } = await openCrowd(t, { frequency: 1 });
  fixture.clock.advance(600_000);
  const scheduler = await start();
  for (let shard = 0; shard < shardCount; shard += 1) {
    assert.equal(await scheduler.reportUnanswered(), 0);
  }
  assert.deepEqual(await fixture.takeResults(), []);
});
