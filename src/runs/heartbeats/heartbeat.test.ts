/** The rules by table, and against a model that checks every second. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  createHeartbeat,
  findDueMs,
  followSettings,
  type Heartbeat,
  judgeMisses,
  leastGraceMs,
  maxStarts,
  type Ping,
  type PingSchedule,
  takePing,
} from "./heartbeat.ts";

const sender = { method: "GET", address: "192.0.2.7", userAgent: "", body: "", bodyBytes: 0 };
const pingOf = (signal: Ping["signal"], runId = ""): Ping => {
  return { signal, exitCode: null, runId, sender };
};

function every(periodMs: number, graceMs: number, isActive = true): PingSchedule {
  return {
    key: `${periodMs} ${graceMs}`,
    isActive,
    graceMs,
    earlyMs: Math.min(Math.max(graceMs, 60_000), periodMs / 2),
    expectAfterPing: (pingMs) => pingMs + periodMs,
    expectAfterMiss: (missedMs, afterMs) => {
      let next = missedMs + periodMs;
      while (next <= afterMs) next += periodMs;
      return next;
    },
  };
}

const startMs = Date.parse("2026-11-16T00:00:00Z");
const at = (seconds: number, resumedSeconds = -1_000_000) => ({
  nowMs: startMs + seconds * 1_000,
  resumedMs: startMs + resumedSeconds * 1_000,
});

test("nothing is expected before the first ping", () => {
  const schedule = every(60_000, 0);
  const fresh = createHeartbeat(schedule);
  assert.equal(findDueMs(fresh, schedule, at(0)), null);
  assert.deepEqual(judgeMisses(fresh, schedule, at(1e6)).events, []);
});

test("a ping expected during an outage has its grace period from the end of the outage", () => {
  const schedule = every(60_000, 90_000);
  const { heartbeat } = takePing(createHeartbeat(schedule), pingOf("success"), schedule, at(0));
  // Expected at 60, missing at 150; pings were accepted again from 140.
  assert.deepEqual(judgeMisses(heartbeat, schedule, at(150, 140)).events, []);
  assert.deepEqual(judgeMisses(heartbeat, schedule, at(229, 140)).events, []);
  const [missed] = judgeMisses(heartbeat, schedule, at(230, 140)).events;
  assert.deepEqual([missed?.atMs, missed?.event.resumedMs], [startMs + 230_000, startMs + 140_000]);
  // Without a grace period it is one minute; an outage before the expected time does not count.
  const strict = every(60_000, 0);
  const second = takePing(createHeartbeat(strict), pingOf("success"), strict, at(0)).heartbeat;
  assert.equal(judgeMisses(second, strict, at(139, 80)).events.length, 0);
  assert.equal(judgeMisses(second, strict, at(140, 80)).events.length, 1);
  assert.equal(judgeMisses(second, strict, at(60, 59)).events.length, 1);
});

test("several pings missed between two judgements count once, and the next is in the future", () => {
  const schedule = every(60_000, 30_000);
  const { heartbeat } = takePing(createHeartbeat(schedule), pingOf("success"), schedule, at(0));
  const late = judgeMisses(heartbeat, schedule, at(1_000));
  assert.equal(late.events.length, 1);
  assert.ok((late.heartbeat.expectedMs ?? 0) + 30_000 > startMs + 1_000_000);
  assert.equal(judgeMisses(late.heartbeat, schedule, at(1_000)).events.length, 0);
});

test("a ping after its deadline records the miss first, even without a judgement in between", () => {
  const schedule = every(60_000, 30_000);
  const { heartbeat } = takePing(createHeartbeat(schedule), pingOf("success"), schedule, at(0));
  const { events } = takePing(heartbeat, pingOf("success"), schedule, at(91));
  assert.deepEqual(
    events.map(({ event, atMs }) => [event.state, atMs - startMs]),
    [
      ["FAILING", 90_000],
      ["LATE", 91_000],
    ],
  );
});

test("events of one check are never at the same millisecond", () => {
  const schedule = every(60_000, 0);
  let heartbeat = createHeartbeat(schedule);
  const times = new Set<number>();
  for (let count = 0; count < 100; count += 1) {
    const taken = takePing(heartbeat, pingOf("success"), schedule, at(0));
    heartbeat = taken.heartbeat;
    for (const { atMs } of taken.events) times.add(atMs);
  }
  assert.equal(times.size, 100);
});

test("starts are bounded; the oldest is dropped", () => {
  const schedule = every(3_600_000, 60_000);
  let heartbeat = createHeartbeat(schedule);
  for (let run = 0; run < maxStarts + 5; run += 1) {
    heartbeat = takePing(heartbeat, pingOf("start", `${run}`), schedule, at(run)).heartbeat;
  }
  assert.deepEqual([heartbeat.starts.length, heartbeat.starts[0]?.runId], [maxStarts, "5"]);
  const { events } = judgeMisses(heartbeat, schedule, at(10_000));
  assert.equal(events.length, maxStarts);
});

test("a reactivated check waits for a first ping", () => {
  const on = every(60_000, 0);
  const off = every(60_000, 0, false);
  const { heartbeat } = takePing(createHeartbeat(on), pingOf("success"), on, at(0));
  const asleep = judgeMisses(heartbeat, off, at(1_000));
  assert.deepEqual(asleep.events, []);
  const awake = judgeMisses(asleep.heartbeat, on, at(2_000));
  assert.deepEqual([awake.events.length, awake.heartbeat.expectedMs], [0, null]);
  assert.equal(followSettings(awake.heartbeat, on, at(2_000)), awake.heartbeat);
});

/** A model that checks every second whether a ping is missing, without deadlines. */
function imagine(
  pings: ReadonlySet<number>,
  { period, grace, until }: { period: number; grace: number; until: number },
): string[] {
  const seen: string[] = [];
  const early = Math.min(Math.max(grace, 60), period / 2);
  let expected: number | null = null;
  let missed = false;
  for (let now = 0; now <= until; now += 1) {
    if (expected !== null && now >= expected + grace) {
      // A ping in the same millisecond as a miss is moved by one millisecond, which this model does
      // not do.
      fc.pre(!pings.has(now));
      seen.push(`${now} FAILING`);
      missed = true;
      expected += period;
    }
    if (!pings.has(now)) continue;
    if (expected === null) seen.push(`${now} RECEIVED`);
    else if (missed) seen.push(`${now} LATE`);
    else if (now < expected - early) seen.push(`${now} EARLY`);
    else seen.push(`${now} ${now <= expected ? "RECEIVED" : "GRACE"}`);
    expected = now + period;
    missed = false;
  }
  return seen;
}

