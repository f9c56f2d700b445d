/** The modules that record, decide on and deliver alerts, on an embedded PostgreSQL. */
import { randomBytes, randomUUIDv7 } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { insertAccount } from "../../src/access/accounts/store.ts";
import type { ChannelsContext } from "../../src/channels/alert-channels/actions.ts";
import { mergeCheckSettings } from "../../src/checks/checks/check-settings.ts";
import type { Result } from "../../src/contract/result.ts";
import { kinds } from "../../src/kinds/index.ts";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { type Database, runSql } from "../../src/platform/database.ts";
import { openDatabase } from "../../src/platform/database-pool.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { Encryption } from "../../src/platform/encryption.ts";
import { createLog } from "../../src/platform/log.ts";
import { migrate } from "../../src/platform/migrations.ts";
import { createOutbound } from "../../src/platform/outbound.ts";
import {
  createAlertMetrics,
  type DeciderContext,
  type DelivererContext,
} from "../../src/response/alerting/context.ts";
import { SeenCertificates } from "../../src/runs/recording/certificate-store.ts";
import { createRecordingMetrics, type RecorderContext } from "../../src/runs/recording/context.ts";
import { ensurePartitions } from "../../src/runs/results/result-write-store.ts";
import { createOrder } from "../../src/runs/scheduling/orders.ts";
import { WatchList } from "../../src/runs/scheduling/watch-list.ts";

export type AlertingContext = RecorderContext & ChannelsContext & DeciderContext & DelivererContext;

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
    addressRules: { allowPrivate: true },
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

interface AlertingProduct {
  readonly context: AlertingContext;
  /** Returns its id. */
  readonly addAccount: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

export async function startAlerting(): Promise<AlertingProduct> {
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
  await ensurePartitions(context.db, Date.now());
  const addAccount = async () => {
    const id = randomUUIDv7();
    await insertAccount(context.db, { id, name: "Ours", createdAt: clock.now(), updatedAt: null });
    return id;
  };
  const stop = async () => {
    await database.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { context, addAccount, stop };
}

/** Inserts checks that subscribe to no channel yet. */
export async function insertChecks(
  db: Database,
  accountId: string,
  count: number,
): Promise<string[]> {
  const request = { hostname: "192.0.2.1" };
  const settings = mergeCheckSettings(kinds.ICMP, null, { name: "Router", frequency: 1, request });
  const ids = Array.from({ length: count }, () => randomUUIDv7());
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

/** Makes a failing run of each check that is due now. */
export async function makeFailures(
  { watchList }: AlertingContext,
  checkIds: readonly string[],
): Promise<Result[]> {
  const dueAtMs = Date.now();
  const watched = await watchList.find(checkIds);
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
