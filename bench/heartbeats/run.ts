/**
 * Jobs ping once a minute while the server is killed repeatedly: no ping may be lost, and none may
 * count as missing. Also measures the cost of a ping, compared with Fastify and one insert per
 * ping.
 *
 * npm run bench heartbeats -- --checks 20000 --minutes 12 --kills 10
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { listTree, readCpuSeconds } from "../scale/processes.ts";
import { report, type Spawned, spawnServer, write } from "../support.ts";
import { Clients } from "./clients.ts";

const { values } = parseArgs({
  options: {
    checks: { type: "string", default: "20000" },
    minutes: { type: "string", default: "12" },
    kills: { type: "string", default: "10" },
    "cost-seconds": { type: "string", default: "30" },
  },
});
const count = Number(values.checks);
const durationMs = Number(values.minutes) * 60_000;
const kills = Number(values.kills);
const costMs = Number(values["cost-seconds"]) * 1_000;
const key = "bench-key-bench-key-bench-key";
const graceSeconds = 60;

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

async function findFreePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return String(typeof address === "object" ? address?.port : 0);
}

const folder = mkdtempSync(join(tmpdir(), "vedette-heartbeats-"));
const port = await findFreePort();
const start = () =>
  spawnServer("bin/vedette.ts", ["server"], {
    PORT: port,
    DATA_DIR: join(folder, "product"),
    BOOTSTRAP_API_KEY: key,
    EXAMPLE: "false",
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "error",
  });

/** Creates one check through the API, and copies of it with their own tokens. */
async function createChecks(url: string): Promise<string[]> {
  const heartbeat = { period: 1, periodUnit: "minutes", grace: graceSeconds, graceUnit: "seconds" };
  const answer = await fetch(`${url}/v1/checks/heartbeat`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "job", heartbeat }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return query<{ token: string }>(
    `with copies as (insert into checks (id, account_id, kind, name, tags, group_id, settings,
        private_settings, status, created_at)
      select gen_random_uuid(), account_id, kind, name, tags, group_id,
        jsonb_set(settings, '{heartbeat,pingToken}', to_jsonb(gen_random_uuid()::text)),
        private_settings, status, created_at
      from (select * from checks limit 1) as one, generate_series(1, ${count - 1})
      returning ping_token)
    select ping_token as token from checks union all select ping_token from copies`,
  ).then((rows) => rows.map(({ token }) => token));
}

async function query<Row extends object>(text: string): Promise<Row[]> {
  const host = join(folder, "product", "socket");
  const client = new pg.Client({ host, user: "vedette", database: "vedette" });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the CPU time of the server and its database per ping, in milliseconds. */
async function measureCost(url: string, root: number, tokens: readonly string[]): Promise<number> {
  const clients = new Clients(url);
  const before = readCpuSeconds(listTree(root));
  await clients.run(tokens, costMs);
  const cpuMs = (readCpuSeconds(listTree(root)) - before) * 1_000;
  const answered = [...clients.answered.values()].reduce((sum, one) => sum + one, 0);
  clients.close();
  return cpuMs / answered;
}

/** Kills are evenly spread over the time, at any second of a minute. */
async function killAgain(product: { current: Spawned }): Promise<number[]> {
  const gapsMs: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(durationMs / (kills + 1));
    const { child } = product.current;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    const killedMs = performance.now();
    await gone;
    product.current = await start();
    gapsMs.push(performance.now() - killedMs);
    write(`  kill ${kill + 1}: back after ${Math.round(gapsMs.at(-1) ?? 0)} ms`);
  }
  return gapsMs;
}

/** Counts checks with fewer results than answered pings. */
async function countLost(answered: ReadonlyMap<string, number>): Promise<number> {
  const rows = await query<{ token: string; stored: number }>(
    `select ping_token as token, count(results.id)::int as stored
      from checks left join results on check_id = checks.id and verdict = 1 group by 1`,
  );
  const stored = new Map(rows.map((row) => [row.token, row.stored]));
  return [...answered].filter(([token, pings]) => (stored.get(token) ?? 0) < pings).length;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

const product = { current: await start() };
try {
  const tokens = await createChecks(product.current.url);
  write(`  ${tokens.length} checks`);
  // The first ping of each check; nothing is expected before it.
  const first = new Clients(product.current.url);
  await first.run(tokens, 60_000);
  first.close();
  // Autovacuum would do this within minutes; until then the planner assumes empty tables.
  await query("analyze heartbeats, check_states, checks");
  const ourMs = await measureCost(product.current.url, product.current.child.pid ?? 0, tokens);
  const clients = new Clients(product.current.url);
  // Continues with the token after the last one, so that none waits longer than a minute and a
  // half.
  const offset = Math.floor((costMs / 60_000) * tokens.length) % tokens.length;
  const turned = [...tokens.slice(offset), ...tokens.slice(0, offset)];
  const [gapsMs] = await Promise.all([killAgain(product), clients.run(turned, durationMs)]);
  clients.close();
  const lost = await countLost(clients.answered);
  const [found] = await query<{ failing: number; alerts: number }>(
    `select (select count(*)::int from results where verdict = 3) as failing,
      (select count(*)::int from alerts) as alerts`,
  );
  const bare = await spawnServer("bench/heartbeats/bare-server.ts", [join(folder, "bare")]);
  const bareMs = await measureCost(bare.url, bare.child.pid ?? 0, tokens);
  await bare.stop();
  const answered = [...clients.answered.values()].reduce((sum, one) => sum + one, 0);
  report(`${count} heartbeats a minute for ${values.minutes} minutes, ${kills} kills`, [
    { name: "pings answered", value: answered },
    { name: "retried pings", value: clients.retries },
    { name: "jobs that failed", value: clients.givenUp, atMost: 0 },
    { name: "checks with a lost ping", value: lost, atMost: 0 },
    { name: "pings counted as missing", value: found?.failing ?? -1, atLeast: 0, atMost: 0 },
    { name: "alerts", value: found?.alerts ?? -1, atLeast: 0, atMost: 0 },
    { name: "longest downtime", value: Math.max(0, ...gapsMs), unit: "ms" },
    { name: "answer p50", value: percentile(clients.answerMs, 0.5), unit: "ms" },
    { name: "answer p99", value: percentile(clients.answerMs, 0.99), unit: "ms" },
    { name: "CPU per ping", value: ourMs, unit: "ms" },
    { name: "CPU per ping of Fastify with one insert", value: bareMs, unit: "ms" },
    { name: "CPU per ping ÷ that", value: ourMs / bareMs, atMost: 1.5 },
  ]);
} finally {
  await product.current.stop();
  rmSync(folder, { recursive: true, force: true });
}
