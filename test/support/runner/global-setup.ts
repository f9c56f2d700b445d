/**
 * Starts one real PostgreSQL for the whole test run. Every test file creates its own databases in
 * it.
 */
import "../programs/end-with-parent.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DatabaseConnection, openDatabase } from "../../../src/platform/database-pool.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../../src/platform/log.ts";
import { migrate } from "../../../src/platform/migrations.ts";
import { ensurePartitions } from "../../../src/runs/results/index.ts";
import { makeDatabasesCheap } from "../database/database.ts";
import { findWhetherPingsWork, reportMissingPings } from "../programs/pings.ts";
import { installMissingPrograms, reportMissingPrograms } from "../programs/programs.ts";
import { TestClock } from "../time/clock.ts";
import { appendCosts, readTreeSeconds } from "./cpu.ts";

let postgres: EmbeddedPostgres | undefined;
let folder = "";

export async function globalSetup(): Promise<void> {
  installMissingPrograms();
  await findWhetherPingsWork();
  reportMissing();
  folder = await mkdtemp(join(tmpdir(), "vedette-test-"));
  postgres = await startEmbeddedPostgres({
    dataDir: join(folder, "data"),
    log: createLog("silent"),
    onRestart: () => {},
    onAbandoned: (error) => {
      throw error;
    },
  });
  await makeDatabasesCheap(postgres.connection.host);
  await migrate(postgres.connection);
  await createPartitions(postgres.connection);
  process.env.VEDETTE_TEST_SOCKET = postgres.connection.host;
}

/** Creates the partitions in advance that every app would create when its clock starts. */
async function createPartitions(connection: DatabaseConnection): Promise<void> {
  const { db, close } = openDatabase(connection, createLog("silent"));
  await ensurePartitions(db, new TestClock().nowMs());
  await close();
}

export async function globalTeardown(): Promise<void> {
  if (postgres !== undefined) {
    const seconds = readTreeSeconds(postgres.pid());
    appendCosts([{ name: "PostgreSQL of all files", seconds }]);
    await postgres.stop();
  }
  await rm(folder, { recursive: true, force: true });
  reportMissing();
}

function reportMissing(): void {
  reportMissingPrograms();
  reportMissingPings();
}
