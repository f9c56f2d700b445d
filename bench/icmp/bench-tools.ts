import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Debian package by program. */
const PACKAGES: Readonly<Record<string, string>> = {
  cc: "gcc",
  fping: "fping",
  ip: "iproute2",
  mtr: "mtr-tiny",
  tcpdump: "tcpdump",
};

/** Installs missing programs if run as root; otherwise names them and exits. */
export function requireTools(programs: readonly string[]): void {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => PACKAGES[program] ?? program);
  if (process.getuid?.() === 0) {
    console.log(`installing ${packages.join(" ")}`);
    spawnSync("apt-get", ["update"], { stdio: "ignore" });
    spawnSync("apt-get", ["install", "-y", ...packages], { stdio: "ignore" });
  }
  const stillMissing = programs.filter((program) => !isInstalled(program));
  if (stillMissing.length === 0) return;
  console.error(`Install these Debian packages first: ${packages.join(" ")}`);
  process.exit(2);
}

export function requireRoot(): void {
  if (process.getuid?.() === 0) return;
  console.error("This benchmark makes network namespaces and needs root.");
  process.exit(2);
}

/** Restarts this benchmark inside a new network namespace. Returns only inside it. */
export function enterNamespace(setUp: readonly string[]): void {
  if (process.argv.includes("--inside")) return;
  const script = ["set -e", "ip link set lo up", ...setUp, 'exec "$@"'].join("\n");
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1), "--inside"];
  const args = ["-n", "sh", "-c", script, "sh", ...self];
  const child = spawnSync("unshare", args, { stdio: "inherit" });
  process.exit(child.status ?? 1);
}

/** Compiles a C file beside the benchmarks and returns the path of the program. */
export function compile(sourceName: string): string {
  const folder = mkdtempSync(join(tmpdir(), "vedette-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, sourceName.replace(/\.c$/, ""));
  const source = new URL(sourceName, import.meta.url).pathname;
  const args = ["-O2", "-Wall", "-Wextra", "-o", program, source, "-lpthread"];
  const compiled = spawnSync("cc", args, { encoding: "utf8" });
  if (compiled.status !== 0) throw new Error(`cc failed: ${compiled.stderr}`);
  return program;
}

/** CPU seconds of this process, all its threads, and all children it has waited for. */
export function readCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const childTicks = Number(fields[13]) + Number(fields[14]);
  return (user + system) / 1e6 + childTicks / 100;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly bar: number;
  readonly direction: "at least" | "at most";
  readonly unit: string;
}

/** Prints each limit with its result. Returns whether all are met. */
export function judgeBars(bars: readonly Bar[]): boolean {
  let allMet = true;
  for (const { name, value, bar, direction, unit } of bars) {
    const met = direction === "at least" ? value >= bar : value <= bar;
    allMet &&= met;
    const verdict = met ? "met   " : "MISSED";
    const shown = Number.isInteger(value) ? String(value) : value.toFixed(2);
    console.log(`${verdict}  ${name}: ${shown}${unit} (bar: ${direction} ${bar}${unit})`);
  }
  return allMet;
}

function isInstalled(program: string): boolean {
  return spawnSync("which", [program]).status === 0;
}
