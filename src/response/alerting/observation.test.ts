import assert from "node:assert/strict";
import { test } from "node:test";
import { plainRules } from "../../../test/support/alerting/plain-rules.ts";
import { defaultAlertSettings } from "../../checks/checks/alert-settings.ts";
import { decideOnRun } from "./alert-decision.ts";
import type { AlertRules } from "./alert-rules.ts";
import { type AlertState, createAlertState, type RunVerdict } from "./alert-state.ts";
import { type FinalRun, observeRun } from "./observation.ts";

const places = ["eu", "us", "ap", "sa"];

function share(percentage: number, failedRunThreshold = 1): AlertRules {
  return {
    ...plainRules,
    settings: {
      ...defaultAlertSettings,
      runBasedEscalation: { failedRunThreshold },
      parallelRunFailureThreshold: { enabled: percentage > 0, percentage },
    },
  };
}

type Vote = readonly [location: string, verdict: RunVerdict, dueAtMs: number];

function build([location, verdict, dueAtMs]: Vote, rest: Partial<FinalRun> = {}): FinalRun {
  const resultId = `${location}-${dueAtMs}`;
  const run = { verdict, location, dueAtMs, resultId };
  return { ...run, runParallel: true, locations: places, ...rest };
}

function play(votes: readonly Vote[], rules: AlertRules, rest: Partial<FinalRun> = {}) {
  let state: AlertState = createAlertState(0);
  const sent = votes.map((one) => {
    const { state: next, decision } = decideOnRun(state, build(one, rest), rules);
    state = next;
    return decision.kind === "NO_ALERT" ? decision.reason : decision.kind;
  });
  return { sent, state };
}

/** Creates one run per location with the same due time; each letter is a verdict. */
function round(letters: string, dueAtMs: number): Vote[] {
  const verdicts = { p: "passing", d: "degraded", f: "failing", u: "unknown" } as const;
  return [...letters].map((letter, index) => [
    places[index] ?? "",
    verdicts[letter as keyof typeof verdicts],
    dueAtMs,
  ]);
}

test("in parallel without a threshold the worst location decides", () => {
  const { sent } = play([...round("pppp", 1), ...round("pfpp", 2), ...round("pppp", 3)], share(0));
  assert.deepEqual(sent.slice(5, 7), ["ALERT_FAILURE", "already-alerted"]);
  assert.equal(sent[9], "ALERT_RECOVERY");
});

test("the share is counted over all locations from the start", () => {
  const { sent } = play(round("ffff", 1), share(50));
  const below = "below-location-share";
  assert.deepEqual(sent, [below, "ALERT_FAILURE", "already-alerted", "already-alerted"]);
});

test("a share of 100 % requires all locations", () => {
  const { sent } = play([...round("fffp", 1), ...round("ffff", 2)], share(100));
  assert.equal(sent.indexOf("ALERT_FAILURE"), 7);
});

test("a location without a verdict has no vote; one without a run counts as a voter", () => {
  assert.equal(play(round("uuff", 1), share(100)).sent.at(-1), "ALERT_FAILURE");
  assert.equal(play(round("ff", 1), share(100)).sent.at(-1), "below-location-share");
});

test("an alert opened by share stays open until no location fails", () => {
  const votes = [...round("ffff", 1), ...round("pppf", 2), ...round("pppp", 3)];
  const { sent } = play(votes, share(50));
  assert.deepEqual(sent.slice(4, 11), Array(7).fill("already-alerted"));
  assert.equal(sent[11], "ALERT_RECOVERY");
});

test("a share that drops before the threshold of runs is reached sends nothing", () => {
  const votes = [...round("ffpp", 1), ...round("pfpp", 2), ...round("fppp", 3)];
  const { sent, state } = play(votes, share(50, 2));
  assert.ok(!sent.some((one) => one.startsWith("ALERT")));
  assert.equal(state.phase, "calm");
});

test("the share is ignored with a single location or without parallel runs", () => {
  const single = { locations: ["eu"] };
  assert.deepEqual(play([["eu", "failing", 1]], share(100), single).sent, ["ALERT_FAILURE"]);
  const robin = { runParallel: false };
  assert.deepEqual(play([["eu", "failing", 1]], share(100), robin).sent, ["ALERT_FAILURE"]);
});

test("runs in parallel with the same due time count as one", () => {
  const { sent } = play([...round("ffff", 1), ...round("ffff", 2)], share(0, 2));
  assert.deepEqual(sent.slice(0, 4), Array(4).fill("below-run-threshold"));
  assert.equal(sent[4], "ALERT_FAILURE");
});

test("a run without a verdict removes the vote of its location", () => {
  const votes: Vote[] = [...round("fppp", 1), ["eu", "unknown", 2], ["us", "passing", 2]];
  assert.deepEqual(play(votes, share(0)).sent.slice(4), [
    "no-data-counts-nothing",
    "ALERT_RECOVERY",
  ]);
});

test("duplicate and late results, and those of a removed location, change nothing", () => {
  const votes: Vote[] = [["eu", "passing", 5]];
  const { state } = play(votes, share(0));
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

test("a late result never starts a phase before the previous one", () => {
  const { state } = play(
    [
      ["eu", "degraded", 50],
      ["us", "failing", 20],
    ],
    share(0),
  );
  assert.deepEqual([state.phase, state.sinceMs], ["failing", 50]);
});

test("a removed location has no vote", () => {
  const { state } = play(round("fppp", 1), share(0));
  const run = build(["us", "passing", 2], { locations: ["us", "ap"] });
  const { state: after, decision } = decideOnRun(state, run, share(0));
  assert.equal(decision.kind, "ALERT_RECOVERY");
  assert.deepEqual(Object.keys(after.locations), ["us", "ap"]);
});

test("a location may be named like an inherited property", () => {
  const names = ["__proto__", "constructor"];
  const votes: Vote[] = [
    ["__proto__", "failing", 1],
    ["constructor", "failing", 1],
  ];
  const { sent, state } = play(votes, share(100), { locations: names });
  assert.deepEqual(sent, ["below-location-share", "ALERT_FAILURE"]);
  assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(state.locations))), names);
});
