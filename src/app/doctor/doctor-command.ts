import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../../config.ts";
import { systemClock } from "../../platform/clock.ts";
import { openDatabase, planDeadlines } from "../../platform/database-pool.ts";
import { ExplainedError, explainDiskError } from "../../platform/errors.ts";
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

/** Explains why the database cannot be opened. The embedded PostgreSQL writes no separate log. */
export function reportUnusable(
  error: unknown,
  config: Pick<Config, "DATA_DIR" | "DATABASE_URL">,
): Finding {
  const folder = resolve(config.DATA_DIR);
  const disk = explainDiskError(error, folder)?.replace(". ", ".\n");
  const [first = "", ...rest] = (disk ?? (error as Error).message).split("\n");
  const otherAdvice =
    config.DATABASE_URL === undefined
      ? `Check that this user may write to ${folder}. Start the server: it prints the messages of PostgreSQL.`
      : "Check DATABASE_URL, and read the log of that PostgreSQL.";
  const advice = rest.length > 0 ? rest.join("\n") : otherAdvice;
  return fail(`The database cannot be used: ${first}`, advice);
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
    return [reportUnusable(error, config)];
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
