import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createRunsFixture, type RunsFixture } from "../../../test/support/modules/runs.ts";
import { FirstRuns, nextDueAtMs, planSchedule } from "./schedule.ts";
import { Scheduler } from "./scheduler.ts";
import type { Watched } from "./watch-list.ts";

const hourly = { frequency: 60, frequencyOffset: 300 } as const;

async function openScheduler(t: TestContext) {
  const fixture = await createRunsFixture();
  t.after(() => fixture.stop());
  const scheduler = new Scheduler(fixture.context, "server", fixture.clock.now);
  await scheduler.holdLeases();
  const now = () => fixture.clock.now().getTime();
  // All checks are due in the middle of an hour, which is far away now.
  const plan = planSchedule({ checkId: "", frequencyMinutes: 60, frequencyOffset: 300 });
  fixture.clock.advance(nextDueAtMs(plan, now()) - now() + 60_000);
  return { fixture, scheduler, now, plan };
}

async function notify(fixture: RunsFixture, scheduler: Scheduler, ids: readonly string[]) {
  for (const id of ids) {
    fixture.context.watchList.forget(id);
    scheduler.noteChange(id);
  }
  await scheduler.applyChanges();
}

test("a new check runs at once, and then at its due times", async (t) => {
  const { fixture, scheduler, now, plan } = await openScheduler(t);
  const { checkId } = await fixture.addCheck(hourly);
  await notify(fixture, scheduler, [checkId]);
  assert.equal(await scheduler.orderDue(), 1);
  assert.equal((await fixture.takeOrders())[0]?.dueAtMs, now());
  assert.equal(await scheduler.orderDue(), 0);
  const dueAtMs = nextDueAtMs(plan, now());
  fixture.clock.advance(dueAtMs - now() - 1);
  assert.equal(await scheduler.orderDue(), 0);
  fixture.clock.advance(1);
  assert.equal(await scheduler.orderDue(), 1);
  assert.equal((await fixture.takeOrders())[0]?.dueAtMs, dueAtMs);
});

test("an activated check runs at once, an edited or inactive one does not", async (t) => {
  const { fixture, scheduler } = await openScheduler(t);
  const { checkId } = await fixture.addCheck({ ...hourly, activated: false });
  await notify(fixture, scheduler, [checkId]);
  assert.equal(await scheduler.orderDue(), 0);
  await fixture.editCheck(checkId, { activated: true });
  await notify(fixture, scheduler, [checkId]);
  assert.equal(await scheduler.orderDue(), 1);
  await fixture.editCheck(checkId, { name: "Renamed" });
  await notify(fixture, scheduler, [checkId]);
  assert.equal(await scheduler.orderDue(), 0);
});

test("a check that is deleted before its first run does not run", async (t) => {
  const { fixture, scheduler } = await openScheduler(t);
  const { checkId } = await fixture.addCheck(hourly);
  await notify(fixture, scheduler, [checkId]);
  await fixture.deleteCheck(checkId);
  await notify(fixture, scheduler, [checkId]);
  assert.equal(await scheduler.orderDue(), 0);
});

const plan = { periodMs: 3_600_000, splayMs: 0 };
const named = (checkId: string) => ({ checkId, plan }) as Watched;

test("of many new checks only some run at once, and more after ten seconds", () => {
  const first = new FirstRuns();
  const offer = (nowMs: number) =>
    Array.from({ length: 150 }, (_, index) => first.offer(named(`${index}`), nowMs)).filter(Boolean)
      .length;
  assert.equal(offer(60_000), 100);
  assert.equal(offer(69_999), 0);
  assert.equal(offer(70_000), 100);
  assert.equal(offer(60_000), 100, "the clock was set back");
});

test("a check that is due within ten seconds waits for its due time", () => {
  const first = new FirstRuns();
  assert.equal(first.offer(named("a"), plan.periodMs - 10_000), false);
  assert.equal(first.take("a"), false);
  assert.equal(first.offer(named("a"), plan.periodMs - 10_001), true);
  assert.equal(first.take("a"), true);
  assert.equal(first.take("a"), false, "it is the first run only once");
});
