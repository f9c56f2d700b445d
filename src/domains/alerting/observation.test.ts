import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultAlertSettings } from "../checks/alert-settings.ts";
import { decideOnRun } from "./alert-decision.ts";
import type { AlertRules } from "./alert-rules.ts";
import { type AlertState, createAlertState, type RunVerdict } from "./alert-state.ts";
import { type FinalRun, observeRun } from "./observation.ts";

const places = ["eu", "us", "ap", "sa"];

function share(percentage: number, failedRunThreshold = 1): AlertRules {
  return {
    settings: {
      ...defaultAlertSettings,
      runBasedEscalation: { failedRunThreshold },
      parallelRunFailureThreshold: { enabled: percentage > 0, percentage },
    },
    muted: false,
    activated: true,
    inMaintenance: () => false,
    heldByParent: null,
    probeIsSuspect: false,
    escalationStages: [],
    flapDamping: null,
    noDataMinutes: null,
  };
}

type Said = readonly [location: string, verdict: RunVerdict, dueAtMs: number];

function build([location, verdict, dueAtMs]: Said, rest: Partial<FinalRun> = {}): FinalRun {
  const resultId = `${location}-${dueAtMs}`;
  const run = { verdict, location, dueAtMs, resultId };
  return { ...run, runParallel: true, locations: places, ...rest };
}

function play(said: readonly Said[], rules: AlertRules, rest: Partial<FinalRun> = {}) {
  let state: AlertState = createAlertState(0);
  const told = said.map((one) => {
    const { state: next, decision } = decideOnRun(state, build(one, rest), rules);
    state = next;
    return decision.kind === "NO_ALERT" ? decision.reason : decision.kind;
  });
  return { told, state };
}

/** All locations at one due time: a letter for each. */
function round(letters: string, dueAtMs: number): Said[] {
  const verdicts = { p: "passing", d: "degraded", f: "failing", u: "unknown" } as const;
  return [...letters].map((letter, index) => [
    places[index] ?? "",
    verdicts[letter as keyof typeof verdicts],
    dueAtMs,
  ]);
}

test("in parallel without a share the worst location speaks", () => {
  const { told } = play([...round("pppp", 1), ...round("pfpp", 2), ...round("pppp", 3)], share(0));
  assert.deepEqual(told.slice(5, 7), ["ALERT_FAILURE", "already-alerted"]);
  assert.equal(told[9], "ALERT_RECOVERY");
});

test("the share of locations must be reached, and is counted over all of them from the start", () => {
  const { told } = play(round("ffff", 1), share(50));
  const below = "below-location-share";
  assert.deepEqual(told, [below, "ALERT_FAILURE", "already-alerted", "already-alerted"]);
});

test("a share of all needs all", () => {
  const { told } = play([...round("fffp", 1), ...round("ffff", 2)], share(100));
  assert.equal(told.indexOf("ALERT_FAILURE"), 7);
});

test("a location that learned nothing has no vote, one that was never heard is waited for", () => {
  assert.equal(play(round("uuff", 1), share(100)).told.at(-1), "ALERT_FAILURE");
  assert.equal(play(round("ff", 1), share(100)).told.at(-1), "below-location-share");
});

test("an alert by share ends when no location fails, not when too few do", () => {
  const said = [...round("ffff", 1), ...round("pppf", 2), ...round("pppp", 3)];
  const { told } = play(said, share(50));
  assert.deepEqual(told.slice(4, 11), Array(7).fill("already-alerted"));
  assert.equal(told[11], "ALERT_RECOVERY");
});

test("a share that was reached below the threshold of runs and is lost again tells nothing", () => {
  const said = [...round("ffpp", 1), ...round("pfpp", 2), ...round("fppp", 3)];
  const { told, state } = play(said, share(50, 2));
  assert.ok(!told.some((one) => one.startsWith("ALERT")));
  assert.equal(state.phase, "calm");
});

test("the share counts for nothing with a single location or without parallel runs", () => {
  const single = { locations: ["eu"] };
  assert.deepEqual(play([["eu", "failing", 1]], share(100), single).told, ["ALERT_FAILURE"]);
  const robin = { runParallel: false };
  assert.deepEqual(play([["eu", "failing", 1]], share(100), robin).told, ["ALERT_FAILURE"]);
});

test("runs in parallel that were due together count as one", () => {
  const { told } = play([...round("ffff", 1), ...round("ffff", 2)], share(0, 2));
  assert.deepEqual(told.slice(0, 4), Array(4).fill("below-run-threshold"));
  assert.equal(told[4], "ALERT_FAILURE");
});

test("locations that fall silent take their votes with them, at the next run that is heard", () => {
  const said: Said[] = [...round("fppp", 1), ["eu", "unknown", 2], ["us", "passing", 2]];
  assert.deepEqual(play(said, share(0)).told.slice(4), [
    "no-data-counts-nothing",
    "ALERT_RECOVERY",
  ]);
});

test("results that come twice, late, or from a location that was removed change nothing", () => {
  const said: Said[] = [["eu", "passing", 5]];
  const { state } = play(said, share(0));
  for (const dueAtMs of [4, 5]) {
    const again = observeRun(state, build(["eu", "failing", dueAtMs]), share(0));
    assert.deepEqual(again, { state, observation: "stale-result" });
  }
  const gone = observeRun(state, build(["moon", "failing", 9]), share(0));
  assert.deepEqual([gone.observation, gone.state.phase], ["location-removed", "calm"]);
  const robin = build(["us", "failing", 4], { runParallel: false });
  const late = observeRun(state, robin, share(0));
  assert.deepEqual([late.observation, late.state.phase], ["stale-result", "calm"]);
});

test("a late result never lets a phase begin before the one before it", () => {
  const { state } = play(
    [
      ["eu", "degraded", 50],
      ["us", "failing", 20],
    ],
    share(0),
  );
  assert.deepEqual([state.phase, state.sinceMs], ["failing", 50]);
});

test("a location that was taken from the check has no vote", () => {
  const { state } = play(round("fppp", 1), share(0));
  const run = build(["us", "passing", 2], { locations: ["us", "ap"] });
  const { state: after, decision } = decideOnRun(state, run, share(0));
  assert.equal(decision.kind, "ALERT_RECOVERY");
  assert.deepEqual(Object.keys(after.locations), ["us", "ap"]);
});

test("a location may have the name of something every object has", () => {
  const names = ["__proto__", "constructor"];
  const said: Said[] = [
    ["__proto__", "failing", 1],
    ["constructor", "failing", 1],
  ];
  const { told, state } = play(said, share(100), { locations: names });
  assert.deepEqual(told, ["below-location-share", "ALERT_FAILURE"]);
  assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(state.locations))), names);
});
