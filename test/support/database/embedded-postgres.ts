/**
 * Helpers for tests of the embedded PostgreSQL, which start it in this process or in other
 * processes.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import pg from "pg";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../../src/platform/embedded-postgres/index.ts";
import { captureLog } from "../apps/log.ts";

export type Connection = EmbeddedPostgres["connection"];

export async function createFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-pg-"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export interface StartedPostgres extends EmbeddedPostgres {
  readonly restarts: () => number;
  readonly logText: () => string;
}

/**
 * Starts an embedded PostgreSQL in this process. It stops at the end of the test, unless the test
 * has stopped it.
 */
export async function startPostgres(t: TestContext, dataDir: string): Promise<StartedPostgres> {
  const { log, text: logText } = captureLog();
  let restarts = 0;
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log,
    onRestart: () => {
      restarts += 1;
    },
    onAbandoned: (error) => {
      throw error;
    },
  });
  t.after(postgres.stop);
  return { ...postgres, restarts: () => restarts, logText };
}

/** Executes statements and returns the first column of the last statement's result. */
export async function query(connection: Connection, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  await client.connect();
  try {
    const results = [await client.query(sql)].flat();
    return results.at(-1)?.rows.map((row) => Object.values(row)[0]) ?? [];
  } finally {
    await client.end();
  }
}

export interface Owner {
  readonly process: ChildProcess;
  readonly pid: number;
  /**
   * Resolves with the connection when PostgreSQL is ready. Rejects with the process output if the
   * process exits.
   */
  readonly started: Promise<Connection & { readonly pid: number }>;
  readonly exited: Promise<number | null>;
}

async function readStart(child: ChildProcess): Promise<Connection & { readonly pid: number }> {
  const complaints: Buffer[] = [];
  child.stderr?.on("data", (chunk: Buffer) => complaints.push(chunk));
  if (child.stdout === null) throw new Error("the owner has no output");
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error(`The owner ended: ${Buffer.concat(complaints).toString()}`);
}

export const ownerScript = join(import.meta.dirname, "embedded-postgres-owner.ts");

/**
 * Starts an embedded PostgreSQL in a separate process, optionally through a command such as
 * `setpriv`.
 */
export function spawnOwner(
  t: TestContext,
  dataDir: string,
  through: readonly string[] = [],
): Owner {
  const [file = "", ...list] = [...through, process.execPath, ownerScript, dataDir];
  const child = spawn(file, list, { stdio: ["pipe", "pipe", "pipe"], cwd: "/" });
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const started = readStart(child);
  // The rejection is ignored here, because a test that kills the process early does not await the
  // promise.
  started.catch(() => {});
  t.after(async () => {
    child.stdin?.end();
    await exited;
  });
  return { process: child, pid: child.pid ?? 0, started, exited };
}
