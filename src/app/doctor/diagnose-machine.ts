import { execFile } from "node:child_process";
import type { StatsFs } from "node:fs";
import { readFile, statfs } from "node:fs/promises";
import { availableParallelism, freemem, totalmem } from "node:os";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { readCode } from "../../platform/errors.ts";
import { type Finding, findingsOf } from "./finding.ts";

const { ok, warn, fail } = findingsOf("Machine");
const gigabyte = 1_000_000_000;
const show = (bytes: number) => `${(bytes / gigabyte).toFixed(1)} GB`;

function read(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}

/** A folder that does not exist yet will be on the disk of its nearest existing parent. */
async function statNearest(folder: string): Promise<StatsFs> {
  try {
    return await statfs(folder);
  } catch (error) {
    const parent = dirname(folder);
    if (readCode(error) !== "ENOENT" || parent === folder) throw error;
    return statNearest(parent);
  }
}

/** Diagnoses space and inodes of one folder. */
export async function diagnoseDisk(folder: string, what: string): Promise<readonly Finding[]> {
  const { bavail, blocks, bsize, files, ffree } = await statNearest(resolve(folder));
  return [
    judgeSpace({ freeBytes: bavail * bsize, totalBytes: blocks * bsize }, what),
    ...(files > 0 ? [judgeInodes(ffree, files, what)] : []),
  ];
}

export function judgeSpace(
  { freeBytes, totalBytes }: { readonly freeBytes: number; readonly totalBytes: number },
  what: string,
): Finding {
  const sentence = `The disk of ${what} has ${show(freeBytes)} free of ${show(totalBytes)}.`;
  const share = freeBytes / Math.max(1, totalBytes);
  const advice =
    "Free some space, or retain results for a shorter time with RETENTION_DAYS. `du -xh --max-depth=1 /` shows what is large.";
  if (freeBytes < 0.5 * gigabyte || share < 0.02) return fail(sentence, advice);
  return freeBytes < 2 * gigabyte || share < 0.1 ? warn(sentence, advice) : ok(sentence);
}

export function judgeInodes(free: number, total: number, what: string): Finding {
  const percent = Math.floor((100 * free) / total);
  const sentence = `The disk of ${what} has ${percent} % of its inodes free.`;
  const advice = "Delete small files that are not needed; `df -i` shows the disk.";
  if (percent < 2) return fail(sentence, advice);
  return percent < 10 ? warn(sentence, advice) : ok(sentence);
}

/** Uses the container's memory limit, or the machine's memory. */
export async function diagnoseMemory(): Promise<readonly Finding[]> {
  const limit = Number.parseInt((await read("/sys/fs/cgroup/memory.max")) ?? "", 10);
  const used = Number.parseInt((await read("/sys/fs/cgroup/memory.current")) ?? "", 10);
  const meminfo = (await read("/proc/meminfo")) ?? "";
  const available = Number(/^MemAvailable:\s+(\d+)/m.exec(meminfo)?.[1] ?? Number.NaN) * 1_024;
  const isLimited = Number.isFinite(limit) && limit < totalmem();
  const total = isLimited ? limit : totalmem();
  const machineFree = Number.isFinite(available) ? available : freemem();
  const free = isLimited ? Math.min(limit - used, machineFree) : machineFree;
  const sentence = `${show(free)} of ${show(total)} memory is free; ${availableParallelism()} cores.`;
  const advice = "Add memory to the machine or the container; Vedette needs about 0.5 GB.";
  return [free < 0.15 * gigabyte ? warn(sentence, advice) : ok(sentence)];
}

export async function diagnoseFiles(): Promise<readonly Finding[]> {
  const limits = await read("/proc/self/limits");
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits ?? "")?.[1] ?? Number.NaN);
  if (!Number.isFinite(limit)) return [];
  const sentence = `This process may open ${limit} files and sockets at once.`;
  const advice = "Raise it: LimitNOFILE=65536 in the systemd unit, or `ulimit -n 65536` before.";
  return [limit < 4_096 ? warn(sentence, advice) : ok(sentence)];
}

export function diagnoseZone(): readonly Finding[] {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return [ok(`The time zone of this machine is ${zone}; times are stored in UTC.`)];
  } catch {
    return [warn(`The time zone ${zone} is not known.`, "Set TZ to a zone, such as TZ=UTC.")];
  }
}

const run = promisify(execFile);

/** Queries the machine, never the network. */
export async function diagnoseTimeService(): Promise<readonly Finding[]> {
  const answer = await run("timedatectl", ["show", "-p", "NTPSynchronized", "--value"], {
    timeout: 3_000,
  }).catch(() => null);
  const isSynchronized = answer?.stdout.trim();
  if (isSynchronized === "yes") return [ok("NTP synchronizes the clock.")];
  const advice = "Start a time service: `timedatectl set-ntp true`, or install chrony.";
  if (isSynchronized === "no") return [warn("NTP does not synchronize the clock.", advice)];
  return [ok("Whether NTP synchronizes the clock cannot be determined here; the host may do it.")];
}
