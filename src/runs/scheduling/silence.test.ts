import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  answerOrder,
  createRunsFixture,
  makeResult,
  measure,
  type RunsFixture,
} from "../../../test/support/modules/runs.ts";
import { mergeGroupSettings } from "../../checks/checks/check-group.ts";
import { insertGroup, updateGroup } from "../../checks/checks/groups/store.ts";
import { keepPartitions } from "../recording/loops.ts";
import { recordResults } from "../recording/recorder.ts";
import { nextDueAtMs } from "./schedule.ts";
import { shardCount } from "./schedule-store.ts";
import { Scheduler } from "./scheduler.ts";
import type { Watched } from "./watch-list.ts";

/** Deadline of a run of ten packets: name resolution, packets, last reply and slack. */
const deadlineMs = 19_500;
const minuteMs = 60_000;

async function openFixture(
  t: TestContext,
  options: { readonly hasBuiltInProbe?: boolean } = {},
): Promise<RunsFixture> {
  const fixture = await createRunsFixture(options);
  t.after(() => fixture.stop());
  return fixture;
}

async function startScheduler(fixture: RunsFixture): Promise<Scheduler> {
  const scheduler = new Scheduler(fixture.context, "server");
  await scheduler.holdLeases();
  return scheduler;
}

const now = (fixture: RunsFixture) => fixture.clock.now().getTime();
const goTo = (fixture: RunsFixture, ms: number) => fixture.clock.advance(ms - now(fixture));
const nextOf = (fixture: RunsFixture, check: Watched) => nextDueAtMs(check.plan, now(fixture));

/** Checks all shards once. */
async function findUnanswered(scheduler: Scheduler): Promise<number> {
  let found = 0;
  for (let shard = 0; shard < shardCount; shard += 1) found += await scheduler.reportUnanswered();
  return found;
}

async function recordPublished(fixture: RunsFixture): Promise<void> {
  await recordResults(fixture.context, await fixture.takeResults());
}

const changesOf = async (fixture: RunsFixture) =>
  (await fixture.query("select from_status, to_status from state_changes order by id")).map(
    (row) => `${row.from_status}>${row.to_status}`,
  );

test("runs of remote probes are reported as unanswered a minute later", async (t) => {
  const fixture = await openFixture(t);
  const place = { locations: [], privateLocations: ["office"] };
  const check = await fixture.addCheck({ frequency: 1, ...place });
  const scheduler = await startScheduler(fixture);
  goTo(fixture, nextOf(fixture, check) + deadlineMs + 74_999);
  assert.equal(await findUnanswered(scheduler), 0);
  fixture.clock.advance(1);
  assert.equal(await findUnanswered(scheduler), 1);
});

test("a run spooled for 60 s is recorded once with its own time", async (t) => {
  const fixture = await openFixture(t);
  const place = { locations: [], privateLocations: ["office"] };
  const check = await fixture.addCheck({ frequency: 10, ...place });
  const scheduler = await startScheduler(fixture);
  const dueAtMs = nextOf(fixture, check);
  const spooled = { ...makeResult(check, { dueAtMs }), deadlineAtMs: dueAtMs + deadlineMs };
  for (let cutMs = 0; cutMs < 60_000; cutMs += 10_000) {
    goTo(fixture, dueAtMs + cutMs);
    assert.equal(await findUnanswered(scheduler), 0);
  }
  goTo(fixture, dueAtMs + 60_000);
  await recordResults(fixture.context, [spooled]);
  goTo(fixture, dueAtMs + deadlineMs + 2 * minuteMs);
  assert.equal(await findUnanswered(scheduler), 0);
  const rows = await fixture.query("select verdict, started_at from results");
  assert.deepEqual(rows, [{ verdict: 1, started_at: new Date(spooled.startedAtMs) }]);
});

test("a spooled result replaces the unanswered one", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck({ frequency: 1 });
  const scheduler = await startScheduler(fixture);
  const dueAtMs = nextOf(fixture, check);
  goTo(fixture, dueAtMs + deadlineMs);
  assert.equal(await findUnanswered(scheduler), 1);
  await recordPublished(fixture);
  const spooled = { ...makeResult(check, { dueAtMs }), deadlineAtMs: dueAtMs + deadlineMs };
  fixture.clock.advance(1);
  await recordResults(fixture.context, [spooled]);
  await recordResults(fixture.context, [spooled]);
  const rows = await fixture.query("select verdict, trouble from results");
  assert.deepEqual(rows, [{ verdict: 1, trouble: null }]);
  const [state] = await fixture.query("select status from check_states");
  assert.equal(state?.status, "passing");
});

