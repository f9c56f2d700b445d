/**
 * Measures what planning and applying 2,000 resources costs compared with inserting the same rows,
 * and what a second plan without changes costs.
 *
 * npm run bench deploy -- --resources 2000
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { median, report, spawnServer, write } from "../support.ts";

const { values } = parseArgs({
  options: {
    resources: { type: "string", default: "2000" },
    rounds: { type: "string", default: "3" },
  },
});
const resourceCount = Number(values.resources);
const rounds = Number(values.rounds);
const key = "bench-key-bench-key-bench-key";
/** Plan and apply ÷ bare inserts. */
const maxRatio = 10;

/** A tenth are groups, each with checks, so that references are resolved too. */
function describeResources(round: number): object[] {
  const groupCount = Math.floor(resourceCount / 10);
  const groups = Array.from({ length: groupCount }, (_, index) => ({
    type: "check-group",
    logicalId: `group-${index}`,
    payload: { name: `Group ${index}`, tags: ["bench"] },
  }));
  const checks = Array.from({ length: resourceCount - groupCount }, (_, index) => ({
    type: "check",
    logicalId: `check-${index}`,
    payload: {
      checkType: "ICMP",
      name: `Host ${index} of round ${round}`,
      activated: false,
      tags: ["bench"],
      groupId: { ref: `group-${index % groupCount}` },
      request: { hostname: `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}` },
    },
  }));
  return [...groups, ...checks];
}

async function call(url: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${url}${path}`, { headers, ...init });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

async function plan(url: string, body: object) {
  return call(url, "/v1/projects/preview?detail=changes", body);
}

async function apply(url: string, project: string, { planToken, body }: PlannedBody) {
  const query = `planToken=${encodeURIComponent(planToken)}`;
  const { id } = await call(url, `/v1/projects/deploy?${query}`, body);
  const ended = await call(url, `/v1/projects/${project}/deployments/${id}/completion`);
  if (ended.status !== "SUCCEEDED") throw new Error(JSON.stringify(ended.error));
}

interface PlannedBody {
  readonly planToken: string;
  readonly body: object;
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

type Row = Readonly<Record<string, unknown>>;

/** Without generated columns, which cannot be inserted. */
async function listColumns(client: pg.Client, table: string): Promise<string[]> {
  const text = `select attname from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;
  return (await client.query(text, [table])).rows.map(({ attname }) => `"${attname}"`);
}

/**
 * Inserts the rows of a project again in one transaction, as a program without a plan would: each
 * row by one prepared statement, or all rows of a table at once.
 */
async function insertBare(client: pg.Client, project: string, way: "each" | "all") {
  const read = async (type: string, table: string): Promise<Row[]> => {
    const text = `select to_jsonb(t) as row from ${table} t join project_resources r
        on r.type = $1 and r.physical_id = t.id::text
      join projects p on p.id = r.project_id where p.logical_id = $2`;
    return (await client.query(text, [type, project])).rows.map(({ row }) => row);
  };
  const groups = await read("check-group", "check_groups");
  const checks = await read("check", "checks");
  const insert = async (table: string, rows: readonly Row[]) => {
    const columns = await listColumns(client, table);
    const text = `insert into ${table} (${columns}) overriding system value
      select ${columns} from jsonb_populate_recordset(null::${table}, $1)`;
    const parts = way === "all" ? [rows] : rows.map((row) => [row]);
    for (const part of parts) {
      await client.query({ name: `insert ${table}`, text, values: [JSON.stringify(part)] });
    }
  };
  const sign = way === "all" ? -1 : -1_000;
  return measure(async () => {
    await client.query("begin");
    const own = (id: unknown) => sign * Number(id);
    await insert(
      "check_groups",
      groups.map((row) => ({ ...row, id: own(row.id) })),
    );
    await insert(
      "checks",
      checks.map((row) => ({ ...row, id: crypto.randomUUID(), group_id: own(row.group_id) })),
    );
    await client.query("commit");
  });
}

interface Round {
  readonly planMs: number;
  readonly applyMs: number;
  readonly againMs: number;
  /** The same rows inserted, one by one and all at once. */
  readonly eachMs: number;
  readonly allMs: number;
}

async function runRound(url: string, client: pg.Client, round: number): Promise<Round> {
  const project = `bench-${round}`;
  const resources = describeResources(round);
  const body = { project: { logicalId: project, name: project }, resources };
  let planToken = "";
  const planMs = await measure(async () => {
    ({ planToken } = await plan(url, body));
  });
  const applyMs = await measure(() => apply(url, project, { planToken, body }));
  const againMs = await measure(async () => {
    const { diff } = await plan(url, body);
    const changed = diff.filter((entry: { action: string }) => entry.action !== "UNCHANGED");
    if (changed.length > 0) throw new Error(`${changed.length} of ${diff.length} changed`);
  });
  const eachMs = await insertBare(client, project, "each");
  const allMs = await insertBare(client, project, "all");
  const inserts = { "inserts one by one": eachMs, "all at once": allMs };
  const times = { plan: planMs, apply: applyMs, "second plan": againMs, ...inserts };
  const shown = Object.entries(times).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`);
  write(`  round ${round}: ${shown.join(", ")}`);
  return { planMs, applyMs, againMs, eachMs, allMs };
}

const folder = mkdtempSync(join(tmpdir(), "vedette-deploy-"));
const product = await spawnServer("bin/vedette.ts", ["server"], {
  PORT: "0",
  DATA_DIR: folder,
  BOOTSTRAP_API_KEY: key,
  EXAMPLE: "false",
  RATE_LIMIT_PER_MINUTE: "0",
  LOG_LEVEL: "warn",
});
try {
  const client = new pg.Client({
    host: join(folder, "socket"),
    user: "vedette",
    database: "vedette",
  });
  await client.connect();
  const done: Round[] = [];
  try {
    // The first round compiles the code and is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      const measured = await runRound(product.url, client, round);
      if (round > 0) done.push(measured);
    }
  } finally {
    await client.end();
  }
  const take = (read: (round: Round) => number) => median(done.map(read));
  report(`Planning and applying ${resourceCount} resources`, [
    { name: "plan", value: take(({ planMs }) => planMs), unit: "ms" },
    { name: "apply", value: take(({ applyMs }) => applyMs), unit: "ms" },
    { name: "second plan, without changes", value: take(({ againMs }) => againMs), unit: "ms" },
    { name: "rows inserted one by one", value: take(({ eachMs }) => eachMs), unit: "ms" },
    { name: "rows inserted all at once", value: take(({ allMs }) => allMs), unit: "ms" },
    {
      name: "plan and apply ÷ inserts one by one",
      value: take(({ planMs, applyMs, eachMs }) => (planMs + applyMs) / eachMs),
      atMost: maxRatio,
    },
    {
      name: "plan and apply ÷ inserts all at once",
      value: take(({ planMs, applyMs, allMs }) => (planMs + applyMs) / allMs),
      atMost: maxRatio,
    },
    {
      name: "second plan ÷ inserts one by one",
      value: take(({ againMs, eachMs }) => againMs / eachMs),
      atMost: maxRatio,
    },
  ]);
} finally {
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
}
