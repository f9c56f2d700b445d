/**
 * Measures thousands of checks that fail in the same second, in the whole product: whether every
 * alert is sent, the time after the decision, and whether the schedule holds. Before that, measures
 * the pages of 1,000 alerts at once with one server and with three.
 *
 * npm run bench storm -- --checks 5000 --servers 1,3
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { listTree, readMemoryMiB } from "../scale/processes.ts";
import { report, spawnServer, write } from "../support.ts";
import { measurePages } from "./pages.ts";

const { values } = parseArgs({
  options: {
    checks: { type: "string", default: "5000" },
    servers: { type: "string", default: "1,3" },
  },
});
const checkCount = Number(values.checks);
for (const count of values.servers.split(",")) await measurePages(Number(count));
if (checkCount === 0) process.exit();

const key = "bench-key-bench-key-bench-key";
const channels = 10;
const patienceMs = 180_000;

const keys = new Set<string>();
const receiver = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    keys.add(String(request.headers["idempotency-key"]));
    response.end("ok");
  });
});
await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
const hookPort = (receiver.address() as AddressInfo).port;

const folder = mkdtempSync(join(tmpdir(), "vedette-storm-"));
const product = await spawnServer("bin/vedette.ts", ["server"], {
  PORT: "0",
  DATA_DIR: folder,
  BOOTSTRAP_API_KEY: key,
  EXAMPLE: "false",
  RATE_LIMIT_PER_MINUTE: "0",
  OUTBOUND_ALLOW_PRIVATE: "true",
  LOG_LEVEL: "warn",
});
const post = async (path: string, body: unknown) => {
  const answer = await fetch(`${product.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return (await answer.json()) as { id: number };
};

/** With a threshold of 0, every run fails; with the same offset, all are due at the same time. */
function createBody(index: number, channelIds: readonly number[]) {
  const alertChannelId = channelIds[index % channelIds.length] ?? 0;
  return {
    name: `host ${index}`,
    frequency: 2,
    frequencyOffset: 20,
    maxPacketLossThreshold: 0,
    request: { hostname: `127.1.${(index >> 8) & 255}.${index & 255}`, pingCount: 2 },
    alertChannelSubscriptions: [{ alertChannelId, activated: true }],
  };
}

/** Waits until well before all checks are due, which happens every two minutes. */
async function waitForQuiet(): Promise<void> {
  const periodMs = 120_000;
  const sinceMs = Date.now() % periodMs;
  if (sinceMs > 60_000) await new Promise((done) => setTimeout(done, periodMs - sinceMs + 5_000));
}

const measureSql = `select
  (select count(*) from deliveries where status = 'SENT') as sent,
  (select percentile_disc(0.99) within group (order by extract(epoch from sent_at - decided_at))
    from deliveries where status = 'SENT') as delivery_p99,
  (select percentile_disc(0.99) within group (order by extract(epoch from started_at) * 1000
    - ('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint) from results) as late_p99,
  (select count(*) from results where is_final) as runs,
  (select extract(epoch from max(decided_at) - min(started_at)) from deliveries, results) as span`;

try {
  const channelIds: number[] = [];
  for (let index = 0; index < channels; index += 1) {
    const config = { name: `hook ${index}`, url: `http://127.0.0.1:${hookPort}/hook` };
    channelIds.push(
      (await post("/v1/alert-channels", { type: "WEBHOOK", config, digest: false })).id,
    );
  }
  await waitForQuiet();
  for (let index = 0; index < checkCount; index += 8) {
    const some = Array.from({ length: Math.min(8, checkCount - index) }, (_, n) => index + n);
    await Promise.all(some.map((one) => post("/v1/checks/icmp", createBody(one, channelIds))));
  }
  const root = product.child.pid ?? 0;
  const before = readMemoryMiB(listTree(root));
  write(`  ${checkCount} checks are due at the same time`);
  let most = before;
  for (let waitedMs = 0; keys.size < checkCount && waitedMs < patienceMs; waitedMs += 500) {
    await new Promise((done) => setTimeout(done, 500));
    most = Math.max(most, readMemoryMiB(listTree(root)));
  }
  await new Promise((done) => setTimeout(done, 2_000));
  const client = new pg.Client({
    host: join(folder, "socket"),
    user: "vedette",
    database: "vedette",
  });
  await client.connect();
  const { rows } = await client.query(measureSql);
  await client.end();
  const [seen] = rows;
  report(`${checkCount} checks failing in the same second`, [
    { name: "alerts that were not delivered", value: checkCount - keys.size, atMost: 0 },
    { name: "deliveries marked sent", value: Number(seen.sent), atLeast: checkCount },
    { name: "schedule lateness p99", value: Number(seen.late_p99), unit: "ms", atMost: 250 },
    { name: "decision to delivery p99", value: Number(seen.delivery_p99), unit: "s" },
    { name: "first run over to last decision", value: Number(seen.span), unit: "s" },
    { name: "memory at most, server and database", value: most, unit: "MiB" },
    { name: "memory at most ÷ before", value: most / before, atMost: 1.5 },
  ]);
} finally {
  await product.stop();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
}
