/**
 * Measures the statistics of 200 checks at once, as a dashboard requests them: P95 and P99 over a
 * day and over thirty days, with thirty days of history and with ten times as much. `--plans` shows
 * the query plans. The limit is the time to read the same rows by plain index scans. The time is
 * the worst of an hour, when the last hour is not rolled up yet.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { icmp } from "../../src/kinds/of/icmp/index.ts";
import { clientOptions, createDatabase, openDatabase } from "../../src/platform/database-pool.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../src/platform/log.ts";
import { migrate } from "../../src/platform/migrations.ts";
import { sumRunsText, sumRunsValues } from "../../src/runs/results/run-sum-store.ts";
import { summariseChecks, toMarks } from "../../src/runs/statistics/analytics/actions.ts";
import {
  findRolledTimes,
  sumTotalsText,
  sumTotalsValues,
} from "../../src/runs/statistics/analytics/analytics-store.ts";
import {
  alignWindow,
  dayMs,
  hourMs,
  planPieces,
  type Span,
} from "../../src/runs/statistics/window.ts";
import { type Figure, median, report, write } from "../support.ts";
import { createChecks, generateResults, generateRollups, type History } from "./generate.ts";
import { scanSameRows } from "./scan.ts";

const checkCount = 200;
const rounds = 20;
const baseDays = 30;
const rawDays = 30;
/** Five minutes past the hour, in the afternoon, so that the day is half over. */
const nowMs = Date.parse("2026-11-15T13:05:00.000Z");
const lastRolledMs = nowMs - 5 * 60_000 - 2 * hourMs;
const clock = { now: () => new Date(nowMs), nowMs: () => nowMs };
const windows: Readonly<Record<string, Span>> = {
  "24 hours": { fromMs: nowMs - dayMs, toMs: nowMs },
  "30 days": { fromMs: nowMs - 30 * dayMs, toMs: nowMs },
};

async function measure({ pool, checkIds }: History, window: Span): Promise<number> {
  const startedMs = performance.now();
  const summaries = await summariseChecks({ db: createDatabase(pool), clock }, checkIds, window);
  const tookMs = performance.now() - startedMs;
  const isWhole = summaries.every(({ latencyMs }) => latencyMs.p95 !== null && latencyMs.p99);
  if (summaries.length !== checkCount || !isWhole) throw new Error("a check has no figures");
  return tookMs;
}

interface Times {
  readonly oneMs: number;
  readonly tenMs: number;
  readonly scanMs: number;
}

/**
 * Alternates between short history, long history and the scan, so that noise affects all equally.
 */
async function measureAll(one: History, ten: History, window: Span): Promise<Times> {
  const times: [number[], number[], number[]] = [[], [], []];
  for (let round = -5; round < rounds; round += 1) {
    const took = [
      await measure(one, window),
      await measure(ten, window),
      await scanSameRows(one, window),
    ] as const;
    // The first rounds warm up caches and the compiler.
    if (round < 0) continue;
    for (const [at, ms] of took.entries()) times[at]?.push(ms);
  }
  return { oneMs: median(times[0]), tenMs: median(times[1]), scanMs: median(times[2]) };
}

async function explain(pool: pg.Pool, title: string, text: string, values: unknown[]) {
  const { rows } = await pool.query<{ "QUERY PLAN": string }>(
    `explain (analyze, buffers, costs off) ${text}`,
    values,
  );
  write(`\n${title}\n${rows.map((row) => `  ${row["QUERY PLAN"]}`).join("\n")}`);
}

async function showPlans({ pool, checkIds }: History, days: number): Promise<void> {
  for (const [name, window] of Object.entries(windows)) {
    const aligned = alignWindow(window, nowMs);
    const pieces = planPieces(aligned, await findRolledTimes(createDatabase(pool), aligned, "day"));
    const values = sumTotalsValues(checkIds, toMarks(pieces));
    await explain(pool, `roll-ups, ${name} of ${days} days`, sumTotalsText, values);
    for (const span of pieces.raw) {
      const bounds = sumRunsValues(checkIds, icmp.figureBytes, span);
      await explain(pool, `results, ${name} of ${days} days`, sumRunsText, bounds);
    }
  }
}

interface Fixture {
  readonly history: History;
  readonly stop: () => Promise<void>;
}

/** Creates a separate database for each length of history. */
async function createFixture(days: number): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-bench-"));
  const log = createLog("silent");
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, "data"),
    log,
    onRestart: () => {},
    onAbandoned: (error) => {
      throw error;
    },
  });
  await migrate(postgres.connection);
  write(`Generating ${days} days of history of ${checkCount} checks …`);
  // A separate pool, because the product's statement timeout is too short for this.
  const generating = new pg.Pool(clientOptions(postgres.connection));
  const checkIds = await createChecks(generating, checkCount);
  const wanted = { pool: generating, checkIds, nowMs };
  await generateRollups(wanted, days, lastRolledMs);
  // A whole day of results: with few, the database would use a sequential scan.
  const results = await generateResults(wanted, Math.floor(nowMs / dayMs) * dayMs, rawDays);
  await generating.end();
  write(`  … and ${results} single results of today, the last hour of which is not rolled up.`);
  const database = openDatabase(postgres.connection, log);
  const stop = async () => {
    await database.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { history: { pool: database.pool, checkIds, nowMs }, stop };
}

const short = await createFixture(baseDays);
const long = await createFixture(10 * baseDays);
try {
  const figures: Figure[] = [];
  for (const [name, window] of Object.entries(windows)) {
    const { oneMs, tenMs, scanMs } = await measureAll(short.history, long.history, window);
    figures.push(
      { name: `${name}: plain index scans of the same rows`, value: scanMs, unit: "ms" },
      { name: `${name}: figures ÷ plain scans`, value: oneMs / scanMs, atMost: 3 },
      { name: `${name}: ten times the history ÷ one time`, value: tenMs / oneMs, atMost: 1.5 },
    );
  }
  if (process.argv.includes("--plans")) {
    await showPlans(short.history, baseDays);
    await showPlans(long.history, 10 * baseDays);
  }
  report(`P95 and P99 of ${checkCount} checks at once, median of ${rounds}`, figures);
} finally {
  await long.stop();
  await short.stop();
}
