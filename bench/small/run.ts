/**
 * Measures a small installation: CPU and memory of the whole product including the database, with
 * few checks or none, compared with an idle Node process and its own PostgreSQL.
 *
 * npm run bench small -- --counts 0,1,10,100 --seconds 60
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../src/platform/log.ts";
import { listTree, readCpuSeconds, readMemoryMiB } from "../scale/processes.ts";
import { type Figure, report, spawnServer, write } from "../support.ts";

const { values } = parseArgs({
  options: {
    counts: { type: "string", default: "0,1,10,100" },
    seconds: { type: "string", default: "60" },
  },
});
const counts = values.counts.split(",").map(Number);
const seconds = Number(values.seconds);
const key = "bench-key-bench-key-bench-key";
/**
 * Long enough for the work after a start: closing connections, releasing memory, and a full garbage
 * collection, which V8 starts about two minutes later.
 */
const warmUpMs = 150_000;
const maxIdlePercent = 1;
const maxMemoryMb = 220;

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

interface Cost {
  readonly cpuPercent: number;
  readonly memoryMb: number;
}

async function measure(roots: readonly number[]): Promise<Cost> {
  const listAll = () => roots.flatMap((root) => listTree(root));
  const before = readCpuSeconds(listAll());
  await pause(seconds * 1_000);
  const cpuSeconds = readCpuSeconds(listAll()) - before;
  const memoryMb = (readMemoryMiB(listAll()) * 1_048_576) / 1_000_000;
  return { cpuPercent: (100 * cpuSeconds) / seconds, memoryMb };
}

async function createChecks(url: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const request = { hostname: `127.0.1.${index}` };
    const body = { name: `host ${index}`, frequency: 0, frequencyOffset: 10, request };
    const answer = await fetch(`${url}/v1/checks/icmp`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(await answer.text());
  }
}

async function measureProduct(count: number): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-small-"));
  const product = await spawnServer("bin/vedette.ts", ["server"], {
    PORT: "0",
    DATA_DIR: folder,
    BOOTSTRAP_API_KEY: key,
    EXAMPLE: "false",
    LOG_LEVEL: "warn",
  });
  try {
    await createChecks(product.url, count);
    await pause(warmUpMs);
    return await measure([product.child.pid ?? 0]);
  } finally {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measurePeer(): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-small-peer-"));
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    log: createLog("warn"),
    onRestart: () => {},
    onAbandoned: () => {},
  });
  const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 3_600_000)"]);
  try {
    await pause(5_000);
    return await measure([bare.pid ?? 0, postgres.pid()]);
  } finally {
    bare.kill();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function describeCost(count: number, cost: Cost, peer: Cost): Figure[] {
  const name = count === 1 ? "1 check" : `${count} checks`;
  const isIdle = count <= 1;
  return [
    {
      name: `${name} every 10 s: CPU`,
      value: cost.cpuPercent,
      unit: "% of a core",
      ...(isIdle ? { atMost: maxIdlePercent } : {}),
    },
    {
      name: `${name} every 10 s: memory`,
      value: cost.memoryMb,
      unit: "MB",
      ...(isIdle ? { atMost: maxMemoryMb } : {}),
    },
    { name: `${name} every 10 s: memory ÷ peer`, value: cost.memoryMb / peer.memoryMb },
  ];
}

const peer = await measurePeer();
const figures: Figure[] = [
  { name: "idle baseline: CPU", value: peer.cpuPercent, unit: "% of a core" },
  { name: "idle baseline: memory", value: peer.memoryMb, unit: "MB" },
];
for (const count of counts) {
  const cost = await measureProduct(count);
  write(`  ${count}: ${cost.cpuPercent.toFixed(2)} % of a core, ${cost.memoryMb.toFixed(0)} MB`);
  figures.push(...describeCost(count, cost, peer));
}
report("What a small installation costs, PostgreSQL included", figures);
