/** The arithmetic behind `npm run bench simulate`, with round costs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countRunsPerSecond,
  estimateNeeds,
  type Machines,
  type UnitCosts,
  type Workload,
} from "../bench/simulate/model.ts";
import { simulatePeriod } from "../bench/simulate/simulate-period.ts";

const load: Workload = {
  checks: 60_000,
  locations: 22,
  periodSeconds: 60,
  locationsPerRun: 1,
  retentionDays: 10,
};
const costs: UnitCosts = {
  serverUsPerOrder: 100,
  serverBytesPerCheck: 1_000,
  serverUsPerResult: 300,
  databaseUsPerResult: 500,
  walBytesPerResult: 1_000,
  keptBytesPerResult: 400,
  orderBytes: 500,
  resultBytes: 1_500,
  wallUsPerCheckHour: 30_000,
  serverUsPerCheckHour: 6_000,
  databaseUsPerCheckHour: 12_000,
  walBytesPerCheckHour: 3_600,
  keptBytesPerCheckHour: 1_000,
  nats: { brokerUsPerMessage: 50, clientUsPerMessage: 100 },
};
const machines: Machines = {
  busyShare: 0.5,
  serverCores: 1,
  databaseCores: 4,
  natsCores: 2,
  databaseDiskBytes: 1e12,
  walBytesPerSecond: 100e6,
  shards: 64,
  batchSize: 500,
};

test("a run uses the requested number of locations, at most all existing ones", () => {
  assert.equal(countRunsPerSecond(load), 1_000);
  assert.equal(countRunsPerSecond({ ...load, locationsPerRun: 3 }), 3_000);
  assert.equal(countRunsPerSecond({ ...load, locationsPerRun: 40 }), 22_000);
  assert.equal(countRunsPerSecond({ ...load, periodSeconds: 10 }), 6_000);
});

test("messages, rows and bytes depend on the runs, and roll-ups on the checks", () => {
  const needs = estimateNeeds(load, costs, machines);
  assert.equal(needs.messagesPerSecond, 2_000);
  assert.equal(needs.busBytesPerSecond, 2_000_000);
  assert.equal(needs.transactionsPerSecond, 2);
  assert.equal(needs.walBytesPerSecond, 1_000_000 + 60_000);
  assert.equal(needs.rowsPerDay, 86_400_000);
  assert.equal(needs.keptBytes, 86_400_000 * 10 * 400 + 60_000 * 2_400 * 1_000);
  assert.equal(needs.partitions, 13);
  assert.equal(needs.rollUpSecondsPerHour, 1_800);
});

test("the number of servers depends on the allowed CPU load, and they share the shards", () => {
  const needs = estimateNeeds(load, costs, machines);
  // 1,000 runs × (100 + 300 + 100) µs, and 60,000 check-hours an hour × 6 ms.
  assert.ok(Math.abs(needs.serverCores - 0.6) < 1e-9);
  assert.equal(needs.servers, 2);
  assert.equal(needs.shardsPerServer, 32);
  assert.equal(needs.memoryPerServerBytes, 30_000_000);
  assert.equal(estimateNeeds({ ...load, checks: 60 }, costs, machines).servers, 1);
});

test("limits are sorted by the number of checks that reach them", () => {
  const { limits, databaseCores, natsCores } = estimateNeeds(load, costs, machines);
  assert.ok(Math.abs(databaseCores - 0.7) < 1e-9);
  assert.ok(Math.abs((natsCores ?? 0) - 0.1) < 1e-9);
  const [first, second] = limits;
  assert.equal(first?.name, "roll-ups, by one server at a time");
  assert.equal(first?.share, 0.5);
  assert.equal(first?.atChecks, 120_000);
  assert.equal(second?.name, "disk of PostgreSQL");
  const shares = limits.map(({ share }) => share);
  assert.deepEqual(
    shares,
    shares.toSorted((one, other) => other - one),
  );
});

test("without a nats-server NATS is omitted", () => {
  const needs = estimateNeeds(load, { ...costs, nats: null }, machines);
  assert.equal(needs.natsCores, null);
  assert.ok(needs.limits.every(({ name }) => !name.includes("NATS")));
});

test("the real schedule spreads checks over seconds, shards and locations", () => {
  const even = simulatePeriod({ ...load, checks: 20_000 }, 1_800_000_000_000);
  for (const [name, peak] of Object.entries(even)) {
    assert.ok(peak >= 1 && peak < 2.5, `${name}: ${peak}`);
  }
});
