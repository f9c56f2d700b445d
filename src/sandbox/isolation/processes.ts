import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Measures the processes and files of a sandbox and removes them. */

export interface ProcessUsage {
  readonly id: string;
  /** Memory, with shared memory and the tables of pages. */
  readonly bytes: number;
  /** Memory of the tables of pages. */
  readonly tableBytes: number;
  readonly threads: number;
  /** Size of the table of descriptors, which is at least the number of open descriptors. */
  readonly descriptors: number;
}

/**
 * Returns the memory, the number of threads and the descriptors of a process. Shared memory counts
 * fully in each process.
 */
export function readProcess(id: string): ProcessUsage {
  const status = readFile(`/proc/${id}/status`);
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  const tableBytes = read("VmPTE") * 1_024;
  const bytes = (read("RssAnon") + read("RssShmem")) * 1_024 + tableBytes;
  return { id, bytes, tableBytes, threads: read("Threads"), descriptors: read("FDSize") };
}

/**
 * Returns the memory of a process with only its share of shared memory, so that the sum over all
 * processes counts shared memory once. A call takes milliseconds. Returns `null` for ended
 * processes and for processes of other users, whose data the kernel hides.
 */
export function readShareOfMemory(id: string): number | null {
  const rollup = readFile(`/proc/${id}/smaps_rollup`);
  const read = (name: string) => new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1];
  const [anonymous, shared, all] = [read("Pss_Anon"), read("Pss_Shmem"), read("Pss")];
  if (all === undefined) return null;
  return (anonymous === undefined ? Number(all) : Number(anonymous) + Number(shared)) * 1_024;
}

/** Reads a file of a process; empty if the file is not readable or the process has ended. */
export function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * Returns the CPU time of ended child processes. The kernel counts this time in clock ticks of 10
 * ms.
 */
export function readChildrenCpuMs(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = 0, system = 0] = fields.slice(13, 15).map(Number);
  return (user + system) * 10;
}

/**
 * Lists all descendants of this process. Orphaned descendants are included if this process adopts
 * orphans.
 */
export function listDescendants(): string[] {
  const found: string[] = [];
  const open = [String(process.pid)];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const children = listChildren(id);
    found.push(...children);
    open.push(...children);
  }
  return found;
}

function listChildren(id: string): string[] {
  try {
    return readdirSync(`/proc/${id}/task`).flatMap((thread) => {
      const list = readFileSync(`/proc/${id}/task/${thread}/children`, "utf8").trim();
      return list === "" ? [] : list.split(" ");
    });
  } catch {
    // A process or one of its threads ended while its children were read.
    return [];
  }
}

/**
 * Kills all descendants of this process, even if a script starts processes very quickly. All
 * processes are stopped before any process is killed. A stopped process starts no other processes,
 * but still counts towards the process limit.
 */
export function endDescendants(): void {
  endAll(listDescendants);
}

interface RunOwner {
  /** Folder of the run. The environment of the run's programs contains this path. */
  readonly root: string;
  /** User id of the script; `null` if the script has the same user as this process. */
  readonly userId: number | null;
}

/** Kills all processes of a run without namespaces. Needed if the supervising warden was killed. */
export function endProcessesOf({ root, userId }: RunOwner): void {
  const ofRun = (id: string) => {
    const user = /^Uid:\s+(\d+)/m.exec(readFile(`/proc/${id}/status`))?.[1];
    return userId === null
      ? readFile(`/proc/${id}/environ`).includes(`VEDETTE_ROOT=${root}\0`)
      : user === String(userId);
  };
  endAll(() => readdirSync("/proc").filter((name) => /^\d+$/.test(name) && ofRun(name)));
}

/**
 * Stops all listed processes before killing any, so that no process can start another process
 * unnoticed.
 */
function endAll(list: () => readonly string[]): void {
  const stopped = new Set<string>();
  for (;;) {
    const running = list().filter((id) => !stopped.has(id));
    if (running.length === 0) break;
    for (const id of running) {
      signal(id, "SIGSTOP");
      stopped.add(id);
    }
  }
  for (const id of stopped) signal(id, "SIGKILL");
}

function signal(id: string, name: "SIGSTOP" | "SIGKILL"): void {
  try {
    process.kill(Number(id), name);
  } catch {
    // The process has already ended.
  }
}

export function countThreadsOfUser(userId: number): number {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.reduce((sum, id) => sum + countThreads(id, userId), 0);
}

function countThreads(id: string, userId: number): number {
  try {
    const path = `/proc/${id}/task`;
    return lstatSync(path).uid === userId ? readdirSync(path).length : 0;
  } catch {
    return 0;
  }
}

/**
 * Removes a folder of a script after its processes have ended. The script may have removed the
 * write permission, so a failed attempt is repeated with new permissions.
 */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    spawnSync("chmod", ["-R", "u+rwX", path]);
    rmSync(path, { recursive: true, force: true });
  }
}

/** Maximum number of files that a script may create. */
export const maxFiles = 20_000;

/**
 * Returns the disk usage of all files in a folder in bytes. Returns infinity, which exceeds every
 * limit, if the script made a folder unreadable or created too many files.
 */
export function measureFolder(path: string): number {
  const budget = { files: maxFiles };
  return measureFiles(path, budget);
}

function measureFiles(path: string, budget: { files: number }): number {
  let bytes = 0;
  for (const name of readFolder(path) ?? [null]) {
    budget.files -= 1;
    if (name === null || budget.files < 0) return Number.POSITIVE_INFINITY;
    const file = lstatSync(join(path, name), { throwIfNoEntry: false });
    bytes += (file?.blocks ?? 0) * 512;
    if (file?.isDirectory()) bytes += measureFiles(join(path, name), budget);
  }
  return bytes;
}

/** Lists the names in a folder; `null` if the folder is not readable. */
function readFolder(path: string): string[] | null {
  try {
    return readdirSync(path);
  } catch (error) {
    // The folder may have been removed during the measurement.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? [] : null;
  }
}
