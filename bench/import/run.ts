/**
 * Measures what importing 2,000 monitors of Uptime Kuma with their history costs compared with
 * inserting the same checks and statistics all at once.
 *
 * npm run bench import -- --monitors 2000 --hours 720 --days 180
 */
import { mkdtempSync, openAsBlob, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import pg from "pg";
import { writeKumaDatabase } from "../../test/support/imports/kuma-database.ts";
import { report, spawnServer, write } from "../support.ts";

const { values } = parseArgs({
  options: {
    monitors: { type: "string", default: "2000" },
    hours: { type: "string", default: "720" },
    days: { type: "string", default: "180" },
  },
});
const [monitors, hours, days] = [values.monitors, values.hours, values.days].map(Number) as [
  number,
  number,
  number,
];
const key = "bench-key-bench-key-bench-key";
/**
 * Upload, report and run ÷ bare inserts. It was 36.8 (run 166 s) while each hour was summed from
 * the start of its day, and is 5.0 since running totals are computed in memory.
 */
const maxRatio = 10;

/** As Uptime Kuma 2 keeps it: hours of a month, days of half a year, and the changes of state. */
function writeInstallation(path: string): void {
  writeKumaDatabase(path, 2, {
    monitor: Array.from({ length: monitors }, (_, index) => {
      const id = index + 1;
      const http = { type: "http", url: `https://site-${id}.example.com/` };
      const ping = { type: "ping", hostname: `10.${id >> 16}.${(id >> 8) & 255}.${id & 255}` };
      return { id, name: `Monitor ${id}`, interval: 60, ...(id % 2 === 0 ? http : ping) };
    }),
  });
  const db = new DatabaseSync(path);
  const now = Math.floor(Date.now() / 86_400_000) * 86_400;
  const fill = (table: string, step: number, count: number) =>
    db.exec(`with recursive slot (n) as (select 1 union all select n + 1 from slot where n < ${count})
      insert into ${table} (monitor_id, timestamp, ping, ping_min, ping_max, up, down)
      select m.id, ${now} - n * ${step}, 20 + n % 7, 10, 90, ${step / 60} - 1, 1
      from monitor m, slot`);
  db.exec("begin");
  fill("stat_hourly", 3_600, hours);
  fill("stat_daily", 86_400, days);
  db.exec(`insert into heartbeat (important, monitor_id, status, time)
    select 1, m.id, s.status, datetime(${now} - 864000 + s.status * 600, 'unixepoch')
    from monitor m, (select 0 as status union all select 1) s`);
  db.exec("commit");
  db.close();
}

async function call(url: string, path: string, body: Blob | object) {
  const isFile = body instanceof Blob;
  const type = isFile ? "application/octet-stream" : "application/json";
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": type },
    body: isFile ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Without generated columns, which cannot be inserted. */
async function listColumns(client: pg.Client, table: string): Promise<string> {
  const text = `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;
  return (await client.query(text, [table])).rows[0].columns;
}

/** Inserts the rows of a table again, into a table with the same columns and indexes. */
async function copyTable(client: pg.Client, table: string): Promise<number> {
  await client.query(`create table bench_${table} (like ${table} including all)`);
  const columns = await listColumns(client, table);
  const text = `insert into bench_${table} (${columns}) select ${columns} from ${table}`;
  const ms = await measure(() => client.query(text));
  await client.query(`drop table bench_${table}`);
  return ms;
}

const folder = mkdtempSync(join(tmpdir(), "vedette-import-bench-"));
const product = await spawnServer("bin/vedette.ts", ["server"], {
  PORT: "0",
  DATA_DIR: folder,
  BOOTSTRAP_API_KEY: key,
  EXAMPLE: "false",
  BUILT_IN_PROBE: "false",
  RATE_LIMIT_PER_MINUTE: "0",
  LOG_LEVEL: "warn",
});
const client = new pg.Client({
  host: join(folder, "socket"),
  user: "vedette",
  database: "vedette",
});
try {
  const path = join(folder, "kuma.db");
  writeInstallation(path);
  write(`  ${monitors} monitors, ${statSync(path).size / 1_048_576} MiB`);
  let id = "";
  const previewMs = await measure(async () => {
    const query = "source=uptime-kuma&fileName=kuma.db";
    ({ id } = await call(product.url, `/v1/imports/preview?${query}`, await openAsBlob(path)));
  });
  write(`  report ${previewMs.toFixed(0)} ms`);
  const runMs = await measure(async () => {
    const { outcome } = await call(product.url, `/v1/imports/${id}/run`, {});
    if (outcome.created !== monitors) throw new Error(JSON.stringify(outcome));
  });
  write(`  run ${runMs.toFixed(0)} ms`);
  await client.connect();
  const checksMs = await copyTable(client, "checks");
  const hoursMs = await copyTable(client, "hourly_rollups");
  const daysMs = await copyTable(client, "daily_rollups");
  const bareMs = checksMs + hoursMs + daysMs;
  report(`Importing ${monitors} monitors of Uptime Kuma`, [
    { name: "report", value: previewMs, unit: "ms" },
    { name: "run", value: runMs, unit: "ms" },
    { name: "the same checks inserted at once", value: checksMs, unit: "ms" },
    { name: "the same checks and statistics inserted at once", value: bareMs, unit: "ms" },
    {
      name: "report and run ÷ checks and statistics inserted at once",
      value: (previewMs + runMs) / bareMs,
      atMost: maxRatio,
    },
  ]);
} finally {
  await client.end().catch(() => {});
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
}
