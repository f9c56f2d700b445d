/**
 * Compares GET /v1/runtimes/{id} including its key check with a bare Fastify route that sends the
 * same bytes. The two servers alternate in short rounds, so that noise affects both equally. CPU
 * time per request is the steadier ratio, because it excludes waiting. Starts differ from each
 * other by a tenth, so both servers are started several times.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireTools } from "../icmp/bench-tools.ts";
import { readCpuSeconds } from "../scale/processes.ts";
import { median, report, type Spawned, spawnServer, write } from "../support.ts";
import { loadWithWrk } from "../wrk.ts";

const launches = 5;
const rounds = 5;
/** In the first seconds under load, V8's compiler threads use a sixth of the CPU time. */
const warmUpRounds = 10;
const secondsPerRound = 1;
const key = "bench-key-bench-key-bench-key";
const path = "/v1/runtimes/2025.04";
const headers = { authorization: `Bearer ${key}` };

interface Round {
  readonly requestsPerSecond: number;
  readonly cpuMicroseconds: number;
}

/** Counts only the server process: with a cached key, a request does not use PostgreSQL. */
async function runRound({ url, child }: Spawned): Promise<Round> {
  const pids = [child.pid ?? 0];
  const cpuBefore = readCpuSeconds(pids);
  const { requests, seconds } = await loadWithWrk(`${url}${path}`, {
    seconds: secondsPerRound,
    headers,
  });
  return {
    requestsPerSecond: requests / seconds,
    cpuMicroseconds: ((readCpuSeconds(pids) - cpuBefore) / requests) * 1e6,
  };
}

interface Pair {
  readonly ours: Round;
  readonly bare: Round;
}

async function startPair(folder: string): Promise<{ ours: Spawned; bare: Spawned }> {
  const ours = await spawnServer("bin/vedette.ts", ["server"], {
    PORT: "0",
    DATA_DIR: folder,
    BOOTSTRAP_API_KEY: key,
    EXAMPLE: "false",
    RATE_LIMIT_PER_MINUTE: "1000000",
  });
  const body = await (await fetch(`${ours.url}${path}`, { headers })).text();
  const bodyFile = join(folder, "body.json");
  writeFileSync(bodyFile, body);
  const bare = await spawnServer("bench/http/bare-server.ts", [bodyFile]);
  if ((await (await fetch(`${bare.url}${path}`)).text()) !== body) throw new Error("bytes differ");
  return { ours, bare };
}

async function runLaunch(): Promise<readonly Pair[]> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-bench-"));
  const { ours, bare } = await startPair(folder);
  try {
    const pairs: Pair[] = [];
    for (let round = 0; round < warmUpRounds + rounds; round += 1) {
      pairs.push({ ours: await runRound(ours), bare: await runRound(bare) });
    }
    return pairs.slice(warmUpRounds);
  } finally {
    await bare.stop();
    await ours.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the CPU time per request of bare Fastify divided by ours. */
function compareCpu(pairs: readonly Pair[]): number {
  const sum = (pick: (pair: Pair) => Round) =>
    pairs.reduce((total, pair) => total + pick(pair).cpuMicroseconds, 0);
  return sum(({ bare }) => bare) / sum(({ ours }) => ours);
}

function describe(name: string, some: readonly Round[]): void {
  const rate = median(some.map(({ requestsPerSecond }) => requestsPerSecond)).toFixed(0);
  const cpu = median(some.map(({ cpuMicroseconds }) => cpuMicroseconds)).toFixed(1);
  write(`  ${name}: ${rate} requests/s, ${cpu} µs of CPU per request`);
}

requireTools(["wrk"]);
const all: Pair[] = [];
const cpuRatios: number[] = [];
for (let launch = 1; launch <= launches; launch += 1) {
  const pairs = await runLaunch();
  all.push(...pairs);
  cpuRatios.push(compareCpu(pairs));
  write(`launch ${launch}: CPU ratio ${cpuRatios.at(-1)?.toFixed(3)}`);
  describe(
    "ours",
    pairs.map(({ ours }) => ours),
  );
  describe(
    "bare Fastify",
    pairs.map(({ bare }) => bare),
  );
}
const rates = all.map(({ ours, bare }) => ours.requestsPerSecond / bare.requestsPerSecond);
report("GET /v1/runtimes/{id} with key check ÷ bare Fastify, same bytes", [
  { name: "requests per second, median ratio", value: median(rates), atLeast: 0.65 },
  {
    name: "bare Fastify's CPU per request ÷ ours, median of launches",
    value: median(cpuRatios),
    atLeast: 0.65,
  },
]);
