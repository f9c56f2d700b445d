/**
 * Models a million checks over 22 locations: the unit costs are measured with the product's code,
 * the evenness of the schedule is simulated, and the model computes the rest.
 *
 * npm run bench simulate -- --checks 1000000 --locations 22 --period 60 --at-once 1
 */
import { parseArgs } from "node:util";
import { publicLocations } from "../../src/checks/locations/index.ts";
import { encodeMessage } from "../../src/platform/nats/nats-publisher.ts";
import { recordBatchSize } from "../../src/runs/recording/recorder.ts";
import { createOrder } from "../../src/runs/scheduling/orders.ts";
import { shardCount } from "../../src/runs/scheduling/schedule-store.ts";
import { write } from "../support.ts";
import { createFixture, type Fixture } from "./fixture.ts";
import { answer, measureHour, measureScheduler } from "./measure.ts";
import { measureNats } from "./measure-nats.ts";
import {
  estimateNeeds,
  type Machines,
  type Needs,
  type UnitCosts,
  type Workload,
} from "./model.ts";
import { simulatePeriod } from "./simulate-period.ts";

const { values } = parseArgs({
  options: {
    checks: { type: "string", default: "1000000" },
    locations: { type: "string", default: "22" },
    period: { type: "string", default: "60" },
    "at-once": { type: "string", default: "1" },
    retention: { type: "string", default: "30" },
  },
});
const load: Workload = {
  checks: Number(values.checks),
  locations: Number(values.locations),
  periodSeconds: Number(values.period),
  locationsPerRun: Number(values["at-once"]),
  retentionDays: Number(values.retention),
};
const machines: Machines = {
  busyShare: 0.6,
  serverCores: 1,
  databaseCores: 32,
  natsCores: 8,
  databaseDiskBytes: 16e12,
  walBytesPerSecond: 200e6,
  shards: shardCount,
  batchSize: recordBatchSize,
};
const hourMs = 3_600_000;
const measuredResults = 60_000;
const scheduledChecks = 50_000;
const natsMessages = 30_000;

async function measureAll(fixture: Fixture, hourStartMs: number) {
  const runsPerCheck = (3_600 / load.periodSeconds) * load.locationsPerRun;
  const checkIds = await fixture.addChecks(
    Math.min(1_000, Math.max(20, Math.floor(measuredResults / runsPerCheck))),
  );
  const hour = await measureHour(fixture, checkIds, hourStartMs);
  write(`  ${hour.results} results of ${checkIds.length} checks recorded and rolled up`);
  const [first] = (await fixture.context.watchList.find(checkIds)).values();
  if (first === undefined) throw new Error("there is no check");
  const when = { location: first.places[0] ?? "", dueAtMs: hourStartMs, attempt: 1 };
  const order = createOrder(first, { ...when, startAtMs: hourStartMs });
  const signed = fixture.context.tags.sign(order, when.location);
  const nats = await measureNats(signed, natsMessages);
  write(nats === null ? "  NOT MEASURED: nats-server is missing" : `  ${natsMessages} messages`);
  await fixture.addChecks(scheduledChecks - checkIds.length);
  const scheduler = await measureScheduler(fixture, scheduledChecks, hourStartMs + 2 * hourMs);
  write(`  ${scheduler.orders} orders of ${scheduledChecks} checks made`);
  const { tag, route, version, deadlineAtMs } = signed;
  const result = { ...answer(order), tag, route, version, deadlineAtMs };
  const costs: UnitCosts = {
    serverUsPerOrder: scheduler.serverUs,
    serverBytesPerCheck: scheduler.bytesPerCheck,
    serverUsPerResult: hour.recording.serverUs,
    databaseUsPerResult: hour.recording.databaseUs,
    walBytesPerResult: hour.recording.walBytes,
    keptBytesPerResult: hour.keptBytes,
    orderBytes: encodeMessage(signed).bytes.length,
    resultBytes: encodeMessage(result).bytes.length,
    wallUsPerCheckHour: hour.rolling.wallUs,
    serverUsPerCheckHour: hour.rolling.serverUs,
    databaseUsPerCheckHour: hour.rolling.databaseUs,
    walBytesPerCheckHour: hour.rolling.walBytes,
    keptBytesPerCheckHour: hour.rolledBytes,
    nats,
  };
  return { costs, natsPerSecond: nats?.messagesPerSecond ?? null };
}

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const shown = (value: number | null) => (value === null ? "–" : number.format(value));

