/**
 * Measures the CPU time of a process and its descendants, read from `/proc`. CPU time, unlike wall
 * time, is comparable between an idle and a busy machine. Only this process is counted outside
 * Linux and on kernels that do not list children.
 */
import { appendFileSync, readdirSync, readFileSync } from "node:fs";

/** Unit of the times in `/proc`. The kernel uses this value for every program. */
const ticksPerSecond = 100;

interface ProcessTimes {
  readonly pid: number;
  readonly parentPid: number;
  readonly ownSeconds: number;
  /** CPU time of ended children and of their ended descendants. */
  readonly endedChildrenSeconds: number;
}

/** Returns the times of a process; `null` if the process has ended or `/proc` does not exist. */
export function findTimes(pid: number): ProcessTimes | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The fields start after the process name, which is in brackets and may contain any character.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
    return {
      pid,
      parentPid: fields[1] ?? 0,
      ownSeconds: (user + system) / ticksPerSecond,
      endedChildrenSeconds: (childUser + childSystem) / ticksPerSecond,
    };
  } catch {
    return null;
  }
}

export function listProcesses(): ProcessTimes[] {
  try {
    const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
    return pids.map(findTimes).filter((times) => times !== null);
  } catch {
    return [];
  }
}

/** Returns the CPU seconds of all ended children of this process. */
export function readEndedChildrenSeconds(): number {
  return findTimes(process.pid)?.endedChildrenSeconds ?? 0;
}

function readOwnSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/**
 * Lists the children of a process by reading those of each thread. Reading every process of the
 * machine would cost ten times more.
 */
function listChildren(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const lists = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/children`, "latin1"));
    return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
  } catch {
    return [];
  }
}

/** Returns the CPU seconds so far of a process and all its descendants, both running and ended. */
export function readTreeSeconds(root = process.pid): number {
  let seconds = root === process.pid ? readOwnSeconds() : (findTimes(root)?.ownSeconds ?? 0);
  const pending = [root];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    seconds += findTimes(pid)?.endedChildrenSeconds ?? 0;
    const children = listChildren(pid);
    for (const child of children) seconds += findTimes(child)?.ownSeconds ?? 0;
    pending.push(...children);
  }
  return seconds;
}

export interface FileCost {
  readonly name: string;
  readonly seconds: number;
}

/**
 * Name of the entry for CPU time that the total does not contain, because nobody waited for the
 * processes.
 */
export const unseenCost = "ended without being waited for";

/** Environment variable with the path of the file to which a test process appends its costs. */
export const costsSetting = "VEDETTE_TEST_COSTS";

export function appendCosts(costs: readonly FileCost[]): void {
  const path = process.env[costsSetting];
  if (path === undefined) return;
  appendFileSync(path, costs.map((cost) => `${JSON.stringify(cost)}\n`).join(""));
}

export function readCosts(path: string): FileCost[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as FileCost);
}

/** Formats the most expensive files, then the total of the counted and the lost CPU time. */
export function formatCosts(
  costs: readonly FileCost[],
  countedSeconds: number,
  shown: number,
): string {
  const isFile = ({ name }: FileCost) => name !== unseenCost;
  const files = costs.filter(isFile).sort((a, b) => b.seconds - a.seconds);
  const unseen = costs.filter((cost) => !isFile(cost));
  const unseenSeconds = unseen.reduce((sum, { seconds }) => sum + seconds, 0);
  const format = ({ name, seconds }: FileCost) => `${seconds.toFixed(1).padStart(8)}  ${name}`;
  const dearest = files.slice(0, shown);
  const title =
    `CPU seconds of the ${dearest.length} dearest of ${files.length}, with child processes ` +
    "(the first file of a process includes loading the product):";
  const total = countedSeconds + unseenSeconds;
  const name = `in all (${unseenSeconds.toFixed(1)} of it ${unseenCost})`;
  return [title, ...dearest.map(format), format({ name, seconds: total }), ""].join("\n");
}
