import { setImmediate } from "node:timers/promises";

/**
 * Returns the CPU time of this thread in milliseconds, with a resolution of milliseconds on some
 * kernels. Tests use CPU time instead of wall time, because wall time also depends on other load.
 */
function readThreadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Returns the CPU time of all threads, including those that compile code and collect garbage. */
function readProcessMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export function measureCpuMs(run: () => void): number {
  const beforeMs = readThreadMs();
  run();
  return readThreadMs() - beforeMs;
}

/**
 * Returns the minimum CPU time of several attempts, to exclude compilation and garbage collection.
 */
export function measureLeastCpuMs(tries: number, work: (number: number) => void): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let number = 0; number < tries; number += 1) {
    const beforeMs = readProcessMs();
    work(number);
    leastMs = Math.min(leastMs, readProcessMs() - beforeMs);
  }
  return leastMs;
}

/** Measures the longest time that this thread worked without returning to its event loop. */
export async function measureLongestTurnMs(work: () => Promise<void>): Promise<number> {
  let longestMs = 0;
  let isDone = false;
  const watch = async () => {
    let beforeMs = readThreadMs();
    while (!isDone) {
      await setImmediate();
      const nowMs = readThreadMs();
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
