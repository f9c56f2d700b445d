import { readdirSync, readFileSync } from "node:fs";

const ticksPerSecond = 100;

function readStat(pid: number): { parent: number; cpuSeconds: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Includes the time of exited children, because databases open and close backends.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), cpuSeconds: ticks / ticksPerSecond };
  } catch {
    return null;
  }
}

/** Returns a process and all its descendants. */
export function listTree(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? readStat(pid) : null;
    if (stat !== null) parents.set(pid, stat.parent);
  }
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) {
      if (at === root) return true;
    }
    return false;
  };
  return [...parents.keys()].filter(isBelow);
}

export function readCpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (readStat(pid)?.cpuSeconds ?? 0), 0);
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