test("a run without a result is reported after its deadline, once, and is a change", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck({ frequency: 1 });
  const scheduler = await startScheduler(fixture);
  const answeredMs = nextOf(fixture, check);
  goTo(fixture, answeredMs);
  await recordResults(fixture.context, [makeResult(check, { dueAtMs: answeredMs })]);
  const dueAtMs = answeredMs + minuteMs;
  goTo(fixture, dueAtMs + deadlineMs - 1);
  await scheduler.orderDue();
  assert.equal(await findUnanswered(scheduler), 0);
  fixture.clock.advance(1);
  assert.equal(await findUnanswered(scheduler), 1);
  assert.equal(await findUnanswered(scheduler), 1, "it is reported until it is recorded");
  await recordPublished(fixture);
  assert.equal(await findUnanswered(scheduler), 0);
  const [order] = await fixture.takeOrders();
  const rows = await fixture.query(
    `select id, is_final, verdict, name as probe_id, trouble
      from results join result_probes on number = probe_number order by id desc`,
  );
  assert.equal(rows.length, 2);
  assert.deepEqual(rows[0], {
    id: order?.runId,
    is_final: true,
    verdict: 0,
    probe_id: "none",
    trouble: { kind: "no-answer", message: "The probe did not respond in time." },
  });
  assert.deepEqual(await changesOf(fixture), ["unknown>passing", "passing>unknown"]);
  assert.deepEqual(await fixture.query("select status from checks"), [{ status: "unknown" }]);
});

test("a result after its run was recorded as unanswered changes nothing", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck({ frequency: 1 });
  const scheduler = await startScheduler(fixture);
  goTo(fixture, nextOf(fixture, check));
  await scheduler.orderDue();
  const [order] = await fixture.takeOrders();
  fixture.clock.advance(deadlineMs);
  await findUnanswered(scheduler);
  await recordPublished(fixture);
  assert.ok(order !== undefined);
  await recordResults(fixture.context, [answerOrder(order, measure())]);
  assert.deepEqual(await fixture.query("select verdict from results"), [{ verdict: 0 }]);
});

test("only the newest of several unanswered runs is reported", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck({ frequency: 1 });
  const scheduler = await startScheduler(fixture);
  const dueAtMs = nextOf(fixture, check);
  goTo(fixture, dueAtMs + 7 * minuteMs + deadlineMs);
  assert.equal(await findUnanswered(scheduler), 1);
  const [result] = await fixture.takeResults();
  assert.equal(result?.dueAtMs, dueAtMs + 7 * minuteMs);
});

test("with parallel runs each unanswered location is reported, and no other", async (t) => {
  const fixture = await openFixture(t);
  const locations = ["eu-west-1", "us-east-1", "ap-south-1"];
  const check = await fixture.addCheck({ frequency: 1, runParallel: true, locations });
  const scheduler = await startScheduler(fixture);
  const dueAtMs = nextOf(fixture, check);
  goTo(fixture, dueAtMs + deadlineMs);
  await recordResults(fixture.context, [makeResult(check, { dueAtMs, location: "us-east-1" })]);
  await findUnanswered(scheduler);
  const silent = (await fixture.takeResults()).map((result) => result.location);
  assert.deepEqual(silent, ["eu-west-1", "ap-south-1"]);
});

test("a run that waits for its retry is not recorded as unanswered", async (t) => {
  const fixture = await openFixture(t);
  const retryStrategy = {
    type: "FIXED" as const,
    baseBackoffSeconds: 50,
    sameRegion: true,
    maxRetries: 1,
    maxDurationSeconds: 600,
    onlyOn: [],
  };
  const check = await fixture.addCheck({ frequency: 5, retryStrategy });
  const scheduler = await startScheduler(fixture);
  const dueAtMs = nextOf(fixture, check);
  goTo(fixture, dueAtMs + 1_000);
  await recordResults(fixture.context, [makeResult(check, { dueAtMs, outcome: measure(10) })]);
  goTo(fixture, dueAtMs + deadlineMs);
  await findUnanswered(scheduler);
  await recordPublished(fixture);
  const rows = await fixture.query("select attempt, is_final, verdict from results");
  assert.deepEqual(rows, [{ attempt: 1, is_final: false, verdict: 3 }]);
  assert.deepEqual(await changesOf(fixture), []);
});

