import { randomUUIDv7 } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type pg from "pg";
import { Registry } from "prom-client";
import { insertAccount } from "../../../src/access/accounts/store.ts";
import { type CheckInput, mergeCheckSettings } from "../../../src/checks/checks/check-settings.ts";
import { findCheckForUpdate, insertChecks, updateCheck } from "../../../src/checks/checks/store.ts";
import { createAccountCertificates } from "../../../src/checks/client-certificates/index.ts";
import { NatsKeys, ProbeDirectory } from "../../../src/checks/locations/index.ts";
import { createAccountVariables } from "../../../src/checks/variables/index.ts";
import type { Order } from "../../../src/contract/order.ts";
import { subjects } from "../../../src/contract/protocol.ts";
import type {
  Measured,
  NoData,
  Outcome,
  Result,
  Unreachable,
} from "../../../src/contract/result.ts";
import { type CheckType, kinds } from "../../../src/kinds/index.ts";
import type {
  IcmpMeasurement,
  IcmpTrouble,
  Packet,
} from "../../../src/kinds/of/icmp/measurement.ts";
import { createInProcessBus } from "../../../src/platform/bus.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { type Database, runSql } from "../../../src/platform/database.ts";
import { Encryption } from "../../../src/platform/encryption.ts";
import { createProbeMetrics, type ProbesContext } from "../../../src/runs/probe-links/context.ts";
import { SeenCertificates } from "../../../src/runs/recording/certificate-store.ts";
import {
  createRecordingMetrics,
  RecordedRuns,
  type RecordingContext,
} from "../../../src/runs/recording/context.ts";
import { ensurePartitions } from "../../../src/runs/results/result-write-store.ts";
import {
  createScheduleMetrics,
  OrderTags,
  type ScheduleContext,
} from "../../../src/runs/scheduling/context.ts";
import { createOrder } from "../../../src/runs/scheduling/orders.ts";
import { RunLoad } from "../../../src/runs/scheduling/overload/run-load.ts";
import { OpenTrials } from "../../../src/runs/scheduling/trials/open-trials.ts";
import { type Watched, WatchList } from "../../../src/runs/scheduling/watch-list.ts";
import { listLastRuns } from "../../../src/runs/states/state-store.ts";
import { captureLog } from "../apps/log.ts";
import { takeReusableDatabase } from "../database/reusable-database.ts";
import { TestClock } from "../time/clock.ts";

type Row = Record<string, unknown>;

/** Dependencies of all modules that take part in running checks. */
export type RunsContext = ScheduleContext & RecordingContext & ProbesContext;

export interface RunsFixture {
  readonly context: RunsContext;
  /**
   * Connection pool for tests of locks, notifications or broken connections, which need a separate
   * connection.
   */
  readonly pool: pg.Pool;
  readonly clock: TestClock;
  readonly accountId: string;
  /**
   * Whether change notifications of checks arrive. The watch list caches only while they arrive.
   */
  readonly news: { isOn: boolean };
  readonly addCheck: (input?: CheckInput, kind?: CheckType) => Promise<Watched>;
  /**
   * Edits a check in the database like the API. The test must notify the watch list and the
   * scheduler.
   */
  readonly editCheck: (checkId: string, input: CheckInput) => Promise<void>;
  readonly deleteCheck: (checkId: string) => Promise<void>;
  readonly query: (text: string, ...values: readonly unknown[]) => Promise<Row[]>;
  readonly countIgnored: (reason: string) => Promise<number>;
  /** Returns the orders published since the last call. */
  readonly takeOrders: () => Promise<Order[]>;
  readonly takeResults: () => Promise<Result[]>;
  readonly databaseUrl: string;
  readonly stop: () => Promise<void>;
}

const defaultInput: CheckInput = { name: "Router", request: { hostname: "192.0.2.1" } };

/** Collects the messages that are published to a subject. */
function collect<Message>(context: RunsContext, subject: string) {
  const kept: Message[] = [];
  const consumer = context.bus.consume<Message>(subject, {
    maxBatch: 1_000,
    handle: async (batch) => void kept.push(...batch),
  });
  const take = async () => {
    while ((await context.bus.depth(subject)) > 0) await setImmediate();
    await setImmediate();
    return kept.splice(0);
  };
  return { take, stop: consumer.stop };
}

function createCheckHands(context: RunsContext, accountId: string) {
  const { db, clock } = context;
  return {
    addCheck: async (input: CheckInput = {}, kind: CheckType = "ICMP") => {
      const settings = mergeCheckSettings(kinds[kind], null, { ...defaultInput, ...input });
      const id = randomUUIDv7();
      const status = "unknown" as const;
      const check = { id, kind, settings, variables: [], status, updatedAt: null };
      const createdAt = clock.now();
      await insertChecks(db, accountId, [{ ...check, createdAt, privateSettings: {} }]);
      const watched = (await context.watchList.find([id])).get(id);
      if (watched === undefined) throw new Error("the check does not exist");
      return watched;
    },
    editCheck: async (checkId: string, input: CheckInput) => {
      const before = await findCheckForUpdate(db, accountId, { id: checkId, type: null });
      if (before === null) throw new Error("the check does not exist");
      const settings = mergeCheckSettings(kinds[before.kind], before.settings, input);
      await updateCheck(db, accountId, { ...before, settings, updatedAt: clock.now() });
    },
    deleteCheck: async (checkId: string) => {
      await runSql(db, "delete from checks where id = $1", [checkId]);
    },
  };
}

export const thisServer = "0190a000-0000-7000-8000-000000000001";

