import { readdirSync, readFileSync, readlinkSync, statfsSync } from "node:fs";
import { readCode } from "../../platform/errors.ts";
import type { SandboxExit, SandboxLimits } from "./plan.ts";
import { type ProcessUsage, readFile, readProcess, readShareOfMemory } from "./processes.ts";

/** Measures what a run uses, and decides whether the run exceeds a limit. */

/** Resources that a run uses at one time. */
export interface Usage {
  /** Memory of all processes and of files in memory. */
  readonly memoryBytes: number;
  readonly threads: number;
  /** Number of descriptors and of sockets. Above their limits, not all are counted. */
  readonly descriptors: number;
  readonly sockets: number;
  /** Free space on the disk with the files of the run; `null` if its files are in memory. */
  readonly disk: FreeSpace | null;
  /** Memory of this machine. */
  readonly machine: FreeSpace;
}

interface FreeSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/**
 * Maximum number of sockets of a run. The kernel stores what a socket has not delivered yet, and
 * this memory belongs to no process. Without larger buffers, which the filter of system calls
 * prevents, all sockets of a run together store at most about 256 MiB.
 */
export const maxSockets = 1_024;

/**
 * Maximum number of descriptors of a run. Each costs memory of the kernel: two descriptors of a
 * pipe, for example, up to 8 KiB after the pipes of a user store 64 MiB.
 */
const maxDescriptors = 16_384;

/** Free space below which a run ends, unless the disk or the machine is small. */
const minFreeBytes = 256 * 2 ** 20;
const minFreeDiskShare = 0.25;
const minFreeMachineShare = 0.05;

type Excess = Pick<SandboxExit, "limit" | "reason">;

/**
 * Returns the limit that a run exceeds, with a sentence if the name of the limit does not explain
 * it; `null` for a run within its limits. `before` is the usage at the start of the run.
 */
export function findExcess(now: Usage, before: Usage, limits: SandboxLimits): Excess | null {
  if (now.memoryBytes > limits.memoryBytes) return { limit: "memory", reason: null };
  if (now.threads > limits.processes) return { limit: "processes", reason: null };
  if (now.sockets > maxSockets) {
    const reason = `The script had more than ${maxSockets} open sockets.`;
    return { limit: "memory", reason };
  }
  if (now.descriptors > maxDescriptors) {
    const reason = `The processes of the script had more than ${maxDescriptors} descriptors.`;
    return { limit: "memory", reason };
  }
  const { disk, machine } = now;
  if (disk !== null && isLow(disk, minFreeDiskShare)) {
    const reason = `Only ${showMiB(disk.freeBytes)} were free on the disk with the files of the script.`;
    return { limit: "memory", reason };
  }
  // Not all memory that a script uses can be assigned to it. A run ends if the machine has little
  // memory left and lost at least the limit of the run since the run started.
  const lostBytes = before.machine.freeBytes - machine.freeBytes;
  if (isLow(machine, minFreeMachineShare) && lostBytes > limits.memoryBytes) {
    const reason = `Only ${showMiB(machine.freeBytes)} of the machine's memory were left.`;
    return { limit: "memory", reason };
  }
  return null;
}

const isLow = ({ freeBytes, totalBytes }: FreeSpace, share: number) =>
  freeBytes < Math.min(minFreeBytes, totalBytes * share);

const showMiB = (bytes: number) => `${Math.floor(bytes / 2 ** 20)} MiB`;

export interface MeasuredParts {
  readonly ids: readonly string[];
  /** Size of the files, which count towards the memory limit. */
  readonly filesBytes: number;
  /** Counts the sockets of the run; `null` if they are counted among the descriptors. */
  readonly countSockets: (() => number) | null;
  /** Folder on a disk; `null` if the files are in memory. */
  readonly folder: string | null;
  readonly limits: SandboxLimits;
}

export function measureUsage(parts: MeasuredParts): Usage {
  const { ids, filesBytes, countSockets, folder, limits } = parts;
  const processes = ids.map(readProcess);
  const sum = (read: (one: (typeof processes)[number]) => number) =>
    processes.reduce((total, one) => total + read(one), 0);
  let memoryBytes = filesBytes + sum(({ bytes }) => bytes);
  if (memoryBytes > limits.memoryBytes) {
    memoryBytes = filesBytes + sum(readShare);
  }
  // Most scripts have few descriptors, which are not worth counting.
  const slots = sum(({ descriptors }) => descriptors);
  const isInNetwork = countSockets !== null;
  const mayExceed = slots > (isInNetwork ? maxDescriptors : maxSockets);
  const open = mayExceed ? countOpen(processes, !isInNetwork) : { descriptors: slots, sockets: 0 };
  return {
    memoryBytes,
    threads: sum(({ threads }) => threads),
    ...open,
    ...(countSockets !== null && { sockets: countSockets() }),
    disk: folder === null ? null : readDisk(folder),
    machine: readMachine(),
  };
}

/** Returns the memory of a process with only its share of shared memory. */
function readShare({ id, bytes, tableBytes }: ProcessUsage): number {
  const share = readShareOfMemory(id);
  return share === null ? bytes : share + tableBytes;
}

/** Counts the sockets of this network namespace. Sockets that are sent to others count too. */
export function countSocketsOfNetwork(): number {
  const lines = readFileSync("/proc/net/protocols", "utf8").split("\n").slice(1);
  return lines.reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[2] ?? 0), 0);
}

/**
 * Counts the open descriptors of processes, and the sockets among them if `countsSockets`. Starts
 * with the processes that may have most, and ends as soon as a limit is exceeded: hundreds of
 * processes can have hundreds of thousands of descriptors, and open more during a slow count.
 */
export function countOpen(
  processes: readonly Pick<ProcessUsage, "id" | "descriptors">[],
  countsSockets = true,
) {
  const counts = { descriptors: 0, sockets: 0 };
  for (const { id, descriptors } of processes.toSorted((a, b) => b.descriptors - a.descriptors)) {
    const folder = `/proc/${id}/fd`;
    const names = readNames(folder);
    // A process that hides its descriptors counts as if its table were full of sockets.
    counts.descriptors += names?.length ?? descriptors;
    if (countsSockets) {
      counts.sockets +=
        names?.filter((name) => isSocket(`${folder}/${name}`)).length ?? descriptors;
    }
    if (counts.sockets > maxSockets || counts.descriptors > maxDescriptors) break;
  }
  return counts;
}

function readNames(folder: string): string[] | null {
  try {
    return readdirSync(folder);
  } catch (error) {
    return readCode(error) === "ENOENT" ? [] : null;
  }
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith("socket:");
  } catch {
    return false;
  }
}

/** Reads the free space of a disk; `null` if the folder was removed, because the run has ended. */
function readDisk(folder: string): FreeSpace | null {
  try {
    const { bsize, bavail, blocks } = statfsSync(folder);
    return { freeBytes: bsize * bavail, totalBytes: bsize * blocks };
  } catch {
    return null;
  }
}

function readMachine(): FreeSpace {
  const text = readFile("/proc/meminfo");
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0) * 1_024;
  return { freeBytes: read("MemAvailable"), totalBytes: read("MemTotal") };
}