test("a run at a location without a probe is recorded as not executed", async (t) => {
  const fixture = await openFixture(t, { hasBuiltInProbe: false });
  const check = await fixture.addCheck({ frequency: 1 });
  const scheduler = await startScheduler(fixture);
  goTo(fixture, nextOf(fixture, check));
  await scheduler.orderDue();
  assert.deepEqual(await fixture.takeOrders(), []);
  await recordPublished(fixture);
  const [row] = await fixture.query("select verdict, trouble, reasons from results");
  assert.equal(row?.verdict, 0);
  const message = "No probe serves this location.";
  assert.deepEqual(row?.trouble, { kind: "no-probe", message });
  assert.deepEqual(row?.reasons, [{ name: "no-probe-at-location", message }]);
});

test("a new check has no unanswered run before its first run was due", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck({ frequency: 60 });
  const scheduler = await startScheduler(fixture);
  const dueAtMs = nextOf(fixture, check);
  for (const timeMs of [now(fixture), now(fixture) + deadlineMs, dueAtMs + deadlineMs - 1]) {
    goTo(fixture, timeMs);
    assert.equal(await findUnanswered(scheduler), 0);
  }
  goTo(fixture, dueAtMs + deadlineMs);
  assert.equal(await findUnanswered(scheduler), 1);
});

test("a run due between a change and its notification is ordered", async (t) => {
  const fixture = await openFixture(t);
  const check = await fixture.addCheck({ frequency: 1, activated: false });
  const scheduler = await startScheduler(fixture);
  const dueAtMs = nextOf(fixture, check);
  goTo(fixture, dueAtMs - 100);
  await fixture.editCheck(check.checkId, { activated: true });
  fixture.clock.advance(250);
  fixture.context.watchList.forget(check.checkId);
  scheduler.noteChange(check.checkId);
  await scheduler.applyChanges();
  await scheduler.orderDue();
  const orders = await fixture.takeOrders();
  assert.deepEqual(
    orders.map((order) => order.dueAtMs),
    [dueAtMs],
  );
});

test("no run is reported for the time in which a check or its group was deactivated", async (t) => {
  const fixture = await openFixture(t);
  const { db, watchList } = fixture.context;
  const off = mergeGroupSettings(null, { activated: false });
  const group = await insertGroup(db, fixture.accountId, {
    name: "edge",
    settings: off,
    variables: [],
    createdAt: fixture.clock.now(),
  });
  const alone = await fixture.addCheck({ frequency: 1, activated: false });
  const member = await fixture.addCheck({ frequency: 1, groupId: group.id });
  const scheduler = await startScheduler(fixture);
  assert.equal(scheduler.size, 0);
  fixture.clock.advance(3_600_000);
  await fixture.editCheck(alone.checkId, { activated: true });
  const settings = { ...off, activated: true };
  await updateGroup(db, fixture.accountId, { ...group, settings, updatedAt: fixture.clock.now() });
  watchList.forgetAll();
  for (const { checkId } of [alone, member]) scheduler.noteChange(checkId);
  await scheduler.applyChanges();
  assert.equal(scheduler.size, 2);
  assert.equal(await findUnanswered(scheduler), 0);
});

test("a retry whose result would be rejected is deleted", async (t) => {
  const fixture = await openFixture(t);
  const retryStrategy = {
    type: "SINGLE_RETRY" as const,
    baseBackoffSeconds: 1,
    sameRegion: true,
    maxRetries: 1,
    maxDurationSeconds: 600,
    onlyOn: [],
  };
  const check = await fixture.addCheck({ frequency: 1440, retryStrategy });
  const failed = makeResult(check, { dueAtMs: now(fixture), outcome: measure(10) });
  await recordResults(fixture.context, [failed]);
  const { context } = fixture;
  const keep = () => keepPartitions({ context, log: context.log, retentionDays: 30 });
  const retries = () => fixture.query("select run_id from pending_retries");
  fixture.clock.advance(22 * 3_600_000);
  await keep();
  assert.equal((await retries()).length, 1);
  fixture.clock.advance(2 * 3_600_000);
  await keep();
  assert.deepEqual(await retries(), []);
});
