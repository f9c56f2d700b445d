import { chmodSync, globSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memoryFolder = "/dev/shm";
const prefix = "vedette-test";
/**
 * Free memory that the folder needs. Databases use some hundred MiB at a time, and PostgreSQL
 * retains up to about 1 GiB of its write-ahead log.
 */
const neededBytes = 4 * 1024 ** 3;

/**
 * Returns the parent folder of the temporary files: in memory if there is enough, because a test
 * database costs 40 ms of CPU in memory and 180 to 340 ms on a disk.
 */
function findParent(): string {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    const freeBytes = Math.min(bavail * bsize, process.availableMemory());
    return freeBytes >= neededBytes ? memoryFolder : tmpdir();
  } catch {
    return tmpdir();
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Deletes the folders of earlier runs that have ended, because their files would occupy memory
 * until they are deleted.
 */
function removeLeftovers(parent: string): void {
  for (const name of globSync(`${prefix}-*-*`, { cwd: parent })) {
    const pid = Number(name.split("-").at(-2));
    if (!Number.isInteger(pid) || isRunning(pid)) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // The folder belongs to another user.
    }
  }
}

/** Creates the folder for all temporary files of this run, in memory if enough is free. */
export function createScratchFolder(): string {
  const parent = findParent();
  removeLeftovers(parent);
  const folder = mkdtempSync(join(parent, `${prefix}-${process.pid}-`));
  // PostgreSQL must be able to enter the folder. It runs as another user if the tests run as root.
  chmodSync(folder, 0o711);
  return folder;
}
