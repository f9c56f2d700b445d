// Compares our round-trip times with those on the wire. A responder in a second namespace delays
// each request by 20 ms; the reference is, per packet, the interval between request and reply in a
// nanosecond capture on our end of the cable. Meanwhile the main thread is blocked for 50 ms at a
// time.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type EchoRun,
  type IcmpEngine,
  startIcmpEngine,
} from "../../src/kinds/of/icmp/prober/index.ts";
import {
  compile,
  enterNamespace,
  judgeBars,
  percentile,
  requireRoot,
  requireTools,
} from "./bench-tools.ts";
import { readWireTimes } from "./capture.ts";

const DELAY_MS = 20;
const TARGETS = 1000;
const ECHOES_PER_TARGET = 10;
const SPACING_MS = 100;
const START_SPREAD_MS = 1000;
const BLOCK_MS = 50;
const CAPTURE_LAG_MS = 1500;
const LIFETIME_SECONDS = 60;

function targetAddress(index: number): string {
  return `10.77.${128 + (index >> 8)}.${index & 255}`;
}

function sh(script: string): void {
  const done = spawnSync("sh", ["-ec", script], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${script}: ${done.stderr}`);
}

function waitForText(child: ChildProcess, text: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = "";
    const take = (chunk: Buffer) => {
      seen += chunk.toString();
      if (text.test(seen)) resolve();
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
    child.on("exit", () => reject(new Error(`a helper ended early: ${seen}`)));
  });
}

/**
 * Creates a veth pair into a separate namespace, where only the delaying responder replies. The
 * targets are behind one gateway, because a thousand neighbours would overflow the neighbour table.
 */
async function startResponder(program: string): Promise<ChildProcess> {
  const inside = [
    "echo joined",
    "tries=0; while ! ip link show theirs >/dev/null 2>&1; do",
    "  tries=$((tries+1)); [ $tries -lt 100 ] || exit 1; sleep 0.05; done",
    "ip link set lo up; ip link set theirs up; ip addr add 10.77.0.2/24 dev theirs",
    "ip route add local 10.77.128.0/17 dev lo",
    "echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all",
    'exec "$0" "$@"',
  ].join("\n");
  const args = ["-n", "sh", "-ec", inside, program, String(DELAY_MS), String(LIFETIME_SECONDS)];
  const child = spawn("unshare", args, { stdio: ["ignore", "pipe", "inherit"] });
  await waitForText(child, /joined/);
  sh(`ip link add ours type veth peer name theirs
      ip link set theirs netns ${child.pid}
      ip addr add 10.77.0.1/24 dev ours
      ip link set ours up
      ip route add 10.77.128.0/17 via 10.77.0.2`);
  await waitForText(child, /ready/);
  return child;
}

async function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.removeAllListeners("exit");
  await new Promise((resolve) => {
    child.on("exit", resolve);
    child.kill(signal);
  });
}

/** Blocks the main thread repeatedly until the returned function is called. */
function blockMainThread(): () => void {
  const text = JSON.stringify(Array.from({ length: 2000 }, (_, index) => ({ index, text: "x" })));
  let stopped = false;
  const block = () => {
    const untilMs = performance.now() + BLOCK_MS;
    while (performance.now() < untilMs) JSON.parse(text);
    if (!stopped) setImmediate(block);
  };
  setImmediate(block);
  return () => {
    stopped = true;
  };
}

async function makeRuns(engine: IcmpEngine): Promise<EchoRun[]> {
  const startOne = async (index: number) => {
    const delayMs = (index / TARGETS) * START_SPREAD_MS;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    return engine.run({
      address: targetAddress(index),
      family: "IPv4",
      pingCount: ECHOES_PER_TARGET,
      spacingMs: SPACING_MS,
      timeoutMs: 2000,
      payloadBytes: 56,
    });
  };
  return Promise.all(Array.from({ length: TARGETS }, (_, index) => startOne(index)));
}

interface Phase {
  readonly errorsUs: readonly number[];
  readonly compared: number;
  readonly lost: number;
}

async function measurePhase(engine: IcmpEngine, isBusy: boolean): Promise<Phase> {
  const file = join(tmpdir(), `vedette-accuracy-${process.pid}.pcap`);
  const precise = ["--time-stamp-precision=nano", "-B", "65536", "-s", "96", "-w", file];
  const dump = spawn("tcpdump", ["-Z", "root", "-i", "ours", ...precise, "icmp"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  await waitForText(dump, /listening on/);
  const stopBlocking = isBusy ? blockMainThread() : () => {};
  const runs = await makeRuns(engine);
  stopBlocking();
  // tcpdump delivers packets in blocks and loses an incomplete block when interrupted.
  await new Promise((resolve) => setTimeout(resolve, CAPTURE_LAG_MS));
  await stopChild(dump, "SIGINT");
  const wire = readWireTimes(readFileSync(file));
  rmSync(file);
  return compare(runs, wire);
}

function compare(runs: readonly EchoRun[], wire: ReturnType<typeof readWireTimes>): Phase {
  const errorsUs: number[] = [];
  let lost = 0;
  for (const [index, run] of runs.entries()) {
    if (run.kind !== "measured") throw new Error(`run ${index}: ${run.kind} ${run.reason}`);
    const truths = wire.get(targetAddress(index)) ?? [];
    // After a retried run, the capture has more requests than the result; such runs are skipped.
    if (run.repeats > 0 || truths.length !== run.packets.length) continue;
    for (const [sequence, packet] of run.packets.entries()) {
      const truth = truths[sequence] ?? null;
      if (packet.rttMs === null) lost += truth === null ? 0 : 1;
      else if (truth !== null) errorsUs.push(Math.abs(packet.rttMs - truth) * 1000);
    }
  }
  return { errorsUs, compared: errorsUs.length, lost };
}

function describe(name: string, { errorsUs, compared, lost }: Phase): void {
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(errorsUs, share).toFixed(2));
  console.log(
    `${name}: ${compared} echoes compared, |RTT error| p50 ${p50} µs, p99 ${p99} µs, ` +
      `max ${max} µs, ${lost} answered on the wire but lost by us`,
  );
}

requireRoot();
requireTools(["cc", "ip", "tcpdump"]);
enterNamespace(
  process.argv.includes("--raw")
    ? []
    : ['echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range'],
);
const responder = await startResponder(compile("delay-responder.c"));
const engine = await startIcmpEngine({});
console.log(`mode ${engine.modes.IPv4.mode}: ${engine.modes.IPv4.reason}`);
await measurePhase(engine, false);
const idle = await measurePhase(engine, false);
const busy = await measurePhase(engine, true);
await engine.close();
await stopChild(responder, "SIGKILL");
describe("main thread idle", idle);
describe(`main thread busy in ${BLOCK_MS} ms blocks`, busy);
const expected = TARGETS * ECHOES_PER_TARGET * 0.99;
const us = " µs";
const allMet = judgeBars([
  {
    name: "busy |RTT error| p50",
    value: percentile(busy.errorsUs, 0.5),
    bar: 2,
    direction: "at most",
    unit: us,
  },
  {
    name: "busy |RTT error| p99",
    value: percentile(busy.errorsUs, 0.99),
    bar: 20,
    direction: "at most",
    unit: us,
  },
  { name: "echoes compared", value: busy.compared, bar: expected, direction: "at least", unit: "" },
  { name: "false losses", value: busy.lost + idle.lost, bar: 0, direction: "at most", unit: "" },
]);
process.exitCode = allMet ? 0 : 1;
