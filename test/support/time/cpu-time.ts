import { setImmediate } from "node:timers/promises";

/**
 * What the work costs this thread. Wall time says as much about the machine's other work, and no
 * test may fail for that.
 */
export function measureCpuMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The figure of one thread moves in steps of milliseconds on some kernels; this one does not. */
function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The least of some tries, so that compiling and collecting garbage do not count. */
export function measureLeastCpuMs(tries: number, work: (number: number) => void): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let number = 0; number < tries; number += 1) {
    const beforeMs = readCpuMs();
    work(number);
    leastMs = Math.min(leastMs, readCpuMs() - beforeMs);
  }
  return leastMs;
}

/** How long others had to wait at most while this was done: the longest turn of the event loop. */
export async function measureLongestTurnMs(work: () => Promise<void>): Promise<number> {
  let longestMs = 0;
  let isDone = false;
  const watch = async () => {
    let beforeMs = readCpuMs();
    while (!isDone) {
      await setImmediate();
      const nowMs = readCpuMs();
      longestMs = Math.max(longestMs, nowMs - beforeMs);
      beforeMs = nowMs;
    }
  };
  const watching = watch();
  await work();
  isDone = true;
  await watching;
  return longestMs;
}
