import { randomUUIDv7 } from "node:crypto";
import type pg from "pg";
import type { Result } from "../../src/contract/result.ts";
import { icmp } from "../../src/kinds/of/icmp/index.ts";
import type { Packet } from "../../src/kinds/of/icmp/measurement.ts";
import { createDatabase } from "../../src/platform/database-pool.ts";
import { addToSketch, encodeSketch, type Sketch } from "../../src/platform/sketch.ts";
import {
  createPartition,
  insertNewResults,
  type JudgedResult,
} from "../../src/runs/results/result-write-store.ts";
import { deriveRunId } from "../../src/runs/results/run-id.ts";
import { addRollup, createRollup, type Rollup } from "../../src/runs/statistics/rollups/rollup.ts";
import { addPart, aggregate } from "../../src/runs/statistics/sketch-statistics.ts";
import { blockMs, dayMs, hourMs } from "../../src/runs/statistics/window.ts";

/** One run per minute, alternating between two locations, with ten packets per run. */
export const locations = ["eu-west-1", "us-east-1"];
const pings = 10;
const minuteMs = 60_000;
/** Number of distinct roll-ups of each unit. Each check and hour uses one of them. */
const variety = 64;
const rollupColumns = "runs, retries, counters, sample_count, sample_sum_ms, samples, parts";

/** Mulberry32, seeded, so that every run of the benchmark has the same history. */
export function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Draws a round-trip time a few percent around a minimum; one in a hundred is delayed by a queue.
 */
function drawRtt(chance: () => number, floorMs: number): number {
  const spread = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
  const queueMs = chance() < 0.01 ? -Math.log(1 - chance()) * floorMs : 0;
  return floorMs * Math.exp(0.12 * spread) + queueMs;
}

function drawRtts(chance: () => number, floorMs: number): (number | null)[] {
  return Array.from({ length: pings }, () => (chance() < 0.003 ? null : drawRtt(chance, floorMs)));
}

function describeRun(rtts: readonly (number | null)[]) {
  const replies = rtts.filter((rtt) => rtt !== null);
  const avgMs = replies.reduce((sum, rtt) => sum + rtt, 0) / replies.length;
  const variance = replies.reduce((sum, rtt) => sum + (rtt - avgMs) ** 2, 0) / replies.length;
  return {
    packetsSent: rtts.length,
    packetsReceived: replies.length,
    packetLossPercent: (100 * (rtts.length - replies.length)) / rtts.length,
    minMs: Math.min(...replies),
    avgMs,
    maxMs: Math.max(...replies),
    stdDevMs: Math.sqrt(variance),
    jitterMs: 0,
    longestLossBurst: 0,
    duplicates: 0,
    reordered: 0,
    lateReplies: 0,
  };
}

/** Draws the roll-up of one check at one location for an hour. */
function drawHour(chance: () => number, floorMs: number): Rollup {
  const rollup = createRollup(icmp);
  for (let run = 0; run < hourMs / minuteMs / locations.length; run += 1) {
    const rtts = drawRtts(chance, floorMs);
    const statistics = describeRun(rtts);
    rollup.passing += 1;
    const { packetsSent, packetsReceived, packetLossPercent } = statistics;
    const { minMs, maxMs, avgMs, stdDevMs } = statistics;
    rollup.counters[0] = (rollup.counters[0] ?? 0) + packetsSent;
    rollup.counters[1] = (rollup.counters[1] ?? 0) + packetsReceived;
    for (const rtt of rtts) if (rtt !== null) addToSketch(rollup.samples, rtt);
    for (const [place, value] of [packetLossPercent, minMs, maxMs, avgMs, stdDevMs].entries()) {
      const part = rollup.parts[place];
      if (part) addPart(part, value, icmp.parts[place]?.unit ?? "milliseconds");
    }
  }
  return rollup;
}

function drawDay(chance: () => number, floorMs: number): Rollup {
  const day = createRollup(icmp);
  for (let hour = 0; hour < 24; hour += 1) addRollup(day, drawHour(chance, floorMs));
  return day;
}

interface Samples {
  /** Roll-ups of each location in sequence; farther locations have higher latencies. */
  readonly placed: readonly Rollup[];
  /** Running totals of each, up to the maximum number. */
  readonly totals: readonly Rollup[];
}

