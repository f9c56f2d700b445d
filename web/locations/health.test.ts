import assert from "node:assert/strict";
import { test } from "node:test";
import { decideHealth, decidePrivateHealth, type HealthFacts } from "./health.ts";

const alive = {
  status: "alive",
  isSuspect: false,
  limitations: [],
  quarantinedAt: null,
  clockSkewMs: 12,
} as const;
const quarantined = { ...alive, quarantinedAt: "2026-11-15T12:00:00Z" };
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
  ["only the built-in probe", { servedBy: "built-in-probe", probes: [] }, "passing"],
  [
    "a clock that is wrong",
    { servedBy: "own-probe", probes: [{ ...alive, clockSkewMs: -2_001 }] },
    "degraded",
  ],
  [
    "one in quarantine beside a trusted one",
    { servedBy: "own-probe", probes: [quarantined, alive] },
    "passing",
  ],
  ["nothing but quarantine", { servedBy: "own-probe", probes: [quarantined, silent] }, "failing"],
  ["nobody", { servedBy: "nobody", probes: [silent] }, "failing"],
];

for (const [what, facts, state] of cases) {
  test(`a location with ${what} is ${state}`, () => {
    assert.equal(decideHealth(facts).state, state);
  });
}

test("a private location without a probe waits for the first one, and is failing once it is offline", () => {
  const state = (status: "no-probe-yet" | "served" | "silent", probes = [] as (typeof alive)[]) =>
    decidePrivateHealth({ status, probes }).state;
  assert.equal(state("no-probe-yet"), "unknown");
  assert.equal(state("silent"), "failing");
  assert.equal(state("served", [alive]), "passing");
});
