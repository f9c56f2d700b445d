import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Verdict, verdicts } from "../../kinds/kit/verdict.ts";
import type { FinalResult } from "../results/result-store.ts";
import type { CheckState } from "../states/state.ts";
import { type FoldContext, foldResult } from "./fold.ts";

const robin: FoldContext = { runParallel: false, locations: ["eu", "us"] };
const parallel: FoldContext = { runParallel: true, locations: ["eu", "us"] };

function final(location: string, verdict: Verdict, dueAtMs: number): FinalResult {
  return { resultId: `${location}-${dueAtMs}`, location, verdict, dueAtMs };
}

function fold(results: readonly FinalResult[], context: FoldContext) {
  const changes: string[] = [];
  let state: CheckState | null = null;
  for (const result of results) {
    const folded = foldResult(state, result, context);
    state = folded.state;
    if (folded.change !== null) changes.push(`${folded.change.from}>${folded.change.to}`);
  }
  assert.ok(state !== null);
  return { state, changes };
}

test("the first result creates the state and a change from unknown", () => {
  const { state, change } = foldResult(null, final("eu", "passing", 10), robin);
  assert.deepEqual(state, {
    status: "passing",
    sinceMs: 10,
    changedAtMs: 10,
    beforeUnknown: null,
    lastResultId: "eu-10",
    lastRunLocation: "eu",
    lastRunAtMs: 10,
    consecutiveFailures: 0,
    locations: { eu: { verdict: "passing", resultId: "eu-10", atMs: 10 } },
  });
  assert.deepEqual(change, { from: "unknown", to: "passing", atMs: 10, resultId: "eu-10" });
  assert.equal(foldResult(null, final("eu", "unknown", 10), robin).change, null);
});

test("with round robin the run with the latest due time decides", () => {
  const { state, changes } = fold(
    [final("eu", "passing", 10), final("us", "failing", 20), final("eu", "degraded", 30)],
    robin,
  );
  assert.deepEqual([state.status, state.sinceMs], ["degraded", 30]);
  assert.deepEqual(changes, ["unknown>passing", "passing>failing", "failing>degraded"]);
});

test("the start of a state is kept while the verdict stays", () => {
  const { state, changes } = fold(
    [10, 20, 30].map((at) => final("eu", "failing", at)),
    robin,
  );
  assert.deepEqual([state.sinceMs, state.lastRunAtMs, state.consecutiveFailures], [10, 30, 3]);
  assert.equal(changes.length, 1);
});

test("a late result of another location is stored but does not decide", () => {
  const { state, changes } = fold([final("us", "passing", 20), final("eu", "failing", 10)], robin);
  assert.deepEqual([state.status, state.lastRunLocation, changes.length], ["passing", "us", 1]);
  assert.equal(state.locations.eu?.verdict, "failing");
});

test("a result that is older than the last one of its location changes nothing", () => {
  const before = fold([final("eu", "passing", 20)], robin).state;
  for (const context of [robin, parallel]) {
    const { state, change } = foldResult(before, final("eu", "failing", 10), context);
    assert.equal(state, before);
    assert.equal(change, null);
  }
});

test("of two results of one location with the same due time the first counts", () => {
  const before = fold([final("eu", "passing", 20)], parallel).state;
  const other = { ...final("eu", "failing", 20), resultId: "another" };
  assert.equal(foldResult(before, other, parallel).state, before);
});

test("with parallel runs the worst location decides", () => {
  const cases: [Verdict, Verdict, Verdict][] = [
    ["passing", "passing", "passing"],
    ["passing", "failing", "failing"],
    ["failing", "degraded", "failing"],
    ["degraded", "passing", "degraded"],
    ["unknown", "passing", "passing"],
    ["unknown", "failing", "failing"],
    ["unknown", "unknown", "unknown"],
  ];
  for (const [eu, us, status] of cases) {
    const { state } = fold([final("eu", eu, 10), final("us", us, 10)], parallel);
    assert.equal(state.status, status, `${eu} and ${us}`);
  }
});

test("parallel failures with the same due time are one failed run", () => {
  const rounds = [10, 20].flatMap((at) => [final("eu", "failing", at), final("us", "failing", at)]);
  assert.equal(fold(rounds, parallel).state.consecutiveFailures, 2);
  const mixed = [10, 20].flatMap((at) => [final("us", "passing", at), final("eu", "failing", at)]);
  assert.equal(fold(mixed, parallel).state.consecutiveFailures, 2);
  const over = [...rounds, final("eu", "passing", 30), final("us", "passing", 30)];
  assert.equal(fold(over, parallel).state.consecutiveFailures, 0);
});

test("a run without a verdict neither increases nor resets the failures", () => {
  const results = [final("eu", "failing", 10), final("eu", "unknown", 20)];
  assert.equal(fold(results, robin).state.consecutiveFailures, 1);
  assert.equal(fold([...results, final("eu", "failing", 30)], robin).state.consecutiveFailures, 2);
  assert.equal(fold([...results, final("eu", "degraded", 30)], robin).state.consecutiveFailures, 0);
});

