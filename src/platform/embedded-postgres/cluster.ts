import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  cp,
  lchown,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ExplainedError, readCode } from "../errors.ts";
import type { Log } from "../log.ts";
import { childEnvironment, commandAs, type Operator } from "./operator.ts";

/** Returns the uid that must own the files, because PostgreSQL rejects files of another owner. */
function ownerOf(operator: Operator): number | null {
  return operator.kind === "dedicated-user" ? operator.uid : (process.getuid?.() ?? null);
}

async function chownTree(folder: string, uid: number): Promise<void> {
  await chown(folder, uid, uid);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, uid);
  }
}

/** Sets the owner of a folder, which another user may have created or restored. */
export async function ensureOwner(folder: string, operator: Operator): Promise<void> {
  const wanted = ownerOf(operator);
  const { uid: owner } = await stat(folder);
  if (wanted === null || owner === wanted) return;
  if (process.getuid?.() !== 0) {
    throw new ExplainedError(
      `The data folder ${folder} belongs to user ${owner}, and this is user ${wanted}.\n` +
        `Run \`chown -R ${wanted} ${folder}\` as root, or choose another DATA_DIR.`,
    );
  }
  await chownTree(folder, wanted);
}

/** Whether a path exists. Throws if the path cannot be read, because it may contain data. */
async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (readCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Whether the folder contains a database. Corrects the owner of existing files. */
async function hasCluster(folder: string, operator: Operator): Promise<boolean> {
  if (!(await exists(folder))) return false;
  await ensureOwner(folder, operator);
  if (await exists(join(folder, "PG_VERSION"))) return true;
  if ((await readdir(folder)).length === 0) return false;
  throw new ExplainedError(
    `The folder ${folder} contains files but no PG_VERSION, so it is not a complete database.\n` +
      "Restore it from a backup, or move it away to start with an empty database.",
  );
}

/** Rejects files of another major version, because PostgreSQL cannot open such files. */
export async function rejectOtherMajorVersion(folder: string, version: string): Promise<void> {
  const found = (await readFile(join(folder, "PG_VERSION"), "utf8").catch(() => "")).trim();
  const [included = ""] = version.split(".");
  if (found === "" || found === included) return;
  throw new ExplainedError(
    `The database in ${folder} was created by PostgreSQL ${found}, and this release of Vedette includes ` +
      `PostgreSQL ${included}.\nWith the previous release, run\n` +
      "  npm run vedette backup /backups/before.backup\nand stop it. Then, with this release:\n" +
      `  mv ${folder} ${folder}-${found}\n` +
      "  npm run vedette restore /backups/before.backup\n  npm start",
  );
}

async function runInitdb(initdb: string, folder: string, operator: Operator): Promise<void> {
  const list = [
    `--pgdata=${folder}`,
    "--username=postgres",
    "--auth=trust",
    "--encoding=UTF8",
    // The built-in locale keeps the sort order of indexes when the system's libraries are upgraded.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
  ];
  const as = commandAs(operator, { file: initdb, arguments: list, isInit: true });
  const child = spawn(as.file, as.arguments, {
    ...as.identity,
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe"],
    env: childEnvironment,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000);
    });
  }
  const [code] = await once(child, "close");
  if (code !== 0)
    throw new ExplainedError(`PostgreSQL could not create its data folder:\n${output}`);
}

/**
 * Removes the incomplete folders of interrupted starts. A folder that cannot be removed does no
 * harm.
 */
