/**
 * GET /v1/runtimes/{id} with its key check against a bare Fastify route that sends the same bytes.
 * The two servers take turns in short rounds, so that whatever else the machine does falls on both
 * alike. CPU time per request is the steadier of the two ratios: it does not count waiting.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { readCpuSeconds } from "../scale/processes.ts";
import { median, report, type Spawned, spawnServer, write } from "../support.ts";

const rounds = 15;
/** In the first seconds under load V8's compiling threads use a sixth of the CPU time. */
const warmUpRounds = 10;
const secondsPerRound = 1;
const key = "bench-key-bench-key-bench-key";
const path = "/v1/runtimes/2025.04";
const headers = { authorization: `Bearer ${key}` };

interface Round {
  readonly requestsPerSecond: number;
  readonly cpuMicroseconds: number;
}

/** The server's own process only: PostgreSQL has no part in a request whose key is remembered. */
async function runRound({ url, child }: Spawned): Promise<Round> {
  const pids = [child.pid ?? 0];
  const cpuBefore = readCpuSeconds(pids);
  const options = { headers, connections: 32, duration: secondsPerRound };
  const result = await autocannon({ url: `${url}${path}`, ...options });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url} refused requests`);
  return {
    requestsPerSecond: result.requests.total / result.duration,
    cpuMicroseconds: ((readCpuSeconds(pids) - cpuBefore) / result.requests.total) * 1e6,
  };
}

const folder = mkdtempSync(join(tmpdir(), "vedette-bench-"));
const product = await spawnServer("bin/vedette.ts", ["server"], {
  PORT: "0",
  DATA_DIR: folder,
  BOOTSTRAP_API_KEY: key,
  EXAMPLE: "false",
  RATE_LIMIT_PER_MINUTE: "1000000",
});
const body = await (await fetch(`${product.url}${path}`, { headers })).text();
const bodyFile = join(folder, "body.json");
writeFileSync(bodyFile, body);
const bare = await spawnServer("bench/http/bare-server.ts", [bodyFile]);
try {
  if ((await (await fetch(`${bare.url}${path}`)).text()) !== body) throw new Error("bytes differ");
  for (let round = 0; round < warmUpRounds; round += 1) {
    await runRound(product);
    await runRound(bare);
  }
  const ours: Round[] = [];
  const theirs: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await runRound(product));
    theirs.push(await runRound(bare));
  }
  const rates = ours.map((one, at) => one.requestsPerSecond / (theirs[at]?.requestsPerSecond ?? 0));
  const sum = (some: readonly Round[]) =>
    some.reduce((total, one) => total + one.cpuMicroseconds, 0);
  const describe = (name: string, some: readonly Round[]) => {
    const rate = median(some.map(({ requestsPerSecond }) => requestsPerSecond)).toFixed(0);
    write(`  ${name}: ${rate} requests/s, ${(sum(some) / rounds).toFixed(1)} µs of CPU a request`);
  };
  describe("ours", ours);
  describe("bare Fastify", theirs);
  report("GET /v1/runtimes/{id} with key check ÷ bare Fastify, same bytes", [
    { name: "requests per second, median ratio", value: median(rates), atLeast: 0.65 },
    {
      name: "bare Fastify's CPU per request ÷ ours",
      value: sum(theirs) / sum(ours),
      atLeast: 0.65,
    },
  ]);
} finally {
  await bare.stop();
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
}
