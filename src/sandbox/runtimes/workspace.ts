import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { mkdir, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { lockFolder } from "../../platform/data-folder.ts";
import { ExplainedError, readCode } from "../../platform/errors.ts";

export const run = promisify(execFile);

export const installPhases = ["waiting", "packages", "finishing"] as const;

export interface InstallProgress {
  /**
   * Phase of the installation. `waiting` means that another installation, or the removal of the
   * same runtime, must end first.
   */
  readonly phase: (typeof installPhases)[number];
  readonly packagesDone: number;
  readonly packagesTotal: number;
}

const prefix = ".installing-";
const progressName = "progress.json";
/**
 * Age after which progress is ignored. An installation repeats its progress more often, so older
 * progress belongs to a killed process.
 */
const staleAfterMs = 15_000;
const repeatEveryMs = 5_000;
const pollEveryMs = 250;

function pathOf(runtimesFolder: string, name: string): string {
  return join(runtimesFolder, prefix + name);
}

/** Returns the progress of an installation by any process; `null` if no process is installing. */
export function readProgress(runtimesFolder: string, name: string): InstallProgress | null {
  const path = join(pathOf(runtimesFolder, name), progressName);
  try {
    if (Date.now() - statSync(path).mtimeMs > staleAfterMs) return null;
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** Deletes a folder that may contain read-only files. */
export async function removeTree(path: string): Promise<void> {
  await run("chmod", ["-R", "u+w", path]).catch(() => {});
  await rm(path, { recursive: true, force: true, maxRetries: 5 });
}

async function empty(folder: string): Promise<void> {
  for (const entry of await readdir(folder)) await removeTree(join(folder, entry));
}

/**
 * Folders that this process has locked. Needed on file systems that do not support the kernel's
 * file lock.
 */
const held = new Set<string>();

/**
 * Locks a folder and returns a function that unlocks the folder; `null` if it is already locked.
 */
function tryHold(folder: string): (() => void) | null {
  if (held.has(folder)) return null;
  const lock = lockFolder(folder);
  if (lock === "held") return null;
  held.add(folder);
  return () => {
    if (lock !== "unsupported") lock.release();
    held.delete(folder);
  };
}

async function makeFolder(folder: string): Promise<void> {
  try {
    // Scripts run as another user, who must be able to read the runtime.
    await mkdir(folder, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new ExplainedError(
      `The folder ${folder} cannot be created (${readCode(error)}): make it writable for this user.`,
    );
  }
}

/** Deletes files that killed installations of any runtime left behind. */
async function removeLeftovers(runtimesFolder: string): Promise<void> {
  for (const entry of await readdir(runtimesFolder)) {
    if (!entry.startsWith(prefix)) continue;
    const folder = join(runtimesFolder, entry);
    const release = tryHold(folder);
    if (release === null) continue;
    await empty(folder).finally(release);
  }
}

/**
 * Folder of an installation in progress, beside the installed runtimes. Only one process at a time
 * can lock the folder. The folder itself is never deleted, because a new folder with the same name
 * would have a second, independent lock.
 */
export interface Workspace {
  readonly folder: string;
  readonly writeProgress: (progress: InstallProgress) => Promise<void>;
  readonly release: () => Promise<void>;
}

interface OpenOptions {
  readonly runtimesFolder: string;
  readonly name: string;
  readonly signal: AbortSignal;
  /** Called repeatedly while another task holds the workspace. */
  readonly onWait: () => void;
  /**
   * Interval at which the progress file gets a new modification time, because other processes
   * ignore progress in an old file. Tests set a shorter interval.
   */
  readonly repeatMs?: number;
}

/** Opens the workspace of a runtime. Waits while another task installs or removes the runtime. */
export async function openWorkspace(options: OpenOptions): Promise<Workspace> {
  const { runtimesFolder, name, signal, onWait, repeatMs = repeatEveryMs } = options;
  const folder = pathOf(runtimesFolder, name);
  await makeFolder(folder);
  await removeLeftovers(runtimesFolder);
  let release = tryHold(folder);
  while (release === null) {
    onWait();
    await sleep(pollEveryMs, undefined, { signal });
    release = tryHold(folder);
  }
  const unlock = release;
  await empty(folder);
  const path = join(folder, progressName);
  const repeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, repeatMs).unref();
  return {
    folder,
    writeProgress: async (progress) => {
      await writeFile(`${path}.new`, JSON.stringify(progress));
      await rename(`${path}.new`, path);
    },
    release: async () => {
      clearInterval(repeat);
      await empty(folder).finally(unlock);
    },
  };
}
