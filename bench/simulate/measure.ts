/**
 * Measures the cost of one order, one result, one check-hour and one message with the product's
 * code.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Order } from "../../src/contract/order.ts";
import type { Result } from "../../src/contract/result.ts";
import type { Bus } from "../../src/platform/bus.ts";
import { recordBatchSize, recordResults } from "../../src/runs/recording/recorder.ts";
import { createOrder } from "../../src/runs/scheduling/orders.ts";
import { chooseLocations, nextDueAtMs, runNumberOf } from "../../src/runs/scheduling/schedule.ts";
import { Scheduler } from "../../src/runs/scheduling/scheduler.ts";
import type { Watched } from "../../src/runs/scheduling/watch-list.ts";
import { rollUpClosedHours } from "../../src/runs/statistics/rollups/rollup-builder.ts";
import { answerOrder, measure } from "../../test/support/modules/runs.ts";
import type { Fixture, SimulatedContext } from "./fixture.ts";

const hourMs = 3_600_000;

interface Spent {
  readonly wallUs: number;
  readonly serverUs: number;
  readonly databaseUs: number;
  readonly walBytes: number;
}

/** Measures the cost of `count` items. */
async function spend(fixture: Fixture, count: number, work: () => Promise<void>): Promise<Spent> {
  const wal = "select pg_current_wal_lsn() - '0/0'::pg_lsn";
  const walBefore = await fixture.readNumber(wal);
  const databaseBefore = fixture.readDatabaseCpuSeconds();
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  await work();
  const wallUs = (performance.now() - startedMs) * 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const databaseUs = (fixture.readDatabaseCpuSeconds() - databaseBefore) * 1e6;
  const walBytes = (await fixture.readNumber(wal)) - walBefore;
  return {
    wallUs: wallUs / count,
    serverUs: (user + system) / count,
    databaseUs: databaseUs / count,
    walBytes: walBytes / count,
  };
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function readHeapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A bus that accepts every order immediately; its own cost is measured separately. */
function createSink({ load }: SimulatedContext): Bus & { readonly taken: () => number } {
  let taken = 0;
  const refuse = () => {
    throw new Error("nobody takes orders from here");
  };
  return {
    isDurable: true,
    publish: async (_subject, messages) => {
      taken += messages.length;
      // Recorded immediately, so that there is always capacity for more.
      const results = messages.map((order) => answerOrder(order as Order, measure()));
      load.close(results, results[0]?.stoppedAtMs ?? 0);
    },
    consume: refuse,
    consumeEach: refuse,
    depth: async () => 0,
    volatileDepth: () => 0,
    taken: () => taken,
  };
}

/** Publishes a period of orders, second by second, signed like orders that leave the process. */
export async function measureScheduler(fixture: Fixture, checks: number, fromMs: number) {
  fixture.setTime(fromMs);
  const sink = createSink(fixture.context);
  const before = readHeapBytes();
  const scheduler = new Scheduler({ ...fixture.context, bus: sink }, "bench");
  await scheduler.holdLeases();
  const bytesPerCheck = (readHeapBytes() - before) / scheduler.size;
  if (scheduler.size < checks) throw new Error(`only ${scheduler.size} checks were read`);
  const cpuBefore = process.cpuUsage();
  for (let second = 1; second <= 60; second += 1) {
    fixture.setTime(fromMs + second * 1_000);
    await scheduler.orderDue();
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  await scheduler.abandonLeases();
  return { orders: sink.taken(), serverUs: (user + system) / sink.taken(), bytesPerCheck };
}

/** Realistic measurements: all values differ, with microsecond resolution. */
export function answer(order: Order): Result {
  const measured = measure(0, 10, order.dueAtMs);
  const packets = measured.measurement.packets.map((packet) => ({
    ...packet,
    rttMs: Math.round(5_000 + 20_000 * Math.random()) / 1_000,
  }));
  return answerOrder(order, { ...measured, measurement: { ...measured.measurement, packets } });
}

function orderHour(checks: readonly Watched[], hourStartMs: number): Order[] {
  const orders = checks.flatMap((watched) => {
    const { checkId, plan, places, settings } = watched;
    const list: Order[] = [];
    let dueAtMs = nextDueAtMs(plan, hourStartMs - 1);
    for (; dueAtMs < hourStartMs + hourMs; dueAtMs += plan.periodMs) {
      const runNumber = runNumberOf(plan, dueAtMs);
      const { runParallel } = settings;
      const choice = { checkId, runNumber, locations: places, runParallel };
      for (const location of chooseLocations(choice)) {
        list.push(createOrder(watched, { location, dueAtMs, attempt: 1, startAtMs: dueAtMs }));
      }
    }
    return list;
  });
  return orders.sort((one, other) => one.dueAtMs - other.dueAtMs);
}

const sizeOf = (pattern: string) =>
  `select sum(pg_total_relation_size(oid)) from pg_class where relkind = 'r' and relname ~ '${pattern}'`;
const resultsBytes = sizeOf("^results_");
const rollupBytes = sizeOf("^hourly_");

/**
 * Records a whole hour of some checks in batches and rolls it up. The empty hours before are rolled
 * up beforehand.
 */
export async function measureHour(
  fixture: Fixture,
  checkIds: readonly string[],
  hourStartMs: number,
) {
  const { context } = fixture;
  fixture.setTime(hourStartMs + 400_000);
  await rollUpClosedHours(context);
  const watched = [...(await context.watchList.find(checkIds)).values()];
  const results = orderHour(watched, hourStartMs).map(answer);
  const keptBefore = await fixture.readNumber(resultsBytes);
  const recording = await spend(fixture, results.length, async () => {
    for (let from = 0; from < results.length; from += recordBatchSize) {
      const batch = results.slice(from, from + recordBatchSize);
      fixture.setTime((batch.at(-1)?.dueAtMs ?? hourStartMs) + 5_000);
      await recordResults(context, batch);
    }
  });
  const recorded = await fixture.readNumber("select count(*) from results");
  if (recorded !== results.length) throw new Error(`${recorded} of ${results.length} recorded`);
  const kept = ((await fixture.readNumber(resultsBytes)) - keptBefore) / results.length;
  fixture.setTime(hourStartMs + hourMs + 400_000);
  const rolledBefore = await fixture.readNumber(rollupBytes);
  const rolling = await spend(fixture, checkIds.length, async () => {
    const done = await rollUpClosedHours(context);
    if (done?.hours !== 1) throw new Error(`${done?.hours} hours were rolled up, not one`);
  });
  const rolled = ((await fixture.readNumber(rollupBytes)) - rolledBefore) / checkIds.length;
  return { results: results.length, recording, keptBytes: kept, rolling, rolledBytes: rolled };
}
