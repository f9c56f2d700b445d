import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type AlertedCheck, decideRule } from "./rule-decision.ts";

const rule = {
  isEnabled: true,
  tags: ["api", "web"],
  coolDownMinutes: 5,
  failingCheckIds: [] as string[],
  incidentEndedAt: null as Date | null,
};
const nowMs = Date.parse("2026-11-18T05:00:00Z");
const check = (id: string, tags: readonly string[], isFailing = true): AlertedCheck => {
  return { id, tags, isFailing };
};

test("a failing check with one of the tags opens, others do not", () => {
  const alerted = [check("b", ["web"]), check("a", ["x", "api"]), check("c", ["other"])];
  assert.deepEqual(decideRule(rule, alerted, nowMs), { kind: "open", failingCheckIds: ["a", "b"] });
  const none = { kind: "leave", failingCheckIds: [] };
  assert.deepEqual(decideRule(rule, [check("c", ["other"])], nowMs), none);
  assert.deepEqual(decideRule(rule, [check("a", ["api"], false)], nowMs), none);
  assert.deepEqual(decideRule({ ...rule, isEnabled: false }, alerted, nowMs), none);
});

test("the last check that recovers resolves, and a degraded one does not", () => {
  const open = { ...rule, failingCheckIds: ["a", "b"] };
  const some = decideRule(open, [check("a", ["api"], false), check("d", ["api"], false)], nowMs);
  assert.deepEqual(some, { kind: "leave", failingCheckIds: ["a"] });
  assert.deepEqual(decideRule(open, [], nowMs), { kind: "resolve" });
  const untagged = [check("a", ["other"])];
  assert.deepEqual(decideRule(open, untagged, nowMs), { kind: "resolve" });
  const disabled = { ...open, isEnabled: false };
  assert.deepEqual(decideRule(disabled, [], nowMs), { kind: "resolve" });
});

test("the next incident waits for the cool-down after the last one", () => {
  const alerted = [check("a", ["api"])];
  const ended = (minutes: number, coolDownMinutes = 5) => ({
    ...rule,
    coolDownMinutes,
    incidentEndedAt: new Date(nowMs - minutes * 60_000),
  });
  const wait = { kind: "wait", untilMs: nowMs + 60_000 };
  assert.deepEqual(decideRule(ended(4), alerted, nowMs), wait);
  assert.equal(decideRule(ended(5), alerted, nowMs).kind, "open");
  assert.equal(decideRule(ended(0, 0), alerted, nowMs).kind, "open");
});

test("a rule never opens a second incident before it has resolved the first", () => {
  const steps = fc.array(
    fc.subarray([check("a", ["api"]), check("b", ["web"]), check("c", ["api"], false)]),
  );
  fc.assert(
    fc.property(steps, (history) => {
      let state = { ...rule, coolDownMinutes: 0 };
      let isOpen = false;
      for (const alerted of history) {
        const decision = decideRule(state, alerted, nowMs);
        if (decision.kind === "open") assert.equal(isOpen, false);
        if (decision.kind === "resolve") assert.equal(isOpen, true);
        if (decision.kind === "open" || decision.kind === "leave") {
          state = { ...state, failingCheckIds: [...decision.failingCheckIds] };
        }
        if (decision.kind === "resolve") state = { ...state, failingCheckIds: [] };
        isOpen = state.failingCheckIds.length > 0;
        assert.equal(isOpen && alerted.length === 0, false);
      }
    }),
  );
});
