import { closeSync, constants, openSync } from "node:fs";
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ExplainedError, explainDiskError, readCode } from "./errors.ts";
import { loadFfi } from "./node-modules.ts";

const exclusiveAtOnce = 2 | 4;
const wouldBlock = 11;

interface DataLock {
  readonly release: () => Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly startedAt: string;
}

/** Returns the start time of a process. A pid is reused, but a pid with a start time is unique. */
async function readStartTime(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return readCode(error) === "EPERM";
  }
}

async function isHeld(holder: Holder): Promise<boolean> {
  if (holder.pid === process.pid || !isAlive(holder.pid)) return false;
  return (await readStartTime(holder.pid)) === holder.startedAt;
}

async function readHolder(path: string): Promise<Holder | null> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return null;
  }
}

/**
 * Paths of the locks that this process holds. The pid in a lock file is not sufficient to identify
 * the holder, because an earlier process may have had the same pid as this process.
 */
const heldHere = new Set<string>();

async function moveStaleAside(path: string, aside: string): Promise<Holder | null> {
  try {
    await rename(path, aside);
  } catch (error) {
    if (readCode(error) === "ENOENT") return null;
    throw error;
  }
  const moved = await readHolder(aside);
  const wasTakenMeanwhile = moved !== null && (await isHeld(moved));
  // Another server may have replaced the stale lock first. The file that was moved is then the lock
  // of the other server, so put the file back.
  if (wasTakenMeanwhile) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
  return wasTakenMeanwhile ? moved : null;
}

async function takeLock(path: string, dataFolder: string): Promise<void> {
  const mine = `${path}.${process.pid}`;
  const holder: Holder = { pid: process.pid, startedAt: await readStartTime(process.pid) };
  await writeFile(mine, JSON.stringify(holder), { mode: 0o644 });
  try {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      try {
        return await link(mine, path);
      } catch (error) {
        if (readCode(error) !== "EEXIST") throw error;
      }
      const other = await readHolder(path);
      if (other !== null && (await isHeld(other))) throw inUse(dataFolder, other.pid);
      const quicker = await moveStaleAside(path, `${mine}.stale`);
      if (quicker !== null) throw inUse(dataFolder, quicker.pid);
    }
    throw inUse(dataFolder, null);
  } finally {
    await rm(mine, { force: true });
  }
}

/**
 * Prevents two servers from using one data folder. Both would have the same server id and therefore
 * the same leases, and both would start PostgreSQL on the same files. The lock file shows operators
 * which process holds the lock. It is the only lock if the kernel lock is not supported.
 */
async function lockDataFolder(dataFolder: string): Promise<DataLock> {
  const path = join(dataFolder, "server.pid");
  if (heldHere.has(path)) throw inUse(dataFolder, process.pid);
  heldHere.add(path);
  const lock = lockFolder(dataFolder);
  const unlock = () => {
    if (typeof lock === "object") lock.release();
    heldHere.delete(path);
  };
  try {
    if (lock === "held") throw inUse(dataFolder, (await readHolder(path))?.pid ?? null);
    await takeLock(path, dataFolder);
  } catch (error) {
    unlock();
    throw error;
  }
  return {
    release: async () => {
      await rm(path, { force: true });
      unlock();
    },
  };
}

function inUse(dataFolder: string, pid: number | null): Error {
  const who = pid === null ? "Another Vedette" : `Another Vedette (process ${pid})`;
  return new ExplainedError(
    `${who} already uses the data folder ${dataFolder}.\n` +
      "Stop it first, or set DATA_DIR to another folder.",
  );
}

/**
 * Returns the folder for temporary files, such as uploads. The system's folder for temporary files
 * may be read-only, as in a container, or in memory. Files in this folder survive no restart.
 */
export const findScratchFolder = (dataDir: string) => join(resolve(dataDir), "tmp");

/** Removes what an earlier process that was killed has left behind. */
async function clearScratchFolder(dataDir: string): Promise<void> {
  const folder = findScratchFolder(dataDir);
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    // Scripts may remove permissions from their folders. Remaining files do no harm.
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** Creates the data folder if it is missing, locks it, and removes old temporary files. */
export async function openDataFolder(dataDir: string): Promise<DataLock> {
  const folder = resolve(dataDir);
  try {
    // Other users may enter the folder to reach the subfolders that belong to them. The subfolders
    // are private.
    await mkdir(folder, { recursive: true, mode: 0o711 });
    const lock = await lockDataFolder(folder);
    await clearScratchFolder(folder);
    return lock;
  } catch (error) {
    const disk = explainDiskError(error, folder);
    if (disk !== null) throw new ExplainedError(disk);
    if (readCode(error) !== "EACCES") throw error;
    const user = process.getuid?.() ?? "this user";
    throw new ExplainedError(
      `The data folder ${folder} cannot be written to by user ${user}.\n` +
        `Run \`chown -R ${user} ${folder}\` as root, or choose another DATA_DIR.`,
    );
  }
}
const signatures = {
  flock: { return: "int32", arguments: ["int32", "int32"] },
  __errno_location: { return: "pointer", arguments: [] },
} as const;

/** Loads `flock` from the C library; returns `null` if the library has no such function. */
function openLibc() {
  try {
    const { dlopen, toArrayBuffer } = loadFfi();
    const { functions } = dlopen(null, signatures);
    const errno = new Int32Array(toArrayBuffer(functions.__errno_location(), 4, false));
    return { flock: functions.flock, errno: () => errno[0] ?? 0 };
  } catch {
    return null;
  }
}

/**
 * Returns a function that closes a file descriptor only on the first call. On a later call, the
 * system may already use the descriptor for another file.
 */
function closeOnce(file: number): () => void {
  let isOpen = true;
  return () => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
}

/**
 * Acquires the kernel's lock on a folder. The kernel releases the lock when the process ends for
 * any reason. The lock also works between containers that share a volume, where pids are not
 * comparable. Returns "unsupported" if the system or the file system does not support such locks.
 */
export function lockFolder(folder: string): { release: () => void } | "held" | "unsupported" {
  const libc = openLibc();
  if (libc === null) return "unsupported";
  const file = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  if (libc.flock(file, exclusiveAtOnce) === 0) return { release: closeOnce(file) };
  const isHeld = libc.errno() === wouldBlock;
  closeSync(file);
  return isHeld ? "held" : "unsupported";
}
