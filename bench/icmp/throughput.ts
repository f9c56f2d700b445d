// Sends 10 echoes each to 10,000 loopback targets with our engine, with fping and with a bare C
// loop, in one network namespace and in turns, so that noise affects all three equally. ¶ fping
// numbers its packets with 16 bits and fails when 65,536 are in use within ten seconds, so it gets
// the targets in two halves of 50,000 echoes each. Its per-packet times (-C) are parsed by this
// process, as they would be if fping were the engine; the parsing counts as its cost.

import { spawn, spawnSync } from "node:child_process";
import { type IcmpEngine, startIcmpEngine } from "../../src/kinds/of/icmp/prober/index.ts";
import {
  compile,
  enterNamespace,
  judgeBars,
  median,
  readCpuSeconds,
  requireRoot,
  requireTools,
} from "./bench-tools.ts";

const TARGETS = 10_000;
const ECHOES_PER_TARGET = 10;
const ECHOES = TARGETS * ECHOES_PER_TARGET;
const ROUNDS = 9;
/** A server runs for months, and its code is compiled within the first few seconds. */
const WARM_UP_ROUNDS = 5;
const FPING_CHUNK = 5000;
const UNREAD: ["pipe", "ignore", "ignore"] = ["pipe", "ignore", "ignore"];

interface Sample {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly lost: number;
}

function targetAddress(index: number): string {
  const number = 0x7f01_0001 + index;
  return [number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255].join(".");
}

async function measure(action: () => Promise<number>): Promise<Sample> {
  const cpuBefore = readCpuSeconds();
  const startedMs = performance.now();
  const received = await action();
  const wallSeconds = (performance.now() - startedMs) / 1000;
  return { wallSeconds, cpuSeconds: readCpuSeconds() - cpuBefore, lost: ECHOES - received };
}

/** Starts all runs at once and returns the number of replies. */
async function runOurs(engine: IcmpEngine): Promise<number> {
  let received = 0;
  const runOne = async (index: number) => {
    const run = await engine.run({
      address: targetAddress(index),
      family: "IPv4",
      pingCount: ECHOES_PER_TARGET,
      spacingMs: 1,
      timeoutMs: 2000,
      payloadBytes: 56,
    });
    if (run.kind === "measured") received += run.statistics.packetsReceived;
  };
  await Promise.all(Array.from({ length: TARGETS }, (_, index) => runOne(index)));
  return received;
}

async function runFping(): Promise<number> {
  let received = 0;
  for (let first = 0; first < TARGETS; first += FPING_CHUNK) {
    const list = Array.from({ length: FPING_CHUNK }, (_, index) => targetAddress(first + index));
    received += countTimes(await readFping(list));
  }
  return received;
}

/** The best case for fping: the same echoes with only a summary per target, which is not parsed. */
async function runFpingUnread(): Promise<number> {
  for (let first = 0; first < TARGETS; first += FPING_CHUNK) {
    const list = Array.from({ length: FPING_CHUNK }, (_, index) => targetAddress(first + index));
    const count = ["-c", String(ECHOES_PER_TARGET), "-q", "-i", "0", "-p", "1", "-t", "2000"];
    spawnSync("fping", [...count, "-f", "-"], { input: list.join("\n"), stdio: UNREAD });
  }
  return ECHOES;
}

function readFping(targets: readonly string[]): Promise<string> {
  const times = ["-C", String(ECHOES_PER_TARGET), "-q", "-i", "0", "-p", "1", "-t", "2000"];
  return new Promise((resolve, reject) => {
    const child = spawn("fping", [...times, "-f", "-"], { stdio: ["pipe", "ignore", "pipe"] });
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", reject);
    child.on("close", () => resolve(output));
    child.stdin.end(`${targets.join("\n")}\n`);
  });
}

/** Parses the round-trip times of each line, as an engine built on fping would. */
function countTimes(output: string): number {
  let received = 0;
  for (const line of output.split("\n")) {
    const [, times] = line.split(" : ");
    if (times === undefined) continue;
    const parsed = times.split(" ").map((time) => (time === "-" ? null : Number(time)));
    received += parsed.filter((time) => time !== null).length;
  }
  return received;
}

