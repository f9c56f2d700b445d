import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** What the processes and files of a sandbox use, and how they are removed. */

/** Memory that is shared with other processes counts in each of them. */
export function readProcess(id: string): { readonly bytes: number; readonly threads: number } {
  const status = readFile(`/proc/${id}/status`);
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  return { bytes: read("RssAnon") * 1_024, threads: read("Threads") };
}

/**
 * Memory that is shared counts once. The kernel needs milliseconds for it, and hides it from other
 * users; then it is `null`.
 */
export function readShareOfMemory(id: string): number | null {
  const rollup = readFile(`/proc/${id}/smaps_rollup`);
  const match = /^Pss_Anon:\s+(\d+)/m.exec(rollup) ?? /^Pss:\s+(\d+)/m.exec(rollup);
  return match === null ? null : Number(match[1]) * 1_024;
}

/** Returns an empty text if the process has ended. */
function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Of the processes that ended, in clock ticks of 10 ms. */
export function readChildrenCpuMs(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = 0, system = 0] = fields.slice(13, 15).map(Number);
  return (user + system) * 10;
}

/** All processes below this one; those whose parent ended are its children. */
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
    // The process or a thread of it ended meanwhile.
    return [];
  }
}

/**
 * Ends all processes below this one. Stopped processes cannot start others, but count towards the
 * limit of processes; so even a script that starts them as fast as it can comes to a halt.
 */
export function endDescendants(): void {
  endAll(listDescendants);
}

interface RunOwner {
  /** Folder of the run, which is in the environment of its programs. */
  readonly root: string;
  /** The user of the script; `null` if it is that of this process. */
  readonly userId: number | null;
}

/** Ends what a script without namespaces has started, after its warden was killed. */
export function endProcessesOf({ root, userId }: RunOwner): void {
  const ofRun = (id: string) => {
    const user = /^Uid:\s+(\d+)/m.exec(readFile(`/proc/${id}/status`))?.[1];
    return userId === null
      ? readFile(`/proc/${id}/environ`).includes(`VEDETTE_ROOT=${root}\0`)
      : user === String(userId);
  };
  endAll(() => readdirSync("/proc").filter((name) => /^\d+$/.test(name) && ofRun(name)));
}

/** Stops processes first, so that none of them starts another one unnoticed. */
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
    // The process ended in the meantime.
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

/** The script's processes have ended; it may have taken the right to remove its files away. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    spawnSync("chmod", ["-R", "u+rwX", path]);
    rmSync(path, { recursive: true, force: true });
  }
}

const maxFiles = 20_000;

/**
 * Blocks on disk of all files. A script that hides or multiplies its files uses more than it may.
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

/** Returns `null` for a folder that cannot be read. */
function readFolder(path: string): string[] | null {
  try {
    return readdirSync(path);
  } catch (error) {
    // It may have been removed meanwhile.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? [] : null;
  }
}