test("the misses do not depend on how often they are judged", () => {
  const until = 2_000;
  const seconds = (max: number) => fc.integer({ min: 0, max });
  const cases = fc.record({
    period: fc.integer({ min: 30, max: 400 }),
    grace: seconds(200),
    pings: fc.uniqueArray(seconds(until), { maxLength: 25 }),
    looks: fc.uniqueArray(seconds(until), { maxLength: 60 }),
  });
  fc.assert(
    fc.property(cases, ({ period, grace, pings, looks }) => {
      const schedule = every(period * 1_000, grace * 1_000);
      const pinged = new Set(pings);
      // Judged at least once per period; otherwise several misses would count once.
      const regular = Array.from({ length: until / 25 + 1 }, (_, place) => place * 25);
      const moments = [...new Set([...pings, ...looks, ...regular])].sort((a, b) => a - b);
      let heartbeat: Heartbeat = createHeartbeat(schedule);
      const seen: string[] = [];
      for (const now of moments) {
        const judged = pinged.has(now)
          ? takePing(heartbeat, pingOf("success"), schedule, at(now))
          : judgeMisses(heartbeat, schedule, at(now));
        heartbeat = judged.heartbeat;
        for (const { atMs, event } of judged.events) {
          seen.push(`${Math.floor((atMs - startMs) / 1_000)} ${event.state}`);
        }
        const dueMs = findDueMs(heartbeat, schedule, at(now));
        assert.ok(dueMs === null || dueMs > at(now).nowMs);
      }
      assert.deepEqual(seen, imagine(pinged, { period, grace, until }));
    }),
  );
  assert.equal(leastGraceMs, 60_000);
});
