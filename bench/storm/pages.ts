/** Measures the pages of 1,000 alerts at once and of their recoveries, with one or more servers. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../src/platform/log.ts";
import { insertMember } from "../../test/support/modules/pages.ts";
import { median, report, type Spawned, spawnServer } from "../support.ts";

const key = "bench-key-bench-key-bench-key";
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const alertCount = 1_000;
const pingsAtOnce = 64;
const maxWaitMs = 180_000;
/** Maximum time between the failing run and the request that hands its page to the provider. */
const maxPageSeconds = 10;
const members = ["ada", "ben"];

interface Arrival {
  readonly checkId: string;
  readonly atMs: number;
}

/** Receives pages like a provider, and notes when each alert arrives first at each path. */
async function startProvider() {
  const arrivals = new Map<string, Arrival>();
  let messages = 0;
  const server = createServer((request, response) => {
    const atMs = performance.now();
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      response.end("ok");
      messages += 1;
      const body = JSON.parse(Buffer.concat(chunks).toString());
      for (const { checkId } of body.alerts ?? [body]) {
        const place = `${request.url} ${checkId}`;
        if (!arrivals.has(place)) arrivals.set(place, { checkId, atMs });
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const forget = () => {
    arrivals.clear();
    messages = 0;
  };
  return { url, arrivals, countMessages: () => messages, forget, stop: () => server.close() };
}

type Query = (text: string, ...values: readonly unknown[]) => Promise<Record<string, unknown>[]>;

async function call(method: string, url: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Record<string, unknown>;
}

/** Creates checks without own channels, and a policy of the account that pages two members. */
async function createChecks(url: string, query: Query, hookUrl: string) {
  const [account] = await query("select id from accounts");
  const fixture = { query: query as never, accountId: String(account?.id), clock };
  const targets = [];
  for (const name of members) {
    const member = { name, steps: [[name, 0] as const], role: "READ_ONLY" };
    targets.push({
      userId: await insertMember({ ...fixture, http: { url: hookUrl } as never }, member),
    });
  }
  const steps = [{ afterMinutes: 0, targets }];
  const policy = { name: "Storm", steps, repeat: 0, repeatAfterMinutes: 10 };
  const { id: escalationPolicyId } = await call("POST", `${url}/v1/escalation-policies`, policy);
  await call("PUT", `${url}/v1/alert-settings`, { escalationPolicyId });
  const heartbeat = { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" };
  await call("POST", `${url}/v1/checks/heartbeat?autoAssignAlerts=false`, {
    name: "job",
    heartbeat,
  });
  await query(
    `insert into checks (id, account_id, kind, name, tags, group_id, settings, private_settings,
        status, created_at)
      select gen_random_uuid(), account_id, kind, name, tags, group_id,
        jsonb_set(settings, '{heartbeat,pingToken}', to_jsonb(gen_random_uuid()::text)),
        private_settings, status, created_at
      from (select * from checks limit 1) as one, generate_series(1, $1::int - 1)`,
    alertCount,
  );
  return query("select id, ping_token as token from checks");
}

type Signal = "failure" | "recovery";
const endings: Readonly<Record<Signal, string>> = { failure: "/fail", recovery: "" };

/** Sends a signal for every check. Returns when each of them was accepted. */
async function signalAll(
  signal: Signal,
  urls: readonly string[],
  checks: readonly Record<string, unknown>[],
) {
  const acceptedAtMs = new Map<string, number>();
  const left = checks.entries();
  const work = async () => {
    for (const [index, { id, token }] of left) {
      const answer = await fetch(`${urls[index % urls.length]}/ping/${token}${endings[signal]}`);
      if (!answer.ok) throw new Error(await answer.text());
      await answer.arrayBuffer();
      acceptedAtMs.set(String(id), performance.now());
    }
  };
  await Promise.all(Array.from({ length: pingsAtOnce }, work));
  return acceptedAtMs;
}

async function measureStorm(servers: readonly Spawned[], query: Query): Promise<void> {
  const provider = await startProvider();
  const urls = servers.map(({ url }) => url);
  const checks = await createChecks(urls[0] ?? "", query, provider.url);
  for (const signal of ["failure", "recovery"] as const) {
    provider.forget();
    const [load = 0] = loadavg();
    const startedMs = performance.now();
    const acceptedAtMs = await signalAll(signal, urls, checks);
    const wanted = alertCount * members.length;
    while (provider.arrivals.size < wanted && performance.now() - startedMs < maxWaitMs) {
      await new Promise((done) => setTimeout(done, 50));
    }
    const waited = [...provider.arrivals.values()].map(
      ({ checkId, atMs }) => (atMs - (acceptedAtMs.get(checkId) ?? startedMs)) / 1_000,
    );
    const accepting = (Math.max(...acceptedAtMs.values()) - startedMs) / 1_000;
    const longest = { value: Math.max(...waited), atMost: maxPageSeconds, unit: "s" };
    const title = `${alertCount} alerts at once, ${members.length} members, ${servers.length} server(s)`;
    report(`${title}: ${signal}`, [
      { name: "load of the machine before", value: load },
      { name: "to report all of them", value: accepting, unit: "s" },
      { name: "pages that did not arrive", value: wanted - waited.length, atMost: 0 },
      { name: "messages", value: provider.countMessages() },
      { name: `${signal} to page, median`, value: median(waited), unit: "s" },
      { name: `${signal} to page, longest`, ...longest },
    ]);
  }
  provider.stop();
}

/** Runs the storm on an own database. */
export async function measurePages(serverCount: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-storm-"));
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, "database"),
    log: createLog("warn"),
    onRestart: () => {},
    onAbandoned: () => {},
  });
  const { host, user, database } = postgres.connection;
  const pool = new pg.Pool({ ...postgres.connection, max: 2 });
  pool.on("error", () => {});
  const encryptionKey = randomBytes(32).toString("base64");
  const servers: Spawned[] = [];
  try {
    for (let index = 0; index < serverCount; index += 1) {
      const server = await spawnServer("bin/vedette.ts", ["server"], {
        PORT: "0",
        DATA_DIR: join(folder, `server-${index}`),
        DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
        ENCRYPTION_KEY: encryptionKey,
        BOOTSTRAP_API_KEY: key,
        BUILT_IN_PROBE: "false",
        OUTBOUND_ALLOW_PRIVATE: "true",
        RATE_LIMIT_PER_MINUTE: "0",
        EXAMPLE: "false",
        LOG_LEVEL: "warn",
      });
      servers.push(server);
    }
    await measureStorm(
      servers,
      async (text, ...values) => (await pool.query(text, [...values])).rows,
    );
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()));
    await pool.end();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