function drawSamples(
  draw: (floorMs: number) => Rollup,
  steps: number,
  chance: () => number,
): Samples {
  const placed: Rollup[] = [];
  const totals: Rollup[] = [];
  for (let sample = 0; sample < variety; sample += 1) {
    const floorMs = 2 + 148 * chance();
    const places = locations.map((_, place) => draw(floorMs * (1 + place)));
    placed.push(...places);
    for (let step = 1; step <= steps; step += 1) {
      const total = createRollup(icmp);
      for (let time = 0; time < step; time += 1) {
        for (const rollup of places) addRollup(total, rollup);
      }
      totals.push(total);
    }
  }
  return { placed, totals };
}

/** Encodes identical hours of a day up to a given one, as the roll-up job writes them. */
function writeHours(total: Rollup, count: number): Uint8Array {
  const bytes = new Uint8Array(28 * count);
  const view = new DataView(bytes.buffer);
  for (let hour = 0; hour < count; hour += 1) {
    const at = 28 * hour;
    view.setInt32(at, hour);
    view.setInt32(at + 4, total.passing / count);
    view.setInt32(at + 16, total.samples.count / count);
    view.setFloat64(at + 20, (aggregate(total.samples, "sum") ?? 0) / count);
  }
  return bytes;
}

const encode = (sketch: Sketch | null) => encodeSketch(sketch ?? { ...emptySketch });
const emptySketch: Sketch = { count: 0, zeroCount: 0, firstIndex: 0, counts: new Float64Array(0) };

async function createSamples(
  pool: pg.Pool,
  table: string,
  list: readonly Rollup[],
  hours: readonly Uint8Array[] = [],
): Promise<void> {
  await pool.query(
    `create table ${table} (number int primary key, runs int[], retries int, counters int[],
      sample_count int, sample_sum_ms float8, samples bytea, parts bytea[], hours bytea)`,
  );
  for (const [number, rollup] of list.entries()) {
    await pool.query(
      `insert into ${table} values ($1, array[0, $2::int, 0, 0], 0, $3, $4, $5, $6, $7, $8)`,
      [
        number,
        rollup.passing,
        rollup.counters,
        rollup.samples.count,
        aggregate(rollup.samples, "sum") ?? 0,
        encodeSketch(rollup.samples),
        rollup.parts.map(encode),
        hours[number] ?? null,
      ],
    );
  }
}

export interface History {
  readonly pool: pg.Pool;
  readonly checkIds: readonly string[];
  readonly nowMs: number;
}

/** Creates checks of one account with only what the statistics need. */
export async function createChecks(pool: pg.Pool, count: number): Promise<string[]> {
  const accountId = randomUUIDv7();
  const checkIds = Array.from({ length: count }, () => randomUUIDv7());
  await pool.query("insert into accounts (id, name, created_at) values ($1, 'Bench', now())", [
    accountId,
  ]);
  await pool.query(
    `insert into checks (id, account_id, kind, name, tags, settings, private_settings, status,
      created_at)
    select id, $2, $3, id::text, '{}', '{}', '{}', 'passing', now()
    from unnest($1::uuid[]) as one (id)`,
    [checkIds, accountId, icmp.type],
  );
  return checkIds;
}

