/** Upgrade of data from before kinds: nothing is lost, and a kill leaves everything unchanged. */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { captureLog } from "../../../test/support/apps/log.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { kinds } from "../../kinds/index.ts";
import { encodePackets } from "../../kinds/of/icmp/codec.ts";
import { openDatabase } from "../../platform/database-pool.ts";
import { migrate, migrationsFolder, readMigrations } from "../../platform/migrations.ts";
import { addToSketch, createSketch, encodeSketch } from "../../platform/sketch.ts";
import { listResults, readRun } from "../results/result-store.ts";
import { createPartition } from "../results/result-write-store.ts";
import { deriveRunId } from "../results/run-id.ts";
import { summariseChecks } from "./analytics/actions.ts";
import { addPercent } from "./sketch-statistics.ts";
import { dayMs, hourMs } from "./window.ts";

const nowMs = Date.parse("2026-11-15T13:30:00.000Z");
const dayStartMs = Date.parse("2026-11-15T00:00:00.000Z");
const checkId = randomUUIDv7();
const lastOld = "0025";

let url: string;
let drop: () => Promise<void>;
let client: pg.Client;
let oldFolder: string;

const sketchOf = (values: readonly number[], add = addToSketch) => {
  const sketch = createSketch();
  for (const value of values) add(sketch, value);
  return Buffer.from(encodeSketch(sketch));
};

/** One hour of one location, or the sum of the hours of a day. */
async function insertOldRollup(table: string, startsMs: number, location: string, rtts: number[]) {
  await client.query(
    `insert into ${table} (check_id, starts_at, location, runs, retries, packets_sent,
      packets_received, rtt, avg, min, max, std_dev, loss, rtt_sum_ms)
    values ($1, $2, $3, $4, 1, $5, $6, $7, $8, $8, $8, $8, $9, $10)`,
    [
      checkId,
      new Date(startsMs),
      location,
      [0, rtts.length, 0, 0],
      rtts.length + 1,
      rtts.length,
      sketchOf(rtts),
      sketchOf([5]),
      sketchOf([0, 50], addPercent),
      rtts.reduce((sum, rtt) => sum + rtt, 0),
    ],
  );
}

/** As the previous version stored a run with one lost packet of two, to an address, in 0.9 s. */
async function insertOldResult(dueAtMs: number): Promise<void> {
  const location = "eu-west-1";
  const id = deriveRunId({ checkId, dueAtMs, location, attempt: 1 });
  const packets = encodePackets(
    [
      { sequence: 0, sentAtMs: dueAtMs, rttMs: 20, ttl: 64, type: 0, code: 0 },
      { sequence: 1, sentAtMs: dueAtMs + 500, rttMs: null, ttl: null, type: null, code: null },
    ],
    dueAtMs,
  );
  // Flags: an IPv4 address that equals the name, no resolution time, measured.
  const detail = Buffer.from("5e02a0bb0d0002c000020140000100000000000000", "hex");
  await client.query(
    `insert into results (check_id, id, location, probe_id, attempt, is_final, verdict, started_at,
      packets_sent, packets_received, loss_percent, min_ms, avg_ms, max_ms, std_dev_ms, packets,
      detail) values ($1, $2, $3, 'probe', 1, true, 2, $4, 2, 1, 50, 20, 20, 20, 0, $5, $6)`,
    [checkId, id, location, new Date(dueAtMs), packets, detail],
  );
}

