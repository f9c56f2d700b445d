import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface DataLock {
  readonly release: () => Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly startedAt: string;
}

/** A pid alone may have been given to somebody else since; pid and start time together may not. */
async function readStartTime(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
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
 * Never two servers on one data folder. This gives the clear message; PostgreSQL's own lock on its
 * files is what still holds if two servers race for the place of a dead one.
 */
export async function lockDataFolder(dataFolder: string): Promise<DataLock> {
  const path = join(dataFolder, "server.pid");
  const mine = `${path}.${process.pid}`;
  const holder: Holder = { pid: process.pid, startedAt: await readStartTime(process.pid) };
  await writeFile(mine, JSON.stringify(holder), { mode: 0o644 });
  try {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      try {
        await link(mine, path);
        return { release: () => rm(path, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const other = await readHolder(path);
      if (other !== null && (await isHeld(other))) throw inUse(dataFolder, other.pid);
      await rename(path, `${mine}.stale`);
      await rm(`${mine}.stale`, { force: true });
    }
    throw inUse(dataFolder, null);
  } finally {
    await rm(mine, { force: true });
  }
}

function inUse(dataFolder: string, pid: number | null): Error {
  const who = pid === null ? "Another Vedette" : `Another Vedette (process ${pid})`;
  return new Error(
    `${who} already uses the data folder ${dataFolder}.\n` +
      "Stop it first, or give this one its own folder with DATA_DIR.",
  );
}
