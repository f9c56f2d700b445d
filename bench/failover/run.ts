/**
 * Measures fail-over: two servers on one PostgreSQL share checks that run every ten seconds; one is
 * killed with `kill -9`, and at the same time some targets go down. Reports the longest gap of any
 * check, and whether the alerts are on time.
 *
 * npm run bench failover -- --checks 1000 --targets 40
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../src/platform/log.ts";
import { report, type Spawned, spawnServer, write } from "../support.ts";

const { values } = parseArgs({
  options: {
    checks: { type: "string", default: "1000" },
    targets: { type: "string", default: "40" },
    seconds: { type: "string", default: "45" },
  },
});
const checkCount = Number(values.checks);
const targetCount = Number(values.targets);
const watchedMs = Number(values.seconds) * 1_000;
const key = "bench-key-bench-key-bench-key";
const periodSeconds = 10;
/** The shards of a dead server are taken over within this time. */
const takeoverSeconds = 10;
/** Tolerance for the start of a run and the delivery of an alert on a busy machine. */
const slackSeconds = 3;

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));
const folder = mkdtempSync(join(tmpdir(), "vedette-failover-"));
const postgres = await startEmbeddedPostgres({
  dataDir: join(folder, "database"),
  log: createLog("warn"),
  onRestart: () => {},
  onAbandoned: () => {},
});
const { host, user, database } = postgres.connection;
const databaseUrl = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;
const pool = new pg.Pool({ ...postgres.connection, max: 2 });
// Its connections may end after the pool, together with the database.
pool.on("error", () => {});
const encryptionKey = randomBytes(32).toString("base64");

function startOne(name: string): Promise<Spawned> {
  return spawnServer("bin/vedette.ts", ["server"], {
    PORT: "0",
    DATA_DIR: join(folder, name),
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY: encryptionKey,
    BOOTSTRAP_API_KEY: key,
    OUTBOUND_ALLOW_PRIVATE: "true",
    RATE_LIMIT_PER_MINUTE: "0",
    EXAMPLE: "false",
    LOG_LEVEL: "warn",
  });
}

async function post<Answer>(url: string, path: string, body: unknown): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return (await answer.json()) as Answer;
}

const listen = (server: net.Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );

const target = net.createServer((socket) => socket.destroy());
const targetPort = await listen(target);
/** Arrival time of the alert of each check, by idempotency key. */
const alerts = new Map<string, { atMs: number; count: number }>();
const receiver = http.createServer((request, response) => {
  const alertKey = String(request.headers["idempotency-key"]);
  const known = alerts.get(alertKey);
  alerts.set(alertKey, { atMs: known?.atMs ?? Date.now(), count: (known?.count ?? 0) + 1 });
  request.resume().on("end", () => response.end("ok"));
});
const receiverPort = await listen(receiver);

async function createChecks(url: string): Promise<void> {
  const schedule = { frequency: 0, frequencyOffset: periodSeconds };
  for (let index = 0; index < checkCount; index += 1) {
    const request = { hostname: `127.0.${index >> 8}.${index & 255 || 1}`, pingCount: 1 };
    await post(url, "/v1/checks/icmp", { name: `host ${index}`, ...schedule, request });
  }
  const config = { name: "Hook", url: `http://127.0.0.1:${receiverPort}`, method: "POST" };
  const channel = { type: "WEBHOOK", config, sendFailure: true, digest: false };
  const { id } = await post<{ id: number }>(url, "/v1/alert-channels", channel);
  const alertChannelSubscriptions = [{ alertChannelId: id, activated: true }];
  for (let index = 0; index < targetCount; index += 1) {
    const request = { hostname: "127.0.0.1", port: targetPort, ipFamily: "IPv4" };
    const body = { name: `target ${index}`, ...schedule, request, alertChannelSubscriptions };
    await post(url, "/v1/checks/tcp", body);
  }
}

async function countShards(): Promise<number[]> {
  const { rows } = await pool.query(
    `select count(*)::int as count from schedule_leases
      where holder <> '' and expires_at > now() group by holder order by 1`,
  );
  return rows.map(({ count }) => count);
}

async function waitFor(what: string, isTrue: () => Promise<boolean>): Promise<number> {
  const beganMs = Date.now();
  while (!(await isTrue())) {
    if (Date.now() - beganMs > 60_000) throw new Error(`${what}: not within a minute`);
    await pause(50);
  }
  return (Date.now() - beganMs) / 1_000;
}

/** Returns the longest interval between two measured runs of any check after a given time. */
async function readGaps(from: Date): Promise<{ longest: number; checks: number }> {
  const { rows } = await pool.query(
    `select max(gap)::float8 as longest, count(distinct check_id)::int as checks from (
        select check_id, extract(epoch from started_at - lag(started_at)
          over (partition by check_id order by started_at)) as gap
        from results where verdict <> 0 and attempt = 1 and started_at >= $1) as one`,
    [from],
  );
  return rows[0];
}

async function run(): Promise<void> {
  const first = await startOne("first");
  const second = await startOne("second");
  write(`  two servers, ${checkCount + targetCount} checks every ${periodSeconds} s`);
  await createChecks(first.url);
  const evenSeconds = await waitFor("even", async () => `${await countShards()}` === "32,32");
  await pause(25_000);
  const quietFrom = new Date(Date.now() - 22_000);
  const { longest: quiet } = await readGaps(quietFrom);
  const killedAtMs = Date.now();
  first.child.kill("SIGKILL");
  target.close();
  const takenSeconds = await waitFor("taken", async () => `${await countShards()}` === "64");
  await pause(Math.max(0, watchedMs - takenSeconds * 1_000));
  const { longest, checks } = await readGaps(new Date(killedAtMs - 22_000));
  const waits = [...alerts.values()].map(({ atMs }) => (atMs - killedAtMs) / 1_000);
  const doubled = [...alerts.values()].filter(({ count }) => count > 1).length;
  await second.stop();
  report("Fail-over: one of two servers is killed, and targets go down at that moment", [
    { name: "shards balanced after the checks were created", value: evenSeconds, unit: "s" },
    {
      name: "all shards taken over",
      value: takenSeconds,
      atMost: takeoverSeconds,
      unit: "s",
    },
    { name: "longest gap of any check before", value: quiet, unit: "s" },
    {
      name: "longest gap of any check over the fail-over",
      value: longest,
      atMost: periodSeconds + takeoverSeconds + slackSeconds,
      unit: "s",
    },
    { name: "checks that ran", value: checks, atLeast: checkCount + targetCount },
    { name: "alerts sent", value: alerts.size, atLeast: targetCount, atMost: targetCount },
    { name: "alerts sent twice", value: doubled, atMost: 0 },
    {
      name: "the last alert after the targets went down",
      value: Math.max(...waits),
      atMost: periodSeconds + takeoverSeconds + slackSeconds,
      unit: "s",
    },
  ]);
}

try {
  await run();
} finally {
  receiver.close();
  await pool.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
