import { statfsSync } from "node:fs";
import { run } from "../runtimes/workspace.ts";

const minFreeBytes = 2 ** 30;
const measureEveryMs = 2_000;

/** Returns the disk usage of a folder in bytes. */
export async function measureFolder(folder: string): Promise<number> {
  const { stdout } = await run("du", ["-sk", folder]);
  return Number.parseInt(stdout, 10) * 1_024;
}

/**
 * Calls `write`, which fills a folder, with an abort signal. The signal aborts when the folder is
 * too large or the disk is almost full.
 */
export async function limitFolder<Result>(
  folder: string,
  maxBytes: number,
  write: (signal: AbortSignal) => Promise<Result>,
): Promise<{ readonly result: Result; readonly isTooLarge: boolean }> {
  const stopping = new AbortController();
  const timer = setInterval(async () => {
    const bytes = await measureFolder(folder).catch(() => 0);
    const { bavail, bsize } = statfsSync(folder);
    if (bytes > maxBytes || bavail * bsize < minFreeBytes) stopping.abort();
  }, measureEveryMs);
  try {
    const result = await write(stopping.signal);
    return { result, isTooLarge: stopping.signal.aborted };
  } finally {
    clearInterval(timer);
  }
}
