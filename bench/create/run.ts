/**
 * Measures the cost of creating checks through the API while many others run, one by one and in
 * lists, and that it does not grow with their number. The figure is the CPU time of server and
 * database minus their idle load.
 *
 * npm run bench create -- --existing 1000,10000,50000
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { listTree, readCpuSeconds } from "../scale/processes.ts";
import { type Figure, report, spawnServer, write } from "../support.ts";
import { createManyChecks } from "./many.ts";

const { values } = parseArgs({
  options: {
    existing: { type: "string", default: "1000,10000,50000" },
    created: { type: "string", default: "1000" },
    listed: { type: "string", default: "10000" },
    "every-minutes": { type: "string", default: "30" },
  },
});
const steps = values.existing.split(",").map(Number);
const created = Number(values.created);
/** Number of checks that are created in lists of 500. */
const listed = Number(values.listed);
const key = "bench-key-bench-key-bench-key";
const settleMs = 20_000;
const lookMs = 10_000;
const maxGrowth = 1.3;
const minListedPerSecond = 3_000;
/** Wall time reveals a server that cannot keep up, but varies more than CPU time. */
const maxTimeGrowth = 2;

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

function describeCheck(index: number) {
  const hostname = `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
  const frequency = Number(values["every-minutes"]);
  return { name: `host ${index}`, frequency, request: { hostname, pingCount: 1 } };
}

async function createByApi(url: string, count: number): Promise<void> {
  let next = 0;
  const createSome = async () => {
    for (let index = next++; index < count; index = next++) {
      const answer = await fetch(`${url}/v1/checks/icmp`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(describeCheck(index)),
      });
      if (answer.status !== 201) throw new Error(await answer.text());
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 8 }, createSome));
}

/** Copies one check. The triggers notify the scheduler as usual. */
const copyText = `insert into checks (id, account_id, kind, name, tags, group_id, settings,
    private_settings, status, created_at)
  select gen_random_uuid(), account_id, kind, name, tags, group_id, settings, private_settings,
    status, created_at
  from (select * from checks limit 1) as one, generate_series(1, $1::int)`;

async function waitUntilScheduled(url: string, count: number): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text();
    const scheduled = Number(/^vedette_scheduled_checks (\d+)/m.exec(text)?.[1] ?? 0);
    if (scheduled >= count) return;
    await pause(1_000);
  }
}

interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** Subtracts the background load, measured before and after. */
async function measureCreation(
  root: number,
  count: number,
  create: () => Promise<void>,
): Promise<Cost> {
  const cpu = () => readCpuSeconds(listTree(root)) * 1_000;
  const measureIdle = async () => {
    const before = cpu();
    await pause(lookMs);
    return (cpu() - before) / lookMs;
  };
  const idleBefore = await measureIdle();
  const [cpuBefore, startMs] = [cpu(), performance.now()];
  await create();
  const [cpuMs, wallMs] = [cpu() - cpuBefore, performance.now() - startMs];
  const idleShare = (idleBefore + (await measureIdle())) / 2;
  return { cpuMs: (cpuMs - idleShare * wallMs) / count, wallMs: wallMs / count };
}

interface Step {
  readonly step: number;
  /** Of one check. */
  readonly single: Cost;
  /** Of one check in a list. */
  readonly many: Cost;
}

const formatCost = ({ cpuMs, wallMs }: Cost) =>
  `${cpuMs.toFixed(2)} ms CPU, ${wallMs.toFixed(2)} ms`;

function describeGrowth(cost: Step, first: Step, way: "single" | "many"): Figure[] {
  const { cpuMs, wallMs } = cost[way];
  const words = way === "single" ? "one by one" : "in lists";
  const name = (figure: string) => `beside ${cost.step}, ${words}: ${figure}`;
  return [
    // A negative value would mean that the background load was overestimated.
    { name: name("CPU per check"), value: cpuMs, unit: "ms", atLeast: 0 },
    { name: name("time per check"), value: wallMs, unit: "ms" },
    {
      name: name(`CPU ÷ that beside ${first.step}`),
      value: cpuMs / first[way].cpuMs,
      atMost: maxGrowth,
    },
    {
      name: name(`time ÷ that beside ${first.step}`),
      value: wallMs / first[way].wallMs,
      atMost: maxTimeGrowth,
    },
  ];
}

const folder = mkdtempSync(join(tmpdir(), "vedette-create-"));
const product = await spawnServer("bin/vedette.ts", ["server"], {
  PORT: "0",
  DATA_DIR: folder,
  BOOTSTRAP_API_KEY: key,
  EXAMPLE: "false",
  RATE_LIMIT_PER_MINUTE: "0",
  LOG_LEVEL: "warn",
});
try {
  await createByApi(product.url, created);
  const client = new pg.Client({
    host: join(folder, "socket"),
    user: "vedette",
    database: "vedette",
  });
  await client.connect();
  const costs: Step[] = [];
  let existing = created;
  for (const step of steps) {
    if (step > existing) await client.query(copyText, [step - existing]);
    existing = Math.max(existing, step);
    await waitUntilScheduled(product.url, existing);
    await pause(settleMs);
    const root = product.child.pid ?? 0;
    const single = await measureCreation(root, created, () => createByApi(product.url, created));
    const many = await measureCreation(root, listed, () =>
      createManyChecks({ url: product.url, key }, listed, (index) => ({
        checkType: "ICMP",
        ...describeCheck(index),
      })),
    );
    existing += created + listed;
    costs.push({ single, many, step });
    write(`  beside ${step}: one by one ${formatCost(single)}; in lists ${formatCost(many)}`);
  }
  await client.end();
  const [first] = costs;
  if (first === undefined) throw new Error("--existing names no number.");
  const figures = costs.flatMap((cost) => [
    ...describeGrowth(cost, first, "single"),
    ...describeGrowth(cost, first, "many"),
    {
      name: `beside ${cost.step}: checks per second, in lists`,
      value: 1_000 / cost.many.wallMs,
      atLeast: minListedPerSecond,
    },
    {
      name: `beside ${cost.step}: time one by one ÷ in lists`,
      value: cost.single.wallMs / cost.many.wallMs,
    },
  ]);
  report(
    `Creating ${created} checks one by one and ${listed} in lists, while the others run`,
    figures,
  );
} finally {
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
}
