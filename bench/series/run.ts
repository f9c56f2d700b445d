/**
 * Measures the chart of one check: one day, read from single runs, and thirty days, read from
 * hourly roll-ups. The cost must not grow with the range. The check runs once a minute, alternating
 * between two locations, among 50 others.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Caller } from "../../src/access/accounts/index.ts";
import { mergeCheckSettings } from "../../src/checks/checks/check-settings.ts";
import { icmp } from "../../src/kinds/of/icmp/index.ts";
import { openDatabase } from "../../src/platform/database-pool.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../src/platform/log.ts";
import { migrate } from "../../src/platform/migrations.ts";
import { WatchList } from "../../src/runs/scheduling/watch-list.ts";
import { getCheckSeries } from "../../src/runs/statistics/check-series/actions.ts";
import { toWireSeries } from "../../src/runs/statistics/check-series/routes.ts";
import { dayMs, hourMs } from "../../src/runs/statistics/window.ts";
import {
  createChecks,
  generateResults,
  generateRollups,
  locations,
} from "../analytics/generate.ts";
import { type Figure, median, report, write } from "../support.ts";

const rounds = 200;
const nowMs = Date.parse("2026-11-15T13:05:00.000Z");
const lastRolledMs = nowMs - 5 * 60_000 - 2 * hourMs;
const clock = { now: () => new Date(nowMs), nowMs: () => nowMs };

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
const { db, pool, close } = openDatabase(postgres.connection, log);
try {
  write("Generating 30 days of hours and a day of runs …");
  const checkIds = await createChecks(pool, 51);
  const [checkId = ""] = checkIds;
  const input = { name: "Router", request: { hostname: "192.0.2.1" }, locations, frequency: 1 };
  const settings = mergeCheckSettings(icmp, null, input);
  await pool.query("update checks set settings = $2 where id = $1", [checkId, settings]);
  await generateRollups({ pool, checkIds, nowMs }, 31, lastRolledMs);
  const runs = await generateResults({ pool, checkIds: [checkId], nowMs }, nowMs - dayMs, 31);
  write(`  … ${runs} runs.`);
  const watchList = new WatchList(db, "home", () => true);
  const accountId = (await watchList.find([checkId])).get(checkId)?.accountId ?? "";
  const context = { db, clock, log, watchList };
  const read = async (days: number, isByLocation: boolean) => {
    const range = { fromMs: nowMs - days * dayMs, toMs: nowMs };
    const request = { checkId, ...range, points: 300, isByLocation, metric: null };
    const startedMs = performance.now();
    const found = await getCheckSeries(context, { accountId } as Caller, request);
    const text = JSON.stringify(toWireSeries(found));
    const tookMs = performance.now() - startedMs;
    if (found.series.some(({ total }) => total.samples.count === 0)) throw new Error("no figures");
    return { tookMs, bytes: text.length, slots: found.series[0]?.slots.length ?? 0 };
  };
  const figures: Figure[] = [];
  for (const isByLocation of [false, true]) {
    const day: number[] = [];
    const month: number[] = [];
    for (let round = -20; round < rounds; round += 1) {
      const [short, long] = [await read(1, isByLocation), await read(30, isByLocation)];
      // The first rounds warm up caches and the compiler.
      if (round < 0) continue;
      day.push(short.tookMs);
      month.push(long.tookMs);
    }
    const { bytes, slots } = await read(30, isByLocation);
    const name = isByLocation ? "by location" : "all locations combined";
    figures.push(
      { name: `${name}: a day`, value: median(day), unit: "ms" },
      { name: `${name}: 30 days`, value: median(month), unit: "ms" },
      { name: `${name}: 30 days ÷ a day`, value: median(month) / median(day), atMost: 1.5 },
      { name: `${name}: an answer of ${slots} slots`, value: bytes / 1_000, unit: "kB" },
    );
  }
  report(`The chart of one check, median of ${rounds}`, figures);
} finally {
  await close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
