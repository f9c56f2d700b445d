/** The runs and statistics modules on an embedded PostgreSQL, with a manual clock. */

import { randomBytes, randomUUIDv7 } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { insertAccount } from "../../src/access/accounts/store.ts";
import { mergeCheckSettings } from "../../src/checks/checks/check-settings.ts";
import { createAccountCertificates } from "../../src/checks/client-certificates/index.ts";
import { NatsKeys, ProbeDirectory } from "../../src/checks/locations/index.ts";
import { createAccountVariables } from "../../src/checks/variables/index.ts";
import { kinds } from "../../src/kinds/index.ts";
import { createInProcessBus } from "../../src/platform/bus.ts";
import { runSql } from "../../src/platform/database.ts";
import { openDatabase } from "../../src/platform/database-pool.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { Encryption } from "../../src/platform/encryption.ts";
import { createLog } from "../../src/platform/log.ts";
import { migrate } from "../../src/platform/migrations.ts";
import { SeenCertificates } from "../../src/runs/recording/certificate-store.ts";
import {
  createRecordingMetrics,
  RecordedRuns,
  type RecordingContext,
} from "../../src/runs/recording/context.ts";
import { ensurePartitions } from "../../src/runs/results/result-write-store.ts";
import {
  createScheduleMetrics,
  OrderTags,
  type ScheduleContext,
} from "../../src/runs/scheduling/context.ts";
import { RunLoad } from "../../src/runs/scheduling/overload/run-load.ts";
import { OpenTrials } from "../../src/runs/scheduling/trials/open-trials.ts";
import { WatchList } from "../../src/runs/scheduling/watch-list.ts";
import { listLastRuns } from "../../src/runs/states/state-store.ts";
import { listTree, readCpuSeconds } from "../scale/processes.ts";
import type { Workload } from "./model.ts";

/** Dependencies of the scheduler and the recorder. */
export type SimulatedContext = ScheduleContext & RecordingContext;

export interface Fixture {
  readonly context: SimulatedContext;
  readonly setTime: (ms: number) => void;
  readonly addChecks: (count: number) => Promise<readonly string[]>;
  readonly readNumber: (sql: string) => Promise<number>;
  readonly readDatabaseCpuSeconds: () => number;
  readonly stop: () => Promise<void>;
}

function createContext(
  db: SimulatedContext["db"],
  log: SimulatedContext["log"],
  now: () => number,
) {
  const clock = { now: () => new Date(now()), nowMs: now };
  const encryption = new Encryption(randomBytes(32));
  const recordingMetrics = createRecordingMetrics(new Registry());
  const scheduleMetrics = createScheduleMetrics(new Registry());
  const reached = { hasBuiltInProbe: true, serverId: "bench", isBusShared: false };
  const context: SimulatedContext = {
    serverId: reached.serverId,
    db,
    clock,
    log,
    bus: createInProcessBus(log),
    watchList: new WatchList(db, "home", () => true),
    encryption,
    accountVariables: createAccountVariables(db, () => true),
    accountCertificates: createAccountCertificates(db, () => true),
    recordingMetrics,
    trials: new OpenTrials(),
    seenCertificates: new SeenCertificates(),
    directory: new ProbeDirectory({ db, clock, ...reached }),
    tags: new OrderTags(encryption),
    natsKeys: new NatsKeys(db, encryption),
    recordedRuns: new RecordedRuns(),
    load: new RunLoad(scheduleMetrics),
    scheduleMetrics,
    listLastRuns,
    recorded: { add: () => {} },
  };
  return context;
}

/** Ten pings each, at the locations of the workload. */
function describeCheck(load: Workload, regions: readonly string[]) {
  const isRare = load.periodSeconds % 60 === 0;
  return mergeCheckSettings(kinds.ICMP, null, {
    name: "Router",
    frequency: isRare ? load.periodSeconds / 60 : 0,
    ...(!isRare && { frequencyOffset: load.periodSeconds }),
    runParallel: load.locationsPerRun > 1,
    locations: regions.slice(0, load.locationsPerRun > 1 ? load.locationsPerRun : load.locations),
    request: { hostname: "192.0.2.1", pingCount: 10 },
  });
}

const insertSql = `
  insert into checks
    (id, account_id, kind, name, tags, settings, status, private_settings, created_at)
  select id, $2, 'ICMP', 'Router', '{}', $3::jsonb, 'unknown', '{}'::jsonb, $4
  from unnest($1::uuid[]) as id`;

export async function createFixture(
  load: Workload,
  regions: readonly string[],
  startMs: number,
): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-simulate-"));
  const log = createLog("silent");
  const onAbandoned = (error: Error) => {
    throw error;
  };
  const dataDir = join(folder, "data");
  const postgres = await startEmbeddedPostgres({ dataDir, log, onRestart: () => {}, onAbandoned });
  await migrate(postgres.connection);
  const { db, close } = openDatabase(postgres.connection, log);
  let nowMs = startMs;
  const context = createContext(db, log, () => nowMs);
  const accountId = randomUUIDv7();
  const createdAt = new Date(startMs - 86_400_000);
  await insertAccount(db, { id: accountId, name: "Ours", createdAt, updatedAt: null });
  await ensurePartitions(db, startMs);
  const settings = JSON.stringify(describeCheck(load, regions));
  return {
    context,
    setTime: (ms) => {
      nowMs = ms;
    },
    addChecks: async (count) => {
      const ids = Array.from({ length: count }, () => randomUUIDv7());
      await runSql(db, insertSql, [ids, accountId, settings, createdAt]);
      await runSql(db, "analyze checks");
      return ids;
    },
    readNumber: async (sql) => {
      const [row] = await runSql<{ value: string }>(db, `select (${sql}) as value`);
      return Number(row?.value);
    },
    readDatabaseCpuSeconds: () => readCpuSeconds(listTree(postgres.pid())),
    stop: async () => {
      await close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
