/** Measures cost and results of one mode over a period in which every due run is counted. */
import { readFileSync } from "node:fs";
import pg from "pg";
import { decode } from "../../src/kinds/of/icmp/codec.ts";
import { idFloor } from "../../src/runs/results/run-id.ts";
import { listTree, readCpuSeconds } from "../scale/processes.ts";
import { post, type Running } from "./modes.ts";

export const parts = ["servers", "probe", "postgres", "nats"] as const;
export type Part = (typeof parts)[number];
export type Cpu = Readonly<Record<Part, number>>;

export interface Load {
  readonly checks: number;
  readonly pings: number;
  readonly periodSeconds: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface Measured {
  readonly due: number;
  readonly lost: number;
  readonly twice: number;
  /** Results that the servers ignored, for any reason. */
  readonly ignored: number;
  /** CPU seconds per 10,000 runs. */
  readonly cpu: Cpu;
  readonly rttMedianUs: number;
  readonly rttP99Us: number;
  readonly lateP99Ms: number;
}

/** Maximum time between the last due run and its result. */
const patienceMs = 30_000;
const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("postgres");
  } catch {
    return false;
  }
}

/** An embedded PostgreSQL runs below its server, but is counted as PostgreSQL. */
function readCpu({ servers, probe, postgresPid, natsPid }: Running): Cpu {
  const ours = servers.flatMap(({ child }) => listTree(child.pid ?? 0));
  const ofPostgres = postgresPid === null ? ours.filter(isPostgres) : listTree(postgresPid);
  return {
    servers: readCpuSeconds(ours.filter((pid) => !ofPostgres.includes(pid))),
    probe: readCpuSeconds(probe === null ? [] : listTree(probe.child.pid ?? 0)),
    postgres: readCpuSeconds(ofPostgres),
    nats: readCpuSeconds(natsPid === null ? [] : listTree(natsPid)),
  };
}

const hostOf = (index: number) => `127.1.${index >> 8}.${index & 255}`;

async function createChecks({ servers, places }: Running, load: Load): Promise<void> {
  let next = 0;
  const createSome = async () => {
    for (let index = next++; index < load.checks; index = next++) {
      await post(servers[0]?.url ?? "", "/v1/checks/icmp", {
        name: `host ${index}`,
        frequency: 0,
        frequencyOffset: load.periodSeconds,
        ...places,
        request: { hostname: hostOf(index), pingCount: load.pings },
      });
    }
  };
  await Promise.all(Array.from({ length: 8 }, createSome));
}

async function waitFor(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + patienceMs;
  while (!(await isTrue())) {
    if (Date.now() > untilMs) throw new Error(`${what}: not within ${patienceMs} ms`);
    await pause(250);
  }
}

/** With two servers, each must hold half of the 64 shards before counting starts. */
async function areSharesEven(client: pg.Client, servers: number): Promise<boolean> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from schedule_leases
      where holder <> '' and expires_at > now() group by holder`,
  );
  return rows.length === servers && rows.every(({ count }) => count === 64 / servers);
}

const runsSql = `
  select check_id, id, verdict, started_at, detail, trouble
  from results where id >= $1 and id < $2`;

interface Row {
  readonly check_id: string;
  readonly id: string;
  readonly verdict: number;
  readonly started_at: Date;
  readonly detail: Buffer;
  readonly trouble: object | null;
}

const passing = 1;
/** Run ids start with their due time in milliseconds. */
const readDueMs = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

function listRtts(rows: readonly Row[]): number[] {
  return rows.flatMap(({ detail, started_at, trouble }) => {
    const { outcome } = decode(detail, { startedAtMs: started_at.getTime(), trouble });
    if (outcome.kind !== "measured") return [];
    return outcome.measurement.packets.flatMap(({ rttMs }) => (rttMs === null ? [] : [rttMs]));
  });
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

async function countIgnored({ servers }: Running): Promise<number> {
  let ignored = 0;
  for (const { url } of servers) {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, value] of text.matchAll(/^vedette_results_ignored_total\{.*\} (\d+)/gm)) {
      ignored += Number(value);
    }
  }
  return ignored;
}

function judgeRuns(rows: readonly Row[], due: number) {
  const measured = rows.filter(({ verdict }) => verdict === passing);
  const countDistinct = (list: readonly Row[]) =>
    new Set(list.map(({ check_id, id }) => `${check_id} ${readDueMs(id)}`)).size;
  const rtts = listRtts(measured);
  const lateness = measured.map(({ id, started_at }) => started_at.getTime() - readDueMs(id));
  return {
    due,
    lost: due - countDistinct(measured),
    twice: rows.length - countDistinct(rows),
    rttMedianUs: quantile(rtts, 0.5) * 1_000,
    rttP99Us: quantile(rtts, 0.99) * 1_000,
    lateP99Ms: quantile(lateness, 0.99),
  };
}

export async function measure(running: Running, load: Load): Promise<Measured> {
  const client = new pg.Client(running.connection);
  await client.connect();
  try {
    await waitFor("even shares", () => areSharesEven(client, running.servers.length));
    await createChecks(running, load);
    await pause(load.warmUpSeconds * 1_000);
    const fromMs = Date.now();
    const toMs = fromMs + load.seconds * 1_000;
    const before = readCpu(running);
    await pause(toMs - Date.now());
    const after = readCpu(running);
    const due = (load.checks * load.seconds) / load.periodSeconds;
    const span = [idFloor(fromMs), idFloor(toMs)];
    const countSql = "select count(*)::int as count from results where id >= $1 and id < $2";
    const areAllThere = async () => (await client.query(countSql, span)).rows[0].count >= due;
    // Results that have not arrived by then count as lost.
    await waitFor("all results", areAllThere).catch(() => {});
    const { rows } = await client.query<Row>(runsSql, span);
    const cpuOf = (part: Part) => ((after[part] - before[part]) * 10_000) / due;
    const [servers, probe, postgres, nats] = parts.map(cpuOf);
    const cpu = { servers, probe, postgres, nats } as Cpu;
    return { ...judgeRuns(rows, due), ignored: await countIgnored(running), cpu };
  } finally {
    await client.end();
  }
}