export function createDirectory(
  db: Database,
  clock: Clock,
  { hasBuiltInProbe = true }: { readonly hasBuiltInProbe?: boolean } = {},
): ProbeDirectory {
  const options = { db, clock, hasBuiltInProbe, isBusShared: false };
  return new ProbeDirectory({ ...options, serverId: thisServer });
}

/**
 * Creates only the modules that run checks, with a real database, a bus and a test clock. No
 * background loop runs.
 */
export async function createRunsFixture(
  options: { readonly hasBuiltInProbe?: boolean } = {},
): Promise<RunsFixture> {
  const { db, pool, url: databaseUrl, release } = await takeReusableDatabase();
  const { log } = captureLog();
  const clock = new TestClock();
  const news = { isOn: true };
  const encryption = new Encryption(Buffer.alloc(32));
  const recordingMetrics = createRecordingMetrics(new Registry());
  const scheduleMetrics = createScheduleMetrics(new Registry());
  const context: RunsContext = {
    db,
    clock,
    log,
    bus: createInProcessBus(log),
    watchList: new WatchList(db, "home", () => news.isOn),
    encryption,
    accountVariables: createAccountVariables(db, () => news.isOn),
    accountCertificates: createAccountCertificates(db, () => news.isOn),
    recordingMetrics,
    probeMetrics: createProbeMetrics(new Registry()),
    trials: new OpenTrials(),
    seenCertificates: new SeenCertificates(),
    directory: createDirectory(db, clock, options),
    tags: new OrderTags(encryption),
    natsKeys: new NatsKeys(db, encryption),
    serverId: thisServer,
    recordedRuns: new RecordedRuns(),
    load: new RunLoad(scheduleMetrics),
    scheduleMetrics,
    listLastRuns,
    recorded: { add: () => {} },
  };
  const accountId = randomUUIDv7();
  const account = { id: accountId, name: "Ours", createdAt: clock.now(), updatedAt: null };
  await insertAccount(db, account);
  await ensurePartitions(db, clock.now().getTime());
  const orders = collect<Order>(context, subjects.orders);
  const results = collect<Result>(context, subjects.results);
  return {
    context,
    pool,
    clock,
    accountId,
    news,
    ...createCheckHands(context, accountId),
    query: async (text, ...values) => (await pool.query(text, [...values])).rows,
    countIgnored: async (reason) => {
      const { values } = await recordingMetrics.ignored.get();
      return values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
    },
    databaseUrl,
    takeOrders: orders.take,
    takeResults: results.take,
    stop: async () => {
      await Promise.all([orders.stop(), results.stop()]);
      await release();
    },
  };
}

/**
 * Returns a measurement whose first `lost` packets have no reply. The other packets took 1, 2, 3,
 * ... milliseconds.
 */
export function measure(lost = 0, sent = 10, startedAtMs = 0): Measured<IcmpMeasurement> {
  const packets: Packet[] = Array.from({ length: sent }, (_, sequence) => {
    const sentAtMs = startedAtMs + sequence * 500;
    if (sequence < lost) {
      return { sequence, sentAtMs, rttMs: null, ttl: null, type: null, code: null };
    }
    return { sequence, sentAtMs, rttMs: sequence - lost + 1, ttl: 64, type: 0, code: 0 };
  });
  const received = sent - lost;
  const isSilent = received === 0;
  const measurement = {
    resolvedIp: "192.0.2.1",
    dnsMs: 0,
    packetSizeBytes: 64,
    packets,
    statistics: {
      packetsSent: sent,
      packetsReceived: received,
      packetLossPercent: (100 * lost) / sent,
      minMs: isSilent ? null : 1,
      avgMs: isSilent ? null : (received + 1) / 2,
      maxMs: isSilent ? null : received,
      stdDevMs: isSilent ? null : Math.sqrt((received ** 2 - 1) / 12),
      jitterMs: isSilent ? null : 0.5,
      longestLossBurst: lost,
      duplicates: 0,
      reordered: 0,
      lateReplies: 0,
    },
  };
  return { kind: "measured", measurement };
}

export function readMeasurement(outcome: Outcome): IcmpMeasurement | null {
  return outcome.kind === "measured" ? (outcome.measurement as IcmpMeasurement) : null;
}

const noSuchName: IcmpTrouble = {
  kind: "unresolved",
  code: "ENOTFOUND",
  message: "no such name",
  resolvedIp: null,
  dnsMs: 5,
};
export const unresolved: Unreachable = { kind: "unreachable", trouble: noSuchName };

export function noData(kind: NoData["kind"] = "interrupted"): NoData {
  return { kind, message: "nothing was learned" };
}

/** Returns the result that a probe reports for an order. */
export function answerOrder(order: Order, outcome: Outcome): Result {
  const { runId, checkId, kind, location, attempt, dueAtMs, startAtMs, request } = order;
  const run = { runId, checkId, kind, location, attempt, dueAtMs, request };
  const startedAtMs = startAtMs + 2;
  return { ...run, startedAtMs, stoppedAtMs: startAtMs + 900, probeId: "probe", outcome };
}

export interface ResultInput {
  readonly dueAtMs: number;
  readonly location?: string;
  readonly attempt?: number;
  readonly outcome?: Outcome;
}

/** Returns a result whose id is derived from its run. */
export function makeResult(watched: Watched, input: ResultInput): Result {
  const { dueAtMs, location = watched.places[0] ?? "", attempt = 1, outcome = measure() } = input;
  return answerOrder(
    createOrder(watched, { location, dueAtMs, attempt, startAtMs: dueAtMs }),
    outcome,
  );
}
