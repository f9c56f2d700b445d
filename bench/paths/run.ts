// Traces 1,000 paths of 10 hops at once, with our engine, with Debian's traceroute and with mtr, in
// turns in one chain of network namespaces. All send three echo requests per hop. The peers run as
// many processes at a time as our engine runs traces.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { serve } from "../../src/kinds/of/traceroute/prober/measure.ts";
import { createReach } from "../../src/platform/net/reach.ts";
import { createNameResolver } from "../../src/platform/net/resolve.ts";
import {
  buildOpenChain,
  makeTrace,
  right,
  runAsProbe,
} from "../../test/support/programs/routers.ts";
import { readCpuSeconds, requireRoot, requireTools } from "../icmp/bench-tools.ts";
import { type Figure, median, report } from "../support.ts";

const traceCount = 1_000;
const hopCount = 10;
const rounds = 3;
const warmUpTraces = 100;
const peerProcesses = 256;
const limitMs = 600_000;

interface Sample {
  readonly cpuSeconds: number;
  readonly seconds: number;
}

const target = right(hopCount - 1);
const tools = { resolver: createNameResolver(), reach: createReach({ allow: [], deny: [] }) };
const request = makeTrace(target, { protocol: "ICMP", timeoutMs: 30_000, maxUnknownHops: 15 });

/** Every trace must be complete, or the comparison means nothing. */
async function runOurs(count: number): Promise<void> {
  const outcomes = await Promise.all(Array.from({ length: count }, () => serve(request, tools)));
  for (const outcome of outcomes) {
    const { end, hops } =
      outcome.kind === "measured" ? outcome.measurement : { end: null, hops: [] };
    const isWhole = hops.length === hopCount && hops.every(({ addresses }) => addresses.length > 0);
    if (end !== "destinationReached" || !isWhole) throw new Error(JSON.stringify(outcome));
  }
}

async function runPeer(command: string): Promise<void> {
  const script = `yes ${target} | head -n ${traceCount} | xargs -P ${peerProcesses} -n 1 ${command}`;
  const child = spawn("sh", ["-c", `${script} > /dev/null`], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const [status] = await once(child, "exit");
  if (status !== 0) throw new Error(`${command} failed`);
}

async function measure(work: () => Promise<void>): Promise<Sample> {
  const cpuBefore = readCpuSeconds();
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  return { cpuSeconds: readCpuSeconds() - cpuBefore, seconds };
}

async function compare(): Promise<void> {
  const samples = { ours: [] as Sample[], traceroute: [] as Sample[], mtr: [] as Sample[] };
  // One first: packets that wait for the address of a neighbour are few.
  await runOurs(1);
  await runOurs(warmUpTraces);
  for (let round = 0; round < rounds; round += 1) {
    samples.ours.push(await measure(() => runOurs(traceCount)));
    samples.traceroute.push(await measure(() => runPeer("traceroute -n -I -q 3")));
    samples.mtr.push(await measure(() => runPeer("mtr -n -r -c 3 -i 0.1 -G 1")));
  }
  process.stdout.write(`${JSON.stringify(samples)}\n`);
}

type Samples = Readonly<Record<"ours" | "traceroute" | "mtr", readonly Sample[]>>;

function listFigures({ ours, traceroute, mtr }: Samples): Figure[] {
  const cpu = (list: readonly Sample[]) => median(list.map(({ cpuSeconds }) => cpuSeconds));
  const time = (list: readonly Sample[]) => median(list.map(({ seconds }) => seconds));
  return [
    { name: "CPU of our traces", value: cpu(ours), unit: "s" },
    { name: "CPU of traceroute", value: cpu(traceroute), unit: "s" },
    { name: "CPU of mtr", value: cpu(mtr), unit: "s" },
    { name: "Time of our traces", value: time(ours), unit: "s" },
    { name: "Time of traceroute", value: time(traceroute), unit: "s" },
    { name: "Time of mtr", value: time(mtr), unit: "s" },
    { name: "CPU ÷ traceroute", value: cpu(ours) / cpu(traceroute), atMost: 1.5 },
    { name: "CPU ÷ mtr", value: cpu(ours) / cpu(mtr), atMost: 0.3 },
    // traceroute sends everything at once, which routers that limit their errors punish.
    { name: "Time ÷ traceroute", value: time(ours) / time(traceroute), atMost: 2.5 },
    { name: "Time ÷ mtr", value: time(ours) / time(mtr), atMost: 1 },
  ];
}

if (process.argv.includes("--inside")) {
  await compare();
} else {
  requireRoot();
  requireTools(["ip", "traceroute", "mtr"]);
  const inside = [process.execPath, import.meta.filename, "--inside"];
  const output = runAsProbe(buildOpenChain(hopCount - 1), inside, limitMs);
  const samples = JSON.parse(output) as Samples;
  report(`${traceCount} traces of ${hopCount} hops at once`, listFigures(samples));
}
