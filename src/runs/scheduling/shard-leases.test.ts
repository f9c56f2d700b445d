import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createRunsFixture, type RunsFixture } from "../../../test/support/modules/runs.ts";
import type { Order } from "../../contract/order.ts";
import type { Clock } from "../../platform/clock.ts";
import { nextDueAtMs } from "./schedule.ts";
import { leaseMs, shardCount } from "./schedule-store.ts";
import { Scheduler } from "./scheduler.ts";

const everyTenSeconds = { frequency: 0, frequencyOffset: 10 } as const;

async function openFixture(t: TestContext): Promise<RunsFixture> {
  const fixture = await createRunsFixture();
  t.after(() => fixture.stop());
  return fixture;
}

const counts = (schedulers: readonly Scheduler[]) => schedulers.map((one) => one.heldShards);

/** Lets each scheduler renew its leases; each knows the ids of all running servers. */
async function lookInTurn(schedulers: ReadonlyMap<string, Scheduler>, turns: number) {
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [id, scheduler] of schedulers) {
      await scheduler.holdLeases([...schedulers.keys()].filter((other) => other !== id));
    }
  }
}

test("joining servers get their share, and shards of leaving servers are redistributed", async (t) => {
  const fixture = await openFixture(t);
  for (let count = 0; count < 20; count += 1) await fixture.addCheck(everyTenSeconds);
  const make = (id: string): [string, Scheduler] => [id, new Scheduler(fixture.context, id)];
  const servers = new Map([make("a")]);
  await lookInTurn(servers, 1);
  assert.deepEqual(counts([...servers.values()]), [64]);
  servers.set(...make("b"));
  await lookInTurn(servers, 2);
  assert.deepEqual(counts([...servers.values()]), [32, 32]);
  servers.set(...make("c"));
  await lookInTurn(servers, 4);
  assert.deepEqual(counts([...servers.values()]).toSorted(), [21, 21, 22]);
  const sizes = [...servers.values()].map(({ size }) => size);
  assert.equal(
    sizes.reduce((one, other) => one + other),
    20,
    "every check has one scheduler",
  );
  await servers.get("a")?.releaseLeases();
  servers.delete("a");
  await lookInTurn(servers, 3);
  assert.deepEqual(counts([...servers.values()]), [32, 32]);
});

test("concurrent servers never hold the same shard", async (t) => {
  const fixture = await openFixture(t);
  const ids = ["a", "b", "c", "d", "e"];
  const servers = ids.map((id) => new Scheduler(fixture.context, id));
  for (let turn = 0; turn < 6; turn += 1) {
    await Promise.all(servers.map((one, index) => one.holdLeases(ids.toSpliced(index, 1))));
    const sum = counts(servers).reduce((one, other) => one + other);
    assert.ok(sum <= shardCount, `${sum} are held`);
  }
  assert.deepEqual(counts(servers).toSorted(), [12, 13, 13, 13, 13]);
});

function skewed(clock: Clock, byMs: number): Clock {
  return {
    now: () => new Date(clock.nowMs() + byMs),
    nowMs: () => clock.nowMs() + byMs,
  };
}

test("a server whose clock is minutes off neither acquires the shards of others nor loses its own", async (t) => {
  const fixture = await openFixture(t);
  const { context, clock } = fixture;
  const right = new Scheduler(context, "right");
  await right.holdLeases();
  for (const byMs of [10 * 60_000, -10 * 60_000]) {
    const wrong = new Scheduler({ ...context, clock: skewed(clock, byMs) }, "wrong");
    await wrong.holdLeases();
    assert.deepEqual(counts([right, wrong]), [64, 0], `it is ${byMs} ms off`);
    await right.holdLeases();
    assert.equal(right.heldShards, 64);
    await wrong.holdLeases(["right"]);
    await right.holdLeases(["wrong"]);
    await wrong.holdLeases(["right"]);
    await right.holdLeases(["wrong"]);
    assert.deepEqual(counts([right, wrong]), [32, 32], "and it has its share");
    await wrong.releaseLeases();
    await right.holdLeases();
  }
});

function dueAtMsOf(orders: readonly Order[]): number[] {
  return orders.map(({ dueAtMs }) => dueAtMs);
}

test("the new holder of a dead server's shard catches up on the missed run", async (t) => {
  const fixture = await openFixture(t);
  const { context, clock } = fixture;
  const check = await fixture.addCheck({ frequency: 10 });
  const dueAtMs = nextDueAtMs(check.plan, clock.nowMs());
  clock.advance(dueAtMs - clock.nowMs() - 1_000);
  const dead = new Scheduler(context, "dead", clock.now);
  await dead.holdLeases();
  const heir = new Scheduler(context, "heir", clock.now);
  clock.advance(leaseMs + 1);
  await heir.holdLeases();
  assert.equal(heir.heldShards, 64);
  await heir.orderDue();
  assert.deepEqual(dueAtMsOf(await fixture.takeOrders()), [dueAtMs]);
});

test("runs of a server that hangs for 30 s are ordered by another, and not twice", async (t) => {
  const fixture = await openFixture(t);
  const { context, clock } = fixture;
  const check = await fixture.addCheck(everyTenSeconds);
  const still = new Scheduler(context, "still", clock.now);
  const other = new Scheduler(context, "other", clock.now);
  await still.holdLeases();
  const dueAtMs = nextDueAtMs(check.plan, clock.nowMs());
  clock.advance(dueAtMs - clock.nowMs());
  await still.orderDue();
  for (let seconds = 0; seconds < 30; seconds += 5) {
    clock.advance(5_000);
    await other.holdLeases();
    await other.orderDue();
  }
  assert.equal(other.heldShards, 64);
  // It has not noticed yet that it lost its leases.
  await still.orderDue();
  await still.holdLeases(["other"]);
  const orders = await fixture.takeOrders();
  const dues = [0, 10_000, 20_000, 30_000].map((afterMs) => dueAtMs + afterMs);
  assert.deepEqual([...new Set(dueAtMsOf(orders))].toSorted(), dues);
  assert.equal(new Set(orders.map(({ runId }) => runId)).size, dues.length);
  assert.equal(still.heldShards, 0);
});

test("a run due while a shard changes its holder is ordered by the new holder", async (t) => {
  const fixture = await openFixture(t);
  const { context, clock } = fixture;
  const check = await fixture.addCheck({ frequency: 10 });
  const dueAtMs = nextDueAtMs(check.plan, clock.nowMs());
  clock.advance(dueAtMs - clock.nowMs() - 50);
  const first = new Scheduler(context, "first", clock.now);
  await first.holdLeases();
  await first.releaseLeases();
  clock.advance(100);
  const second = new Scheduler(context, "second", clock.now);
  await second.holdLeases();
  await second.orderDue();
  assert.deepEqual(dueAtMsOf(await fixture.takeOrders()), [dueAtMs]);
});

test("a long outage is not caught up completely at the start", async (t) => {
  const fixture = await openFixture(t);
  const { context, clock } = fixture;
  await fixture.addCheck(everyTenSeconds);
  const first = new Scheduler(context, "first", clock.now);
  await first.holdLeases();
  clock.advance(3_600_000);
  const second = new Scheduler(context, "second", clock.now);
  await second.holdLeases();
  assert.equal(await second.orderDue(), 0);
});