async function removeUnfinished(prefix: string): Promise<void> {
  for (const name of await readdir(dirname(prefix))) {
    if (!name.startsWith(basename(prefix))) continue;
    const path = join(dirname(prefix), name);
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

/**
 * Empty database of the container image. PostgreSQL cannot create one for a user without an entry
 * in the password file, but it runs as such a user.
 */
export const emptyCluster = join(import.meta.dirname, "../../../empty-cluster");

/** PostgreSQL does not start if others may write. Kubernetes gives volumes to a group (`fsGroup`). */
async function closeToOthers(folder: string): Promise<void> {
  const { mode, uid } = await stat(folder);
  if ((mode & 0o027) !== 0 && uid === process.getuid?.()) await chmod(folder, 0o700);
}

/**
 * Creates the database files in a temporary folder and renames the folder when it is complete, so
 * that an interrupted start leaves no incomplete database. The temporary name is random, because
 * the initdb of a killed server may still be writing to its temporary folder.
 */
export async function ensureCluster(
  initdb: string,
  folder: string,
  operator: Operator,
): Promise<void> {
  if (await hasCluster(folder, operator)) return closeToOthers(folder);
  const prefix = `${folder}.init`;
  await removeUnfinished(prefix);
  const unfinished = await mkdtemp(`${prefix}-`);
  if (operator.kind === "dedicated-user") {
    await chown(unfinished, operator.initUid, operator.initUid);
  }
  if (operator.kind === "unlisted") await cp(emptyCluster, unfinished, { recursive: true });
  else await runInitdb(initdb, unfinished, operator);
  if (operator.kind === "dedicated-user") await chownTree(unfinished, operator.uid);
  await chmod(unfinished, 0o700);
  await rename(unfinished, folder);
}

export const readPostmasterPid = (folder: string) => readPid(join(folder, "postmaster.pid"));

async function readPid(path: string): Promise<number | null> {
  const lines = await readFile(path, "utf8").catch(() => "");
  const pid = Number.parseInt(lines, 10);
  return Number.isInteger(pid) && pid > 1 ? pid : null;
}

/** Whether a process has its working directory in the folder, as a running PostgreSQL does. */
async function isAnybodyIn(folder: string): Promise<boolean> {
  const wanted = await realpath(folder);
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    if ((await readlink(`/proc/${name}/cwd`).catch(() => "")) === wanted) return true;
  }
  return false;
}

function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return readCode(error) === "EPERM";
  }
}

/**
 * Removes stale locks of the database and of its socket that PostgreSQL does not remove itself. A
 * power failure can leave a lock empty or zeroed, and after a restart of the container, another
 * process or one of its threads may have the pid in the lock. PostgreSQL does not start until such
 * a lock is deleted. Deleting it is safe: the data folder is locked, an orphaned PostgreSQL has
 * been stopped, and no process works in the folder of the database.
 */
export async function removeStaleLocks(
  folder: string,
  socketFolder: string,
  log: Log,
): Promise<void> {
  const locks = [join(folder, "postmaster.pid"), join(socketFolder, ".s.PGSQL.5432.lock")];
  for (const path of locks) {
    if (!(await exists(path))) continue;
    const pid = await readPid(path);
    if (pid !== null && !isTaken(pid)) continue;
    if (await isAnybodyIn(folder)) return;
    await rm(path);
    log.warn({ path, pid }, "removed a stale lock of PostgreSQL");
  }
}

/** Whether a process is the PostgreSQL of this folder, and neither a zombie nor a reused pid. */
async function isPostgresOf(pid: number, folder: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return commandLine.includes(`\0-D\0${folder}\0`);
}

async function isZombie(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return status.slice(status.lastIndexOf(")") + 2).startsWith("Z");
}

/** Waits until a zombie is reaped. Until then, a new PostgreSQL considers its predecessor alive. */
async function waitUntilReaped(pid: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < 5_000 && (await isZombie(pid)); waitedMs += 20) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Stops a PostgreSQL that an earlier Vedette process left running in the folder. Normally a watcher
 * stops PostgreSQL when that process is killed, but the watcher may have been killed too.
 */
export async function stopOrphan(folder: string): Promise<void> {
  const pid = await readPostmasterPid(folder);
  if (pid === null) return;
  if (!(await isPostgresOf(pid, folder))) return waitUntilReaped(pid);
  process.kill(pid, "SIGINT");
  for (let waitedMs = 0; await isPostgresOf(pid, folder); waitedMs += 50) {
    if (waitedMs === 10_000) process.kill(pid, "SIGQUIT");
    if (waitedMs > 20_000) {
      throw new ExplainedError(
        `The PostgreSQL process ${pid} of ${folder} does not stop. Kill it first.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await waitUntilReaped(pid);
}