function printTable(title: string, heads: readonly string[], rows: readonly string[][]): void {
  write(`\n${title}`);
  for (const row of [["", ...heads], ...rows]) {
    const [name = "", ...cells] = row;
    write(`  ${name.padEnd(44)}${cells.map((cell) => cell.padStart(14)).join("")}`);
  }
}

const rowsOf: readonly (readonly [string, (needs: Needs) => number | null])[] = [
  ["runs a second", (needs) => needs.runsPerSecond],
  ["messages a second", (needs) => needs.messagesPerSecond],
  ["bus, MB a second", (needs) => needs.busBytesPerSecond / 1e6],
  ["rows a second", (needs) => needs.runsPerSecond],
  ["transactions a second", (needs) => needs.transactionsPerSecond],
  ["WAL, MB a second", (needs) => needs.walBytesPerSecond / 1e6],
  ["rows in a day's partition, millions", (needs) => needs.rowsPerDay / 1e6],
  ["partitions", (needs) => needs.partitions],
  ["kept, TB", (needs) => needs.keptBytes / 1e12],
  ["checks a shard", (needs) => needs.checksPerShard],
  ["cores of servers", (needs) => needs.serverCores],
  ["servers", (needs) => needs.servers],
  ["shards a server", (needs) => needs.shardsPerServer],
  ["memory for checks a server, MB", (needs) => needs.memoryPerServerBytes / 1e6],
  ["cores of PostgreSQL", (needs) => needs.databaseCores],
  ["cores of NATS", (needs) => needs.natsCores],
  ["roll-ups, seconds an hour", (needs) => needs.rollUpSecondsPerHour],
];

const hourStartMs = Math.floor(Date.now() / hourMs) * hourMs - 4 * hourMs;
write(
  `${shown(load.checks)} checks every ${load.periodSeconds} s over ${load.locations} locations, ` +
    `${load.locationsPerRun} at once; measuring what each thing costs`,
);
const fixture = await createFixture(load, Object.keys(publicLocations), hourStartMs);
try {
  const { costs, natsPerSecond } = await measureAll(fixture, hourStartMs);
  const { nats, ...others } = costs;
  const units = { ...others, ...nats };
  printTable(
    "What one of each costs on this machine (µs of CPU, bytes)",
    ["measured"],
    Object.entries(units).map(([name, value]) => [name, shown(value)]),
  );
  const even = simulatePeriod(load, hourStartMs);
  printTable(
    `One period of ${shown(load.checks)} checks, simulated: the largest ÷ the mean`,
    ["measured"],
    Object.entries(even).map(([name, value]) => [name, value.toFixed(3)]),
  );
  const sizes = [load.checks / 100, load.checks / 10, load.checks];
  const needs = sizes.map((checks) => estimateNeeds({ ...load, checks }, costs, machines));
  printTable(
    "Required resources",
    sizes.map(shown),
    rowsOf.map(([name, read]) => [name, ...needs.map((one) => shown(read(one)))]),
  );
  const whole = needs.at(-1);
  printTable(
    "What more servers do not widen, the narrowest first",
    ["share", "all at checks"],
    (whole?.limits ?? []).map(({ name, share, atChecks }) => [name, shown(share), shown(atChecks)]),
  );
  write(
    `\n  Assumed: cores as fast as this machine's, ${machines.busyShare * 100} % busy at most; a server ` +
      `is one busy core;\n  PostgreSQL has ${machines.databaseCores} cores, ${machines.databaseDiskBytes / 1e12} TB ` +
      `and writes ${machines.walBytesPerSecond / 1e6} MB of WAL a second; NATS has ${machines.natsCores} cores.\n` +
      `  Tables of the measured size are in the cache. Through one nats-server and one process here: ` +
      `${shown(natsPerSecond)} messages a second.`,
  );
} finally {
  await fixture.stop();
}
