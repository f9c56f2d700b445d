import { readFileSync } from "node:fs";
import { findTimes, listProcesses } from "../../test/support/runner/cpu.ts";

/** Returns a process and all its descendants. */
export function listTree(root: number): number[] {
  const parents = new Map(listProcesses().map(({ pid, parentPid }) => [pid, parentPid]));
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) {
      if (at === root) return true;
    }
    return false;
  };
  return [...parents.keys()].filter(isBelow);
}

/** Includes the time of exited children, because databases open and close backends. */
export function readCpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const { ownSeconds = 0, endedChildrenSeconds = 0 } = findTimes(pid) ?? {};
    return sum + ownSeconds + endedChildrenSeconds;
  }, 0);
}

/** Proportional set size: memory shared by PostgreSQL's processes is counted once. */
export function readMemoryMiB(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
      return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1024;
}
