import { setImmediate } from "node:timers/promises";

/**
 * Measures CPU time of this thread. Wall time also depends on other load, and must not fail a test.
 */
export function measureCpuMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * The CPU time of one thread has a resolution of milliseconds on some kernels; this one does not.
 */
function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Minimum of several attempts, to exclude compilation and garbage collection. */
export function measureLeastCpuMs(tries: number, work: (number: number) => void): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let number = 0; number < tries; number += 1) {
    const beforeMs = readCpuMs();
    work(number);
    leastMs = Math.min(leastMs, readCpuMs() - beforeMs);
  }
  return leastMs;
}

/** Measures the longest time that the event loop was blocked during the work. */
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
