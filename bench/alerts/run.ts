/**
 * Measures 5,000 checks that fail in the same second: the time to decide on all of them, the time
 * from a decision to its delivery, and the memory. The channels lead to a receiver in this process,
 * so its work is included.
 */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { insertChannel } from "../../src/channels/alert-channels/store.ts";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { type Database, runSql } from "../../src/platform/database.ts";
import { decideOnRuns } from "../../src/response/alerting/decider.ts";
import { createAlertDeliverer } from "../../src/response/alerting/deliverer.ts";
import { recordBatchSize, recordResults } from "../../src/runs/recording/recorder.ts";
import { report, write } from "../support.ts";
import { type AlertingContext, insertChecks, makeFailures, startAlerting } from "./fixture.ts";

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
  const { context, addAccount, stop } = await startAlerting();
  const accountId = await addAccount();
  const checkIds = await insertChecks(context.db, accountId, checkCount);
  await insertChannels(context, accountId, url);
  return { context, checkIds, stop };
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
  const results = await makeFailures(context, fixture.checkIds);
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
