import assert from "node:assert/strict";
import { test } from "node:test";
import { decideHealth, type HealthFacts } from "./health.ts";

const alive = { status: "alive", isSuspect: false, limitations: [] } as const;
const silent = { ...alive, status: "silent" } as const;

const cases: readonly (readonly [string, HealthFacts, string])[] = [
  ["a live probe", { servedBy: "own-probe", probes: [silent, alive] }, "passing"],
  [
    "a suspect probe",
    { servedBy: "own-probe", probes: [alive, { ...alive, isSuspect: true }] },
    "degraded",
  ],
  [
    "a probe that cannot ping",
    { servedBy: "own-probe", probes: [{ ...alive, limitations: ["x"] }] },
    "degraded",
  ],
  [
    "a silent probe and a built-in one",
    { servedBy: "built-in-probe", probes: [silent] },
    "unknown",
  ],
  ["no probe of its own", { servedBy: "built-in-probe", probes: [] }, "passing"],
  ["nobody", { servedBy: "nobody", probes: [silent] }, "failing"],
];

for (const [what, facts, state] of cases) {
  test(`a location with ${what} is ${state}`, () => {
    assert.equal(decideHealth(facts).state, state);
  });
}
