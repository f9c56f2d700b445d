/**
 * A real PostgreSQL as a child process, for those who have no server of their own: its files are
 * under DATA_DIR, it listens on a unix socket only, it dies with us and is started again when it
 * dies alone. `binaries` finds the programs, `operator` says as whom they run, `cluster` owns the
 * files, `child` the process, `data-lock` keeps a second server away.
 */
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import type { Log } from "../log.ts";
import { copyBinaries, type PostgresBinaries, prepareBinaries } from "./binaries.ts";
import { type PostgresChild, spawnPostgres } from "./child.ts";
import { ensureCluster, ensureOwner, stopOrphan } from "./cluster.ts";
import { type DataLock, lockDataFolder } from "./data-lock.ts";
import {
  canOperatorReach,
  decideOperator,
  gatherOperatorFacts,
  type Operator,
} from "./operator.ts";

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly onRestart: () => void;
  /** Called once when it keeps dying and is given up. */
  readonly onGivenUp: (error: Error) => void;
}

export interface EmbeddedPostgres {
  readonly connection: { readonly host: string; readonly user: string; readonly database: string };
  readonly pid: () => number;
  readonly stop: () => Promise<void>;
}

const role = "vedette";
const maxSocketPathBytes = 100;
const readyPatienceMs = 120_000;
const maxRestartsPerMinute = 5;

const settings: Readonly<Record<string, string>> = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: "40",
  shared_buffers: "128MB",
  max_wal_size: "512MB",
  timezone: "UTC",
  log_timezone: "UTC",
};

async function prepareSocketFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, "socket");
  const path = join(folder, ".s.PGSQL.5432");
  // The kernel takes no longer socket path than this; then a short private folder serves.
  if (Buffer.byteLength(path) > maxSocketPathBytes) return mkdtemp(join(tmpdir(), "vedette-"));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

async function prepareOperator(dataDir: string): Promise<Operator> {
  const decided = decideOperator(gatherOperatorFacts(dataDir));
  if ("refusal" in decided) throw new Error(decided.refusal);
  return decided;
}

interface Prepared {
  readonly operator: Operator;
  readonly binaries: PostgresBinaries;
  readonly clusterFolder: string;
  readonly socketFolder: string;
}

async function prepare(dataDir: string): Promise<Prepared> {
  const operator = await prepareOperator(dataDir);
  const shipped = await prepareBinaries();
  const binaries = canOperatorReach(operator, shipped.root)
    ? shipped
    : await copyBinaries(shipped, join(dataDir, "postgres-programs"));
  const clusterFolder = join(dataDir, "postgres");
  const socketFolder = await prepareSocketFolder(dataDir);
  await stopOrphan(clusterFolder);
  await ensureCluster(binaries.initdb, clusterFolder, operator);
  await ensureOwner(clusterFolder, operator);
  await ensureOwner(socketFolder, operator);
  return { operator, binaries, clusterFolder, socketFolder };
}

async function connectAsAdministrator(socketFolder: string): Promise<pg.Client> {
  const client = new pg.Client({ host: socketFolder, user: "postgres", database: "postgres" });
  client.on("error", () => {});
  await client.connect();
  return client;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

async function waitUntilReady(child: PostgresChild, socketFolder: string): Promise<void> {
  let hasExited = false;
  void child.exited.then(() => {
    hasExited = true;
  });
  for (let waitedMs = 0; waitedMs < readyPatienceMs; waitedMs += 25) {
    if (hasExited) throw new Error(`PostgreSQL did not start:\n${child.lastLines()}`);
    try {
      const client = await connectAsAdministrator(socketFolder);
      await client.end();
      return;
    } catch {
      await pause(25);
    }
  }
  throw new Error(`PostgreSQL was not ready after two minutes:\n${child.lastLines()}`);
}

/** The application is not the superuser: what it may break, it owns. */
async function ensureRoleAndDatabase(socketFolder: string): Promise<void> {
  const client = await connectAsAdministrator(socketFolder);
  try {
    const roles = await client.query("select 1 from pg_roles where rolname = $1", [role]);
    if (roles.rowCount === 0) await client.query(`create role ${role} login`);
    const databases = await client.query("select 1 from pg_database where datname = $1", [role]);
    if (databases.rowCount === 0) await client.query(`create database ${role} owner ${role}`);
  } finally {
    await client.end();
  }
}

async function launch(prepared: Prepared, log: Log): Promise<PostgresChild> {
  const { operator, binaries, clusterFolder, socketFolder } = prepared;
  const all = { ...settings, unix_socket_directories: socketFolder };
  const list = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const command = { operator, file: binaries.postgres, arguments: ["-D", clusterFolder, ...list] };
  // After a kill the old backends hold the shared memory for a moment longer.
  for (let attempt = 1; ; attempt += 1) {
    const child = await spawnPostgres(command, log);
    try {
      await waitUntilReady(child, socketFolder);
      return child;
    } catch (error) {
      await child.stop();
      if (attempt === 5) throw error;
      await pause(200 * attempt);
    }
  }
}

class Supervisor {
  readonly #prepared: Prepared;
  readonly #options: EmbeddedPostgresOptions;
  #child: PostgresChild;
  #isStopping = false;
  #restarts: number[] = [];

  constructor(prepared: Prepared, options: EmbeddedPostgresOptions, child: PostgresChild) {
    this.#prepared = prepared;
    this.#options = options;
    this.#child = child;
    this.#watchForDeath();
  }

  get pid(): number {
    return this.#child.pid;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#child.stop();
  }

  #watchForDeath(): void {
    void this.#child.exited.then(() => (this.#isStopping ? undefined : this.#restart()));
  }

  async #restart(): Promise<void> {
    const nowMs = performance.now();
    this.#restarts = [...this.#restarts, nowMs].filter((atMs) => atMs > nowMs - 60_000);
    this.#options.log.error("the embedded PostgreSQL died; starting it again");
    try {
      if (this.#restarts.length > maxRestartsPerMinute) {
        throw new Error(`PostgreSQL keeps dying:\n${this.#child.lastLines()}`);
      }
      this.#child = await launch(this.#prepared, this.#options.log);
      if (this.#isStopping) await this.#child.stop();
      this.#options.onRestart();
      this.#watchForDeath();
    } catch (error) {
      this.#options.onGivenUp(error as Error);
    }
  }
}

async function prepareDataFolder(dataDir: string): Promise<DataLock> {
  // Others may pass through, to the folders that are theirs; each of those is private.
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  return lockDataFolder(dataDir);
}

export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const lock = await prepareDataFolder(dataDir);
  try {
    const prepared = await prepare(dataDir);
    const child = await launch(prepared, options.log);
    await ensureRoleAndDatabase(prepared.socketFolder);
    const supervisor = new Supervisor(prepared, options, child);
    return {
      connection: { host: prepared.socketFolder, user: role, database: role },
      pid: () => supervisor.pid,
      stop: async () => {
        await supervisor.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
