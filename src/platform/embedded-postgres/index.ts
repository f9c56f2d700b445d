/**
 * Runs a real PostgreSQL as a child process, for users without a database server. Its files are in
 * DATA_DIR, and it listens on a Unix socket only. It ends with this process, and it is restarted if
 * it dies. `operator` decides which user runs PostgreSQL and starts the process, `cluster` manages
 * the files, and `supervisor` finds the programs, launches PostgreSQL and restarts it.
 */

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { openDataFolder } from "../data-folder.ts";
import { ExplainedError, readCode } from "../errors.ts";
import {
  emptyCluster,
  ensureCluster,
  ensureOwner,
  rejectOtherMajorVersion,
  stopOrphan,
} from "./cluster.ts";
import type { PostgresChild } from "./operator.ts";
import {
  canOperatorReach,
  decideOperator,
  gatherOperatorFacts,
  type Operator,
} from "./operator.ts";
import {
  connectAsAdministrator,
  copyBinaries,
  launchPostgres,
  letOthersRead,
  type PreparedPostgres,
  prepareBinaries,
  Supervisor,
  type SupervisorOptions,
} from "./supervisor.ts";

interface EmbeddedPostgresOptions extends SupervisorOptions {
  readonly dataDir: string;
}

export interface EmbeddedPostgres {
  readonly connection: { readonly host: string; readonly user: string; readonly database: string };
  readonly pid: () => number;
  readonly stop: () => Promise<void>;
}

const role = "vedette";
const maxSocketPathBytes = 100;

async function prepareSocketFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, "socket");
  const path = join(folder, ".s.PGSQL.5432");
  // The kernel limits the length of a socket path, so a short private folder replaces a long path.
  if (Buffer.byteLength(path) > maxSocketPathBytes) return mkdtemp("/tmp/vedette-");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

async function removeSocketFolder(dataDir: string, folder: string): Promise<void> {
  if (dirname(folder) !== dataDir) await rm(folder, { recursive: true, force: true });
}

function chooseOperator(dataDir: string): Operator {
  const hasCluster = existsSync(emptyCluster) || existsSync(join(dataDir, "postgres/PG_VERSION"));
  const decided = decideOperator(gatherOperatorFacts(dataDir, hasCluster));
  if ("problem" in decided) throw new ExplainedError(decided.problem);
  return decided;
}

/** Creates the empty database of the container image, readable by every user. */
export async function createEmptyCluster(folder = emptyCluster): Promise<void> {
  const { initdb } = await prepareBinaries();
  await ensureCluster(initdb, folder, chooseOperator(dirname(folder)));
  await letOthersRead(folder);
}

async function prepare(dataDir: string): Promise<PreparedPostgres> {
  const clusterFolder = join(dataDir, "postgres");
  await stopOrphan(clusterFolder);
  const operator = chooseOperator(dataDir);
  const shipped = await prepareBinaries();
  const binaries = canOperatorReach(operator, shipped.root)
    ? shipped
    : await copyBinaries(shipped, dataDir);
  await rejectOtherMajorVersion(clusterFolder, binaries.version);
  await ensureCluster(binaries.initdb, clusterFolder, operator);
  const socketFolder = await prepareSocketFolder(dataDir);
  await ensureOwner(socketFolder, operator);
  return { operator, binaries, clusterFolder, socketFolder };
}

/** Creates the role and the database of the application. The role is not a superuser. */
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

async function launchWithDatabase(
  prepared: PreparedPostgres,
  options: EmbeddedPostgresOptions,
): Promise<PostgresChild> {
  const child = await launchPostgres(prepared, options.log, new AbortController().signal);
  try {
    await ensureRoleAndDatabase(prepared.socketFolder);
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}

export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const lock = await openDataFolder(dataDir);
  let socketFolder = join(dataDir, "socket");
  const leave = async () => {
    await removeSocketFolder(dataDir, socketFolder);
    await lock.release();
  };
  try {
    const prepared = await prepare(dataDir);
    socketFolder = prepared.socketFolder;
    const child = await launchWithDatabase(prepared, options);
    const supervisor = new Supervisor(prepared, options, child);
    return {
      connection: { host: socketFolder, user: role, database: role },
      pid: () => supervisor.pid,
      stop: async () => {
        await supervisor.stop();
        await leave();
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}

/**
 * Index of the line of postmaster.pid that contains the socket folder. The first line has index 0.
 */
const socketLine = 4;

/** Returns the connection to the PostgreSQL of a running server; `null` if none runs. */
export async function findRunningPostgres(
  dataDir: string,
): Promise<EmbeddedPostgres["connection"] | null> {
  const path = join(resolve(dataDir), "postgres", "postmaster.pid");
  try {
    const socketFolder = (await readFile(path, "utf8")).split("\n")[socketLine] ?? "";
    if (socketFolder === "") return null;
    const client = await connectAsAdministrator(socketFolder);
    await client.end();
    return { host: socketFolder, user: role, database: role };
  } catch (error) {
    const code = readCode(error);
    if (code === "EACCES") {
      throw new ExplainedError(
        `The data folder ${resolve(dataDir)} is not readable by this user.\n` +
          "Run this command as the user who runs Vedette, or as root.",
      );
    }
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ECONNREFUSED") return null;
    throw error;
  }
}
