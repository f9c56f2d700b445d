/**
 * Measures 5,000 checks that fail in the same second: the time to decide on all of them, the time
 * from a decision to its delivery, and the memory. The channels lead to a receiver in this process,
 * so its work is included.
 */
import { randomBytes, randomUUIDv7 } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import type { Result } from "../../src/contract/result.ts";
import { insertAccount } from "../../src/domains/accounts/store.ts";
import type { ChannelsContext } from "../../src/domains/alert-channels/actions.ts";
import { insertChannel } from "../../src/domains/alert-channels/store.ts";
import {
  createAlertMetrics,
  type DeciderContext,
  type DelivererContext,
} from "../../src/domains/alerting/context.ts";
import { decideOnRuns } from "../../src/domains/alerting/decider.ts";
import { createAlertDeliverer } from "../../src/domains/alerting/deliverer.ts";
import { mergeCheckSettings } from "../../src/domains/checks/check-settings.ts";
import { SeenCertificates } from "../../src/domains/recording/certificate-store.ts";
import {
  createRecordingMetrics,
  type RecorderContext,
} from "../../src/domains/recording/context.ts";
import { recordBatchSize, recordResults } from "../../src/domains/recording/recorder.ts";
import { ensurePartitions } from "../../src/domains/results/result-write-store.ts";
import { createOrder } from "../../src/domains/schedule/orders.ts";
import { WatchList } from "../../src/domains/schedule/watch-list.ts";
import { kinds } from "../../src/kinds/index.ts";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { type Database, runSql } from "../../src/platform/database.ts";
import { openDatabase } from "../../src/platform/database-pool.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { Encryption } from "../../src/platform/encryption.ts";
import { createLog } from "../../src/platform/log.ts";
import { migrate } from "../../src/platform/migrations.ts";
import { createOutbound } from "../../src/platform/outbound.ts";
import { report, write } from "../support.ts";

type AlertingContext = RecorderContext & ChannelsContext & DeciderContext & DelivererContext;

const checkCount = 5_000;
const channelCount = 10;

async function startReceiver(): Promise<{ url: string; count: () => number; stop: () => void }> {
  let count = 0;
  const server = http.createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      count += 1;
      response.end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, count: () => count, stop: () => server.close() };
}

interface Fixture {
  readonly context: AlertingContext;
  readonly checkIds: readonly string[];
  readonly stop: () => Promise<void>;
}

function createContext(database: ReturnType<typeof openDatabase>, log: AlertingContext["log"]) {
  const registry = new Registry();
  const encryption = new Encryption(randomBytes(32));
  const recordingMetrics = createRecordingMetrics(registry);
  const context: AlertingContext = {
    db: database.db,
    clock,
    log,
    watchList: new WatchList(database.db, "home", () => true),
    recordingMetrics,
    seenCertificates: new SeenCertificates(),
    recorded: { add: () => {} },
    encryption,
    allowPrivate: true,
    sendTools: {
      outbound: createOutbound({ allowPrivate: true }),
      mailer: null,
      smsGateway: null,
      push: { find: async () => null, recordOutcomes: async () => {} },
    },
    alertMetrics: createAlertMetrics(registry),
    publicUrl: () => "http://127.0.0.1",
  };
  return context;
}

async function insertChecks(db: Database, accountId: string): Promise<string[]> {
  const request = { hostname: "192.0.2.1" };
  const settings = mergeCheckSettings(kinds.ICMP, null, { name: "Router", frequency: 1, request });
  const ids = Array.from({ length: checkCount }, () => randomUUIDv7());
  await runSql(
    db,
    `insert into checks (id, account_id, kind, name, tags, settings, status, private_settings,
        created_at)
      select id, $2, 'ICMP', 'Router', '{}', $3::jsonb, 'unknown', '{}'::jsonb, now()
      from unnest($1::uuid[]) as id`,
    [ids, accountId, JSON.stringify(settings)],
  );
  return ids;
}

/** Each check sends alerts to one of the channels. */
async function insertChannels(context: AlertingContext, accountId: string, url: string) {
  const ids: number[] = [];
  for (let number = 0; number < channelCount; number += 1) {
    const id = await insertChannel(context.db, accountId, {
      type: "WEBHOOK",
      config: { name: `Hook ${number}`, url },
      sendRecovery: true,
      sendFailure: true,
      sendDegraded: false,
      sslExpiry: false,
      sslExpiryThreshold: 30,
      autoSubscribe: false,
      digest: false,
      quietHours: null,
      createdAt: clock.now(),
    });
    ids.push(id);
  }
  await runSql(
    context.db,
    `insert into alert_channel_subscriptions (alert_channel_id, check_id, activated)
      select ($1::int[])[1 + (row_number() over (order by id)) % $2], id, true from checks`,
    [ids, channelCount],
  );
}

