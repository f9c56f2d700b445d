import { randomUUIDv7 } from "node:crypto";
import { chooseLocations, planSchedule, runNumberOf } from "../../src/runs/scheduling/schedule.ts";
import { shardCount } from "../../src/runs/scheduling/schedule-store.ts";
import { shardOf } from "../../src/runs/scheduling/shards.ts";
import type { Workload } from "./model.ts";

/** Unevenness of the real schedule, shards and choice of locations. */
export interface Evenness {
  readonly busiestSecond: number;
  readonly busiestTenth: number;
  readonly fullestShard: number;
  readonly busiestLocation: number;
}

/** Returns the maximum divided by the mean. */
function peak(counts: ArrayLike<number>): number {
  let sum = 0;
  let largest = 0;
  for (let at = 0; at < counts.length; at += 1) {
    sum += counts[at] ?? 0;
    largest = Math.max(largest, counts[at] ?? 0);
  }
  return (largest * counts.length) / sum;
}

/** Simulates one period of every check with the product's functions. */
export function simulatePeriod(load: Workload, startMs: number): Evenness {
  const seconds = new Uint32Array(load.periodSeconds);
  const tenths = new Uint32Array(load.periodSeconds * 10);
  const shards = new Uint32Array(shardCount);
  const names = Array.from({ length: load.locations }, (_, at) => String(at));
  const places = new Uint32Array(load.locations);
  const isParallel = load.locationsPerRun > 1;
  for (let number = 0; number < load.checks; number += 1) {
    const checkId = randomUUIDv7();
    const rarely = load.periodSeconds % 60 === 0;
    const plan = planSchedule({
      checkId,
      frequencyMinutes: rarely ? load.periodSeconds / 60 : 0,
      frequencyOffset: rarely ? null : load.periodSeconds,
    });
    const runNumber = runNumberOf(plan, startMs + plan.periodMs);
    const locations = isParallel ? names.slice(0, load.locationsPerRun) : names;
    const choice = { checkId, runNumber, locations, runParallel: isParallel };
    for (const place of chooseLocations(choice)) {
      const at = Number(place);
      places[at] = (places[at] ?? 0) + 1;
      const second = Math.floor(plan.splayMs / 1_000);
      seconds[second] = (seconds[second] ?? 0) + 1;
      const tenth = Math.floor(plan.splayMs / 100);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    const shard = shardOf(checkId);
    shards[shard] = (shards[shard] ?? 0) + 1;
  }
  return {
    busiestSecond: peak(seconds),
    busiestTenth: peak(tenths),
    fullestShard: peak(shards),
    busiestLocation: peak(places.subarray(0, isParallel ? load.locationsPerRun : load.locations)),
  };
}