function runC(program: string): Sample {
  const args = [String(TARGETS), String(ECHOES_PER_TARGET)];
  const child = spawnSync(program, args, { encoding: "utf8" });
  const { wallSeconds, cpuSeconds, received } = asLimitReport(JSON.parse(child.stdout));
  return { wallSeconds, cpuSeconds, lost: ECHOES - received };
}

// Validates the output of c-limit.c.
function asLimitReport(value: unknown): {
  wallSeconds: number;
  cpuSeconds: number;
  received: number;
} {
  return value as ReturnType<typeof asLimitReport>;
}

function describe(name: string, samples: readonly Sample[]): void {
  const rate = median(samples.map(({ wallSeconds }) => ECHOES / wallSeconds));
  const cpu = median(samples.map(({ cpuSeconds }) => (cpuSeconds / ECHOES) * 1e6));
  const lost = samples.map((sample) => sample.lost).join(" ");
  const speed = `${Math.round(rate)} echoes/s`;
  console.log(`${name.padEnd(24)} ${speed}, ${cpu.toFixed(2)} µs CPU per echo, lost ${lost}`);
}

/** Each round compares adjacent measurements; the ratio is the median over the rounds. */
function ratio(
  ours: readonly Sample[],
  theirs: readonly Sample[],
  of: (sample: Sample) => number,
): number {
  return median(
    ours.map((sample, index) => of(sample) / of(theirs[index] ?? { ...sample, cpuSeconds: 0 })),
  );
}

requireRoot();
requireTools(["cc", "fping", "ip"]);
enterNamespace(['echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range']);
const cProgram = compile("c-limit.c");
const engine = await startIcmpEngine({});
console.log(`mode ${engine.modes.IPv4.mode}: ${engine.modes.IPv4.reason}`);
console.log(`${TARGETS} targets × ${ECHOES_PER_TARGET} echoes, ${ROUNDS} rounds after warming up`);
for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await runOurs(engine);
const ours: Sample[] = [];
const fping: Sample[] = [];
const fpingUnread: Sample[] = [];
const limit: Sample[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  ours.push(await measure(() => runOurs(engine)));
  fping.push(await measure(runFping));
  fpingUnread.push(await measure(runFpingUnread));
  limit.push(runC(cProgram));
}
await engine.close();
describe("ours", ours);
describe("fping -C -q, read", fping);
describe("fping -c -q, unread", fpingUnread);
describe("C loop", limit);
const speed = ratio(fping, ours, ({ wallSeconds }) => wallSeconds);
const cpuToFping = ratio(ours, fping, ({ cpuSeconds }) => cpuSeconds);
const speedUnread = ratio(fpingUnread, ours, ({ wallSeconds }) => wallSeconds);
const cpuToUnread = ratio(ours, fpingUnread, ({ cpuSeconds }) => cpuSeconds);
const cpuToC = ratio(ours, limit, ({ cpuSeconds }) => cpuSeconds);
const lost = ours.reduce((sum, sample) => sum + Math.abs(sample.lost), 0);
const allMet = judgeBars([
  { name: "echoes/s, ours ÷ fping", value: speed, bar: 1.4, direction: "at least", unit: "" },
  {
    name: "CPU per echo, ours ÷ fping",
    value: cpuToFping,
    bar: 0.7,
    direction: "at most",
    unit: "",
  },
  {
    name: "echoes/s, ours ÷ fping -c -q",
    value: speedUnread,
    bar: 1.3,
    direction: "at least",
    unit: "",
  },
  {
    name: "CPU per echo, ours ÷ fping -c -q",
    value: cpuToUnread,
    bar: 0.8,
    direction: "at most",
    unit: "",
  },
  { name: "CPU per echo, ours ÷ C", value: cpuToC, bar: 2, direction: "at most", unit: "" },
  { name: "false losses in all rounds", value: lost, bar: 0, direction: "at most", unit: "" },
]);
process.exitCode = allMet ? 0 : 1;