test("a location that was removed from the check is dropped and has no vote", () => {
  const before = fold([final("us", "failing", 10), final("eu", "passing", 10)], parallel).state;
  assert.equal(before.status, "failing");
  const onlyEu = { runParallel: true, locations: ["eu"] };
  const { state, change } = foldResult(before, final("eu", "passing", 20), onlyEu);
  assert.deepEqual([state.status, Object.keys(state.locations)], ["passing", ["eu"]]);
  assert.equal(change?.to, "passing");
  const late = foldResult(state, final("us", "failing", 30), onlyEu);
  assert.deepEqual([late.state.status, late.change], ["passing", null]);
});

test("changes are in chronological order", () => {
  const before = fold([final("eu", "passing", 30)], parallel).state;
  const { change } = foldResult(before, final("us", "failing", 20), parallel);
  assert.equal(change?.atMs, 30);
});

test("a location may be named like an inherited property", () => {
  const context = { runParallel: true, locations: ["constructor", "__proto__"] };
  const results = [final("constructor", "passing", 10), final("__proto__", "failing", 10)];
  const { state } = fold(results, context);
  assert.deepEqual([state.status, Object.keys(state.locations).length], ["failing", 2]);
});

const results = fc.array(
  fc
    .record({
      location: fc.constantFrom("eu", "us", "gone"),
      verdict: fc.constantFrom(...verdicts),
      dueAtMs: fc.integer({ min: 0, max: 20 }),
    })
    .map(({ location, verdict, dueAtMs }) => final(location, verdict, dueAtMs)),
  { minLength: 1, maxLength: 40 },
);

test("folding a result twice gives the same state and no second change", () => {
  fc.assert(
    fc.property(results, fc.constantFrom(robin, parallel), (list, context) => {
      let state: CheckState | null = null;
      for (const result of list) {
        const once = foldResult(state, result, context);
        const twice = foldResult(once.state, result, context);
        assert.deepEqual(twice, { state: once.state, change: null });
        state = once.state;
      }
    }),
  );
});

test("runs without a verdict interrupt a state but do not end it", () => {
  const away = (at: number) => final("eu", "unknown", at);
  const back = [final("eu", "failing", 10), away(20), away(30), final("eu", "failing", 40)];
  const { state, changes } = fold(back, robin);
  assert.deepEqual([state.status, state.sinceMs, state.changedAtMs], ["failing", 10, 40]);
  assert.deepEqual(changes, ["unknown>failing", "failing>unknown", "unknown>failing"]);
  assert.deepEqual(fold(back.slice(0, 3), robin).state.status, "unknown");

  const other = [final("eu", "failing", 10), away(20), final("eu", "passing", 30)];
  assert.equal(fold(other, robin).state.sinceMs, 30);
  const anew = [...other, final("eu", "failing", 40)];
  assert.equal(fold(anew, robin).state.sinceMs, 40);
});

test("with parallel runs a location without a verdict does not end its previous state", () => {
  const start = [
    final("eu", "failing", 10),
    final("us", "passing", 10),
    final("eu", "unknown", 20),
  ];
  assert.equal(fold(start, parallel).state.status, "passing");
  const meanwhile = [...start, final("us", "passing", 20)];
  const again = fold([...meanwhile, final("eu", "failing", 30)], parallel).state;
  assert.deepEqual([again.status, again.sinceMs], ["failing", 10]);
  const over = [...meanwhile, final("eu", "passing", 30), final("eu", "failing", 40)];
  assert.equal(fold(over, parallel).state.sinceMs, 40);
});

test("without interruptions a state begins when it changes", () => {
  fc.assert(
    fc.property(results, fc.constantFrom(robin, parallel), (list, context) => {
      const withVerdict = list.filter(({ verdict }) => verdict !== "unknown");
      let state: CheckState | null = null;
      for (const result of withVerdict) {
        state = foldResult(state, result, context).state;
        assert.equal(state.sinceMs, state.changedAtMs);
        assert.equal(state.beforeUnknown, null);
      }
    }),
  );
});

test("folding a whole history again changes nothing", () => {
  fc.assert(
    fc.property(results, fc.constantFrom(robin, parallel), (list, context) => {
      const { state } = fold(list, context);
      let again = state;
      for (const result of list) again = foldResult(again, result, context).state;
      assert.deepEqual([again.status, again.sinceMs], [state.status, state.sinceMs]);
      assert.deepEqual(again.locations, state.locations);
    }),
  );
});

test("changes are contiguous, and the last one is the state", () => {
  fc.assert(
    fc.property(results, fc.constantFrom(robin, parallel), (list, context) => {
      let state: CheckState | null = null;
      let status: Verdict = "unknown";
      let atMs = 0;
      for (const result of list) {
        const folded = foldResult(state, result, context);
        if (folded.change !== null) {
          assert.equal(folded.change.from, status);
          assert.notEqual(folded.change.to, status);
          assert.ok(folded.change.atMs >= atMs);
          status = folded.change.to;
          atMs = folded.change.atMs;
          assert.equal(folded.state.changedAtMs, atMs);
          assert.ok(folded.state.sinceMs <= atMs);
        }
        state = folded.state;
        assert.equal(state.status, status);
        if (status === "passing" || status === "degraded") {
          assert.equal(state.consecutiveFailures, 0);
        }
      }
    }),
  );
});