/** Writes closed hours and days in chronological order, as the roll-up job would. */
export async function generateRollups(
  { pool, checkIds, nowMs }: History,
  days: number,
  lastRolledMs: number,
  hourlyDays: number = days,
): Promise<void> {
  const chance = createChance(7);
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const units = [
    { unit: "hour", stepMs: hourMs, totalMs: dayMs, lastMs: lastRolledMs, draw: drawHour },
    { unit: "day", stepMs: dayMs, totalMs: blockMs, lastMs: today - dayMs, draw: drawDay },
  ];
  for (const { unit, stepMs, totalMs, lastMs, draw } of units) {
    const fromMs = today - (unit === "hour" ? hourlyDays : days) * dayMs;
    const steps = totalMs / stepMs;
    const samples = drawSamples((floorMs) => draw(chance, floorMs), steps, chance);
    await createSamples(pool, `${unit}_samples`, samples.placed);
    const hours = samples.totals.map((total, number) => writeHours(total, 1 + (number % steps)));
    await createSamples(pool, `${unit}_totals`, samples.totals, unit === "hour" ? hours : []);
    for (let at = fromMs; at <= lastMs; at += 30 * dayMs) {
      const end = Math.min(lastMs, at + 30 * dayMs - stepMs);
      const values = [at, end, stepMs, checkIds];
      const tables = unit === "hour" ? "hourly" : "daily";
      await pool.query(
        `insert into ${tables}_rollups (check_id, starts_at, location, ${rollupColumns})
          select check_id, to_timestamp(ms / 1000.0), location, ${rollupColumns}
          from generate_series($1::bigint, $2::bigint, $3::bigint) as moment (ms)
          cross join unnest($4::uuid[]) with ordinality as one (check_id, place)
          cross join unnest($5::text[]) with ordinality as two (location, row)
          join ${unit}_samples as sample
            on number = place % ${variety} * ${locations.length} + row - 1
          order by ms`,
        [...values, locations],
      );
      const hoursColumn = unit === "hour" ? ", hours" : "";
      await pool.query(
        `insert into ${tables}_running_totals
          (check_id, starts_at, runs, counters, samples, parts${hoursColumn})
          select check_id, to_timestamp(ms / 1000.0), runs, counters, samples, parts[1:1]
            ${hoursColumn}
          from generate_series($1::bigint, $2::bigint, $3::bigint) as moment (ms)
          cross join unnest($4::uuid[]) with ordinality as one (check_id, place)
          join ${unit}_totals as total
            on number = place % ${variety} * ${steps} + ms / $3::bigint % ${steps}
          order by ms`,
        values,
      );
    }
    await pool.query(
      `insert into rollup_progress select $1, to_timestamp(ms / 1000.0)
        from generate_series($2::bigint, $3::bigint, $4::bigint) as moment (ms)`,
      [unit, fromMs, lastMs, stepMs],
    );
  }
  await pool.query(`vacuum analyze hourly_rollups, daily_rollups, hourly_running_totals,
    daily_running_totals, rollup_progress`);
}

function createResult(
  key: { checkId: string; dueAtMs: number; location: string },
  floorMs: number,
) {
  const chance = createChance((key.dueAtMs % 1_000_003) ^ Math.round(floorMs * 1_000));
  const rtts = drawRtts(chance, floorMs);
  const packets = rtts.map(
    (rttMs, sequence): Packet => ({
      sequence,
      sentAtMs: key.dueAtMs + sequence * 100,
      rttMs,
      ttl: 57,
      type: 0,
      code: 0,
    }),
  );
  const result: Result = {
    ...key,
    kind: "ICMP",
    runId: deriveRunId({ ...key, attempt: 1 }),
    attempt: 1,
    startedAtMs: key.dueAtMs,
    stoppedAtMs: key.dueAtMs + 1_000,
    probeId: "bench",
    request: { hostname: "example.com", ipFamily: "IPv4", pingCount: pings },
    outcome: {
      kind: "measured",
      measurement: {
        resolvedIp: "192.0.2.1",
        dnsMs: 1,
        packetSizeBytes: 64,
        packets,
        statistics: describeRun(rtts),
      },
    },
  };
  return { result, verdict: "passing", reasons: [], isFinal: true } satisfies JudgedResult;
}

/** Writes single results from a given time until now, minute by minute, as a recorder does. */
export async function generateResults(
  { pool, checkIds, nowMs }: History,
  fromMs: number,
  partitionDays: number,
): Promise<number> {
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const db = createDatabase(pool);
  for (let day = 0; day < partitionDays; day += 1) await createPartition(db, today - day * dayMs);
  let count = 0;
  for (let dueAtMs = fromMs; dueAtMs < nowMs; dueAtMs += minuteMs) {
    const location = locations[(dueAtMs / minuteMs) % locations.length] ?? "";
    const batch = checkIds.map((checkId, place) =>
      createResult({ checkId, dueAtMs, location }, 5 + (place % 50)),
    );
    count += (await insertNewResults(db, batch)).size;
  }
  await pool.query("vacuum analyze results");
  return count;
}