before(async () => {
  const database = await createTestDatabase({ isEmpty: true });
  ({ url, drop } = database);
  client = new pg.Client(url);
  await client.connect();
  oldFolder = await mkdtemp(join(tmpdir(), "vedette-upgrade-"));
  for (const name of (await readdir(migrationsFolder)).filter((one) => one < lastOld)) {
    await cp(join(migrationsFolder, name), join(oldFolder, name));
  }
  await migrate({ connectionString: url }, oldFolder);
  const { db, close } = openDatabase({ connectionString: url }, captureLog().log);
  await createPartition(db, dayStartMs);
  await close();
  const accountId = randomUUIDv7();
  await client.query("insert into accounts (id, name, created_at) values ($1, 'Ours', now())", [
    accountId,
  ]);
  await client.query(
    `insert into checks (id, account_id, kind, name, tags, settings, private_settings, status,
      created_at) values ($1, $2, 'ICMP', 'Router', '{}', '{}', '{}', 'passing', now())`,
    [checkId, accountId],
  );
  for (let hour = 0; hour < 13; hour += 1) {
    const startsMs = dayStartMs + hour * hourMs;
    await insertOldRollup("hourly_rollups", startsMs, "eu-west-1", [10, 20]);
    const total = Array.from({ length: hour + 1 }, () => [10, 20]).flat();
    await insertOldRollup("hourly_rollups", startsMs, "", total);
    await client.query("insert into rollup_progress values ('hour', $1)", [new Date(startsMs)]);
  }
  await insertOldRollup("daily_rollups", dayStartMs - dayMs, "eu-west-1", [30]);
  await insertOldRollup("daily_rollups", dayStartMs - dayMs, "", [30]);
  await client.query("insert into rollup_progress values ('day', $1)", [
    new Date(dayStartMs - dayMs),
  ]);
  await client.query("insert into rollup_repairs values ($1, $2)", [checkId, new Date(dayStartMs)]);
  await insertOldResult(nowMs - 600_000);
});
after(async () => {
  await client.end();
  await drop();
  await rm(oldFolder, { recursive: true });
});

const count = async (from: string) =>
  Number((await client.query(`select count(*) from ${from}`)).rows[0]?.count);

test("a migration that is killed half-way changes nothing", async () => {
  const names = (await readMigrations(migrationsFolder))
    .map(({ name }) => name)
    .filter((name) => name >= lastOld);
  for (const name of names) {
    const sql = await readFile(join(migrationsFolder, name), "utf8");
    // Everything is done except for the commit, until the process is killed.
    await writeFile(join(oldFolder, name), `${sql};\nselect pg_sleep(600);`);
    const running = assert.rejects(migrate({ connectionString: url }, oldFolder));
    const sleeping = `pg_stat_activity where datname = current_database()
      and wait_event = 'PgSleep'`;
    await waitUntil("it is nearly done", async () => (await count(sleeping)) === 1);
    await client.query(`select pg_terminate_backend(pid) from ${sleeping}`);
    await running;
    await rm(join(oldFolder, name));
    if (name === names[0]) {
      assert.equal(await count("hourly_rollups where location = ''"), 13);
      assert.equal(await count("daily_rollups where rtt is not null"), 2);
    }
    await cp(join(migrationsFolder, name), join(oldFolder, name));
    assert.deepEqual(await migrate({ connectionString: url }, oldFolder), [name]);
  }
});

test("statistics, marks and single results are complete afterwards", async (t) => {
  assert.equal(await count("hourly_rollups"), 13);
  assert.equal(await count("hourly_running_totals"), 13);
  assert.equal(await count("late_hours"), 1);
  const { db, close } = openDatabase({ connectionString: url }, captureLog().log);
  t.after(close);
  const clock = { now: () => new Date(nowMs), nowMs: () => nowMs };
  const window = { fromMs: dayStartMs - dayMs, toMs: nowMs };
  const [summary] = await summariseChecks({ db, clock }, [checkId], window);
  // A day of one run per hour, thirteen hours of two, and one run that is not rolled up.
  assert.deepEqual(summary?.runs, { unknown: 0, passing: 27, degraded: 1, failing: 0 });
  const [sent, received] = [2 + 13 * 2 + 1 + 2, 1 + 13 * 2 + 1];
  assert.equal(summary.parts.packetLoss?.avg, (100 * (sent - received)) / sent);
  assert.ok(Math.abs((summary.latencyMs.max ?? 0) - 30) <= 0.3);
  const span = { fromMs: dayStartMs, toMs: nowMs, limit: 10, resultType: "ALL" } as const;
  const rows = await listResults(db, checkId, span);
  assert.equal(rows.length, 1);
  const [row] = rows;
  assert.ok(row);
  assert.deepEqual([row.response_ms, row.duration_us, row.probe_id], [20, 900_000, "probe"]);
  const { request, outcome } = readRun(kinds.ICMP, row);
  assert.deepEqual(request, { hostname: "192.0.2.1", ipFamily: "IPv4", pingCount: 2 });
  assert.ok(outcome.kind === "measured");
  const { packets } = outcome.measurement as { packets: readonly { rttMs: number | null }[] };
  assert.deepEqual(
    packets.map(({ rttMs }) => rttMs),
    [20, null],
  );
});
