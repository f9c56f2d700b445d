import { execFile } from "node:child_process";
import { Resolver } from "node:dns/promises";
import type { StatsFs } from "node:fs";
import { readFile, statfs } from "node:fs/promises";
import { availableParallelism, freemem, totalmem } from "node:os";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import type { Config } from "../../config.ts";
import { readCode } from "../../platform/errors.ts";
import { checkMailServer } from "../../platform/mail.ts";
import { describeMachine, type ScriptMachine } from "../../sandbox/machine.ts";
import { findRuntimesFolder } from "../runtimes.ts";
import { type Finding, findingsOf } from "./finding.ts";

const network = findingsOf("Network");
const checks = findingsOf("Checks");

/** Checks whether the DNS server of this machine responds to a query. */
export async function diagnoseNames(host: string): Promise<readonly Finding[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  const servers = resolver.getServers();
  const fix =
    "Checks that name hosts will fail. Check /etc/resolv.conf, and whether its DNS server responds.";
  if (servers.length === 0)
    return [network.fail("This machine has no DNS server configured.", fix)];
  const started = performance.now();
  try {
    await resolver.resolve(host, "SOA");
  } catch (error) {
    const code = readCode(error);
    // A negative response still proves that the DNS server responds.
    if (code !== "ENODATA" && code !== "ENOTFOUND") {
      return [network.warn(`The DNS server ${servers[0]} does not respond (${code}).`, fix)];
    }
  }
  const ms = Math.round(performance.now() - started);
  return [network.ok(`The DNS server ${servers[0]} answers in ${ms} ms.`)];
}

export async function diagnoseMail(url: string | undefined): Promise<readonly Finding[]> {
  if (url === undefined) {
    return [
      network.ok(
        "No mail server is configured; alerts, invitations and password resets send no mail.",
      ),
    ];
  }
  const fault = await checkMailServer(url, 5_000);
  if (fault === null) return [network.ok("The mail server responds and accepts the credentials.")];
  return [
    network.fail(`The mail server of SMTP_URL cannot be used: ${fault}`, "Correct SMTP_URL."),
  ];
}

const netRaw = 13n;

interface PingFacts {
  readonly range: string;
  readonly groups: readonly number[];
  readonly capabilities: bigint;
}

export async function gatherPingFacts(): Promise<PingFacts | null> {
  try {
    const range = await readFile("/proc/sys/net/ipv4/ping_group_range", "utf8");
    const status = await readFile("/proc/self/status", "utf8");
    const capabilities = BigInt(`0x${/^CapEff:\s+([0-9a-f]+)/m.exec(status)?.[1] ?? "0"}`);
    const groups = [process.getgid?.() ?? 0, ...(process.getgroups?.() ?? [])];
    return { range, groups, capabilities };
  } catch {
    return null;
  }
}

export function judgePing(facts: PingFacts | null): Finding {
  if (facts === null)
    return checks.ok("Whether pings are allowed cannot be determined on this system.");
  const [low = 1, high = 0] = facts.range.trim().split(/\s+/).map(Number);
  const isInRange = facts.groups.some((group) => group >= low && group <= high);
  if (isInRange) return checks.ok("Pings are allowed: ICMP sockets need no privilege here.");
  if ((facts.capabilities >> netRaw) & 1n)
    return checks.ok("Pings are allowed: the process has CAP_NET_RAW.");
  return checks.fail(
    "Pings are not allowed: this user may open neither kind of ICMP socket.",
    'sysctl -w net.ipv4.ping_group_range="0 2147483647"   (keep it in /etc/sysctl.d/; see docs/operate.md)',
  );
}

export async function diagnoseScripts(
  config: Pick<Config, "SCRIPT_ISOLATION" | "SCRIPT_CHROMIUM" | "DATA_DIR">,
): Promise<readonly Finding[]> {
  return judgeScripts(await describeMachine(config, findRuntimesFolder(config)));
}

/**
 * Reports whether this machine can run the scripts and browsers of checks. A machine that cannot
 * run them is not reported as a failure, because checks of other kinds still run.
 */
export function judgeScripts(machine: ScriptMachine): readonly Finding[] {
  const { isolation, isolationMessage, isolationAdvice, browser, browserMessage } = machine;
  if (isolation === null) return [checks.warn(isolationMessage ?? "", isolationAdvice ?? "")];
  const weaker = isolationMessage === null ? "" : ` ${isolationMessage}`;
  const version = browser?.version == null ? "" : ` (${browser.version})`;
  return [
    checks.ok(`Scripts of checks are isolated (tier ${isolation}).${weaker}`),
    browser === null
      ? checks.ok(`Browser checks cannot run here. ${browserMessage}`)
      : checks.ok(`Browser checks use ${browser.path}${version}.`),
  ];
}

const { ok, warn, fail } = findingsOf("Machine");
const gigabyte = 1_000_000_000;
const show = (bytes: number) => `${(bytes / gigabyte).toFixed(1)} GB`;

function read(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}

/** Returns the disk statistics of a folder, or of its nearest existing parent. */
async function statNearest(folder: string): Promise<StatsFs> {
  try {
    return await statfs(folder);
  } catch (error) {
    const parent = dirname(folder);
    if (readCode(error) !== "ENOENT" || parent === folder) throw error;
    return statNearest(parent);
  }
}

/** Checks the free space and the free inodes of the disk that contains a folder. */
export async function diagnoseDisk(folder: string, what: string): Promise<readonly Finding[]> {
  const { bavail, blocks, bsize, files, ffree } = await statNearest(resolve(folder));
  return [
    judgeSpace({ freeBytes: bavail * bsize, totalBytes: blocks * bsize, folder }, what),
    ...(files > 0 ? [judgeInodes(ffree, files, what)] : []),
  ];
}

export function judgeSpace(
  {
    freeBytes,
    totalBytes,
    folder,
  }: { readonly freeBytes: number; readonly totalBytes: number; readonly folder: string },
  what: string,
): Finding {
  const sentence = `The disk of ${what} has ${show(freeBytes)} free of ${show(totalBytes)}.`;
  const share = freeBytes / Math.max(1, totalBytes);
  const advice =
    "Free some space, or retain results for a shorter time with RETENTION_DAYS. " +
    `\`du -xh --max-depth=1 ${resolve(folder)}\` shows what is large.`;
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

/** Reports the free memory: of the machine, or of the container if it has less. */
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

/**
 * Asks systemd whether NTP synchronises the clock of this machine. Nothing is sent over the
 * network.
 */
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
