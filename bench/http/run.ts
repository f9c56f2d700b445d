/**
 * GET /v1/runtimes/{id} with its key check against a bare Fastify route that sends the same bytes.
 * The two servers take turns in the same run, so the machine's mood falls on both alike.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { median, report, spawnServer, write } from "../support.ts";

const rounds = 15;
const seconds = 1;
const key = "bench-key-bench-key-bench-key";
const path = "/v1/runtimes/2025.04";
const headers = { authorization: `Bearer ${key}` };

async function requestsPerSecond(url: string, duration: number): Promise<number> {
  const result = await autocannon({ url: `${url}${path}`, headers, connections: 32, duration });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url} refused requests`);
  return result.requests.average;
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
  await requestsPerSecond(product.url, 2);
  await requestsPerSecond(bare.url, 2);
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const ours = await requestsPerSecond(product.url, seconds);
    const theirs = await requestsPerSecond(bare.url, seconds);
    ratios.push(ours / theirs);
    write(`  round ${round}: ours ${ours.toFixed(0)}/s, bare Fastify ${theirs.toFixed(0)}/s`);
  }
  report("GET /v1/runtimes/{id} with key check ÷ bare Fastify, same bytes", [
    { name: "requests per second, median ratio", value: median(ratios), atLeast: 0.6 },
  ]);
} finally {
  await bare.stop();
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
}
