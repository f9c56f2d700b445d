/**
 * Measures a backup beside a server that runs checks: size, duration, and the effect on lateness;
 * then restores it and compares both databases row by row. The history consists of random bytes of
 * realistic length, which compress worse than real results.
 *
 * npm run bench backup -- --checks 10000 --days 30 --per-day 4
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import pg from "pg";
import { startLoad } from "../scale/loads.ts";
import { report, spawnServer, write } from "../support.ts";
import { compareDatabases, fillHistory, measureLateness } from "./history.ts";

const { values } = parseArgs({
  options: {
    checks: { type: "string", default: "10000" },
    days: { type: "string", default: "30" },
    "per-day": { type: "string", default: "4" },
    live: { type: "string", default: "1000" },
  },
});
const key = "bench-key-bench-key-bench-key";
const quietMs = 40_000;
const run = promisify(execFile);
const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));
const folder = mkdtempSync(join(tmpdir(), "vedette-backup-bench-"));
const places = { source: join(folder, "source"), target: join(folder, "target") };
const file = join(folder, "bench.backup");

async function connect(dataDir: string): Promise<pg.Client> {
  const host = join(dataDir, "socket");
  const client = new pg.Client({ host, user: "vedette", database: "vedette" });
  client.on("error", () => {});
  await client.connect();
  return client;
}

function settingsOf(dataDir: string): Record<string, string> {
  return {
    PORT: "0",
    DATA_DIR: dataDir,
    BOOTSTRAP_API_KEY: key,
    EXAMPLE: "false",
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "warn",
    DRAIN_SECONDS: "0",
  };
}

/** Runs a vedette command and returns its duration in seconds. */
async function command(list: readonly string[], dataDir: string): Promise<number> {
  const startedMs = performance.now();
  const env = { ...process.env, ...settingsOf(dataDir) };
  const { stdout } = await run(process.execPath, ["bin/vedette.ts", ...list], { env });
  write(`  ${stdout.split("\n")[0]}`);
  return (performance.now() - startedMs) / 1_000;
}

const load = await startLoad("icmp", 3);
try {
  const product = await spawnServer("bin/vedette.ts", ["server"], settingsOf(places.source));
  for (let index = 0; index < Number(values.live); index += 1) {
    const answer = await fetch(`${product.url}/v1/checks/${load.path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ name: `host ${index}`, frequency: 1, request: load.request(index) }),
    });
    if (answer.status !== 201) throw new Error(await answer.text());
    await answer.arrayBuffer();
  }
  await pause(20_000);
  const source = await connect(places.source);
  const filledMs = performance.now();
  const rows = await fillHistory(source, {
    checks: Number(values.checks),
    days: Number(values.days),
    perDay: Number(values["per-day"]),
  });
  const fillSeconds = (performance.now() - filledMs) / 1_000;
  write(`  ${rows} results of history in ${fillSeconds.toFixed(0)} s`);
  await source.query("checkpoint").catch(() => {});
  const quietFrom = Date.now();
  await pause(quietMs);
  const backupFrom = Date.now();
  const backupSeconds = await command(["backup", file], places.source);
  const backupTo = Date.now();
  await pause(5_000);
  const quiet = await measureLateness(source, quietFrom, backupFrom);
  const beside = await measureLateness(source, backupFrom, backupTo);
  const { rows: sizes } = await source.query(
    "select pg_database_size(current_database())::float8 as size",
  );
  await source.end();
  const fileBytes = statSync(file).size;
  await product.stop();

  // The source is stopped from now on, so that both databases can be compared row by row.
  await command(["backup", file, "--overwrite"], places.source);
  const restoreSeconds = await command(["restore", file], places.target);
  const { tables, different } = await compareDatabases(places);
  const million = rows / 1_000_000;
  report(`${values.days} days of ${values.checks} checks, ${values["per-day"]} runs a day each`, [
    { name: "results of history", value: rows },
    { name: "size of the database", value: Number(sizes[0].size) / 1e6, unit: "MB" },
    { name: "size of the backup", value: fileBytes / 1e6, unit: "MB" },
    { name: "backup ÷ database", value: fileBytes / Number(sizes[0].size), atMost: 0.6 },
    { name: "backup, beside the running server", value: backupSeconds, unit: "s" },
    { name: "backup, per million results", value: backupSeconds / million, unit: "s" },
    { name: "restore", value: restoreSeconds, unit: "s" },
    { name: "restore, per million results", value: restoreSeconds / million, unit: "s" },
    { name: "runs in the quiet time", value: quiet.runs },
    { name: "lateness p99 before", value: quiet.p99, unit: "ms" },
    { name: "runs while the backup was made", value: beside.runs },
    { name: "lateness p99 during the backup", value: beside.p99, unit: "ms", atMost: 250 },
    { name: "lateness max during the backup", value: beside.max, unit: "ms" },
    { name: "tables compared", value: tables },
    { name: "tables that differ", value: different, atMost: 0 },
  ]);
} finally {
  load.stop();
  rmSync(folder, { recursive: true, force: true });
}
