/**
 * Runs the whole product with embedded defaults: N checks per minute for M minutes, either ICMP
 * with 10 pings or requests with five assertions each. Every due run must be recorded, started on
 * time, and pass on loopback.
 *
 * npm run bench scale -- --checks 20000 --minutes 10
 *
 * npm run bench scale -- --kind url --checks 10000 --minutes 10
 * npm run bench scale -- --checks 200000 --data /var/tmp/bench
 * npm run bench scale -- --checks 1000 --minutes 3 --scripts
 *
 * With --scripts, Playwright scripts run at the same time, one on each core, as those of checks do.
 * With --data the folder is kept. If it has checks already, none are created: what is measured then
 * includes a restart with all of them.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { createManyChecks } from "../create/many.ts";
import { startScripts } from "../scripts/beside.ts";
import { report, spawnServer, write } from "../support.ts";
import { type Load, startLoad } from "./loads.ts";
import { listTree, readCpuSeconds, readMemoryMiB } from "./processes.ts";

const { values } = parseArgs({
  options: {
    checks: { type: "string", default: "20000" },
    minutes: { type: "string", default: "10" },
    pings: { type: "string", default: "10" },
    kind: { type: "string", default: "icmp" },
    data: { type: "string" },
    scripts: { type: "boolean", default: false },
  },
});
let checkCount = Number(values.checks);
const minutes = Number(values.minutes);
const key = "bench-key-bench-key-bench-key";
const warmUpMs = 75_000;
const tailMs = 15_000;
const minuteMs = 60_000;

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

function createChecks(url: string, load: Load): Promise<void> {
  const checkType = load.path.toUpperCase();
  return createManyChecks({ url, key }, checkCount, (index) => {
    return { checkType, name: `host ${index}`, frequency: 1, request: load.request(index) };
  });
}

async function query(sql: string, values: readonly string[] = []) {
  const place = { host: join(folder, "socket"), user: "vedette", database: "vedette" };
  const client = new pg.Client(place);
  await client.connect();
  const { rows } = await client.query(sql, [...values]);
  await client.end();
  return rows;
}

const idFloor = (ms: number) => {
  const digits = ms.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
};

const measureSql = `
  with seen as (
    select check_id, verdict, loss_percent,
      extract(epoch from started_at) * 1000
        - ('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint as late_ms
    from results where id >= $1 and id < $2 and is_final)
  select count(*) as runs, count(distinct check_id) as checks,
    count(*) filter (where verdict = 0) as unknown,
    count(*) filter (where verdict in (2, 3) or loss_percent > 0) as wrong,
    percentile_disc(0.5) within group (order by late_ms) as late_p50,
    percentile_disc(0.99) within group (order by late_ms) as late_p99,
    max(late_ms) as late_max
  from seen`;

const scripts = values.scripts ? startScripts() : null;
const load = await startLoad(values.kind, Number(values.pings));
const folder = values.data ?? mkdtempSync(join(tmpdir(), "vedette-scale-"));
const isRestart = existsSync(join(folder, "postgres"));
const product = await spawnServer("bin/vedette.ts", ["server"], {
  PORT: "0",
  DATA_DIR: folder,
  BOOTSTRAP_API_KEY: key,
  EXAMPLE: "false",
  RATE_LIMIT_PER_MINUTE: "0",
  LOG_LEVEL: "warn",
});
try {
  if (isRestart) {
    const [counted] = await query("select count(*) from checks");
    checkCount = Number(counted.count);
    write(`  restarted with ${checkCount} checks; warming up`);
  } else {
    const createStartMs = performance.now();
    await createChecks(product.url, load);
    const createSeconds = (performance.now() - createStartMs) / 1000;
    write(`  ${checkCount} checks created in ${createSeconds.toFixed(0)} s; warming up`);
  }
  await pause(warmUpMs);
  const root = product.child.pid ?? 0;
  const fromMs = Date.now();
  const cpuBefore = readCpuSeconds(listTree(root));
  const memory: number[] = [readMemoryMiB(listTree(root))];
  for (let minute = 1; minute <= minutes; minute += 1) {
    await pause(fromMs + minute * minuteMs - Date.now());
    memory.push(readMemoryMiB(listTree(root)));
    write(`  minute ${minute}: ${memory.at(-1)?.toFixed(0)} MiB`);
  }
  const cpuSeconds = readCpuSeconds(listTree(root)) - cpuBefore;
  await pause(tailMs);
  const toMs = fromMs + minutes * minuteMs;
  const [seen] = await query(measureSql, [idFloor(fromMs), idFloor(toMs)]);
  const cores = cpuSeconds / (minutes * 60);
  const first = memory.slice(1, 3);
  const last = memory.slice(-2);
  const mean = (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0) / list.length;
  report(`${checkCount} ${load.words} for ${minutes} minutes`, [
    { name: "runs due", value: checkCount * minutes },
    { name: "runs missed", value: checkCount * minutes - Number(seen.runs), atMost: 0 },
    { name: "runs without data", value: Number(seen.unknown), atMost: 0 },
    { name: "failed runs", value: Number(seen.wrong), atMost: 0 },
    { name: "lateness p50", value: Number(seen.late_p50), unit: "ms" },
    { name: "lateness p99", value: Number(seen.late_p99), unit: "ms", atMost: load.lateP99Ms },
    { name: "lateness max", value: Number(seen.late_max), unit: "ms" },
    { name: "memory at the end ÷ at the beginning", value: mean(last) / mean(first), atMost: 1.15 },
    { name: "memory at the end, server and database", value: mean(last), unit: "MiB" },
    { name: "CPU, server and database", value: cores, unit: "cores" },
    ...(scripts === null ? [] : [{ name: "scripts beside", value: scripts.count() }]),
    { name: "CPU per 10,000 checks", value: (cores / checkCount) * 10_000, unit: "cores" },
    {
      name: "memory per 10,000 checks",
      value: (mean(last) / checkCount) * 10_000,
      unit: "MiB",
    },
  ]);
} finally {
  await product.stop();
  await scripts?.stop();
  load.stop();
  if (values.data === undefined) rmSync(folder, { recursive: true, force: true });
}
