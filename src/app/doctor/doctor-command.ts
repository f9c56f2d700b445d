import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../../config.ts";
import { systemClock } from "../../platform/clock.ts";
import { openDatabase, planDeadlines } from "../../platform/database-pool.ts";
import { ExplainedError } from "../../platform/errors.ts";
import { besideServer } from "../commands.ts";
import { listDatabaseDiagnostics, listMachineDiagnostics } from "./doctor.ts";
import { type Diagnosis, diagnose, type Finding, findingsOf, runDiagnostics } from "./finding.ts";

const { warn, fail } = findingsOf("Database");

async function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

/**
 * Runs the diagnostics of the database. If the database cannot be opened, reports the reason. Never
 * creates a database.
 */
async function examineDatabase(config: Config): Promise<readonly Finding[]> {
  const folder = join(resolve(config.DATA_DIR), "postgres");
  if (config.DATABASE_URL === undefined && (await isMissing(folder))) {
    return [warn(`There is no database in ${config.DATA_DIR} yet.`, "`npm start` makes one.")];
  }
  try {
    return await besideServer(config, async (connection, log) => {
      const { db, close } = openDatabase(connection, log, planDeadlines(8_000));
      try {
        return (await runDiagnostics(listDatabaseDiagnostics(config, db, systemClock))).findings;
      } finally {
        await close();
      }
    });
  } catch (error) {
    const { message } = error as Error;
    const [first = "", ...rest] = message.split("\n");
    const advice = rest.length > 0 ? rest.join("\n") : "See the PostgreSQL log.";
    return [fail(`The database cannot be used: ${first}`, advice)];
  }
}

/**
 * Runs all diagnostics that work without a running server. If a setting is invalid, only the
 * invalid settings are reported, because the diagnostics need valid settings.
 */
export async function examine(readConfig: () => Config): Promise<Diagnosis> {
  try {
    return await examineAll(readConfig());
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    const fix = "Correct it; docs/configure.md lists all settings.";
    return diagnose([findingsOf("Machine").fail(error.message.replaceAll(/\n\s*/g, " "), fix)]);
  }
}

async function examineAll(config: Config): Promise<Diagnosis> {
  const machine = await runDiagnostics(listMachineDiagnostics(config));
  return diagnose([...machine.findings, ...(await examineDatabase(config))]);
}