async function createFixture(url: string): Promise<Fixture> {
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
  const database = openDatabase(postgres.connection, log);
  const context = createContext(database, log);
  const accountId = randomUUIDv7();
  const account = { id: accountId, name: "Ours", createdAt: clock.now(), updatedAt: null };
  await insertAccount(context.db, account);
  await ensurePartitions(context.db, Date.now());
  const checkIds = await insertChecks(context.db, accountId);
  await insertChannels(context, accountId, url);
  const stop = async () => {
    await database.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { context, checkIds, stop };
}

async function makeResults({ context, checkIds }: Fixture): Promise<Result[]> {
  const dueAtMs = Date.now();
  const watched = await context.watchList.find(checkIds);
  return [...watched.values()].map((one) => {
    const [location = ""] = one.places;
    const order = createOrder(one, { location, dueAtMs, attempt: 1, startAtMs: dueAtMs });
    const { runId, checkId, kind, attempt, request } = order;
    const run = { runId, checkId, kind, location, attempt, dueAtMs, request };
    const times = { startedAtMs: dueAtMs, stoppedAtMs: dueAtMs + 5, probeId: "probe" };
    const message = "no such name";
    const trouble = { kind: "unresolved", code: "ENOTFOUND", message, resolvedIp: null, dnsMs: 5 };
    return { ...run, ...times, outcome: { kind: "unreachable", trouble } };
  });
}

/** Decides and delivers concurrently, as the product's loops do. */
async function decideAll(context: AlertingContext): Promise<number> {
  const startedMs = performance.now();
  for (let decided = 0; decided < checkCount; ) decided += await decideOnRuns(context);
  return (performance.now() - startedMs) / 1_000;
}

async function deliverAll(context: AlertingContext, count: () => number): Promise<number> {
  const deliverer = createAlertDeliverer(context, Math.random);
  const startedMs = performance.now();
  while (count() < checkCount) {
    await deliverer.deliverWhileDue();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await deliverer.settle();
  return (performance.now() - startedMs) / 1_000;
}

async function findDelays(db: Database): Promise<{ p50: number; p99: number; sent: number }> {
  const [delays] = await runSql<{ p50: number; p99: number; sent: number }>(
    db,
    `select percentile_cont(0.5) within group (order by waited) as p50,
      percentile_cont(0.99) within group (order by waited) as p99, count(*)::int as sent
      from (select extract(epoch from sent_at - decided_at)::float8 as waited
        from deliveries where status = 'SENT') as one`,
  );
  return delays ?? { p50: Number.NaN, p99: Number.NaN, sent: 0 };
}

function watchMemory(): () => number {
  const beforeBytes = process.memoryUsage.rss();
  let mostBytes = beforeBytes;
  const timer = setInterval(() => {
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
  }, 50);
  return () => {
    clearInterval(timer);
    return (mostBytes - beforeBytes) / 1_048_576;
  };
}

const receiver = await startReceiver();
const fixture = await createFixture(receiver.url);
try {
  const { context } = fixture;
  const results = await makeResults(fixture);
  write(`Recording the failures of ${results.length} checks …`);
  const recordedMs = performance.now();
  for (let from = 0; from < results.length; from += recordBatchSize) {
    await recordResults(context, results.slice(from, from + recordBatchSize));
  }
  const recordSeconds = (performance.now() - recordedMs) / 1_000;
  const findGrowth = watchMemory();
  const [decideSeconds, deliverSeconds] = await Promise.all([
    decideAll(context),
    deliverAll(context, receiver.count),
  ]);
  const growth = findGrowth();
  const { p50, p99, sent } = await findDelays(context.db);
  report(`${checkCount} checks that fail at once, through ${channelCount} webhooks`, [
    { name: "to record all", value: recordSeconds, unit: "s" },
    { name: "to decide on all", value: decideSeconds, atMost: 30, unit: "s" },
    { name: "to deliver all", value: deliverSeconds, unit: "s" },
    { name: "decision to delivery, median", value: p50, unit: "s" },
    { name: "decision to delivery, p99", value: p99, atMost: 30, unit: "s" },
    { name: "delivered", value: sent, atLeast: checkCount, atMost: checkCount },
    { name: "arrived, repeats included", value: receiver.count(), atMost: checkCount },
    { name: "growth of memory", value: growth, atMost: 200, unit: "MiB" },
  ]);
} finally {
  receiver.stop();
  await fixture.stop();
}
