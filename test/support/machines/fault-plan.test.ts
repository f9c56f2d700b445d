import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createChance, type PlanOptions, planFaults } from "./fault-plan.ts";

const options: PlanOptions = {
  seed: 1,
  lastsMs: 600_000,
  machines: ["server-1", "server-2", "postgres"],
  links: ["server-1>postgres"],
  targets: 12,
  restMs: 5_000,
  maxFaultMs: 30_000,
};

test("the same seed yields the same plan, and another seed another one", () => {
  assert.deepEqual(planFaults(options), planFaults(options));
  assert.notDeepEqual(planFaults(options), planFaults({ ...options, seed: 2 }));
});

test("ten minutes have faults of every kind on every subject, and targets that go down", () => {
  const { faults, outages } = planFaults(options);
  assert.deepEqual(
    new Set(faults.map(({ subject }) => subject)),
    new Set([...options.machines, ...options.links]),
  );
  assert.equal(new Set(faults.map(({ kind }) => kind)).size, 6);
  assert.equal(new Set(outages.map(({ target }) => target)).size, 12);
});

test("for every seed all faults end in time, and outages of one target do not overlap", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const { faults, outages } = planFaults({ ...options, seed });
      for (const { atMs, forMs } of [...faults, ...outages]) {
        assert.ok(atMs >= 0 && forMs > 0 && atMs + forMs <= options.lastsMs);
      }
      for (const own of Map.groupBy(outages, ({ target }) => target).values()) {
        for (const [place, { atMs, forMs }] of own.entries()) {
          assert.ok(atMs + forMs < (own[place + 1]?.atMs ?? Number.POSITIVE_INFINITY));
        }
      }
    }),
  );
});

test("random numbers cover the whole range", () => {
  const chance = createChance(7);
  const tenths = Array.from({ length: 10_000 }, () => Math.floor(chance() * 10));
  for (const [, { length }] of Map.groupBy(tenths, (tenth) => tenth).entries()) {
    assert.ok(length > 800 && length < 1_200, `${length} in a tenth`);
  }
});
