import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  buildRules,
  type Happening,
  layOut,
  type Plan,
  plans,
} from "../../../test/support/alerting/random-history.ts";
import {
  type PredictedAlert,
  predictAlerts,
} from "../../../test/support/alerting/reference-model.ts";
import { isLongRun } from "../../../test/support/long-run.ts";
import { propertyRuns } from "../../../test/support/properties.ts";
import type { AlertKind } from "../../channels/alert-channels/alert-text.ts";
import { decideOnRun, decideOnTime } from "./alert-decision.ts";
import { acknowledgeAlert, createAlertState } from "./alert-state.ts";
import type { FinalRun } from "./observation.ts";

function buildRun(plan: Plan, event: Extract<Happening, { type: "run" }>): FinalRun {
  const { verdict, place: location, due: dueAtMs, at: decidedAtMs, id: resultId } = event;
  const { parallel: runParallel, places: locations } = plan;
  return { verdict, location, dueAtMs, decidedAtMs, resultId, runParallel, locations };
}

function fold(plan: Plan, events: readonly Happening[]): PredictedAlert[] {
  const sent: PredictedAlert[] = [];
  let state = createAlertState(0);
  for (const event of events) {
    const rules = buildRules(plan, event.at);
    if (event.type === "ack") {
      state = acknowledgeAlert(state, { alertNumber: state.alertNumber, atMs: event.at });
      continue;
    }
    const decided =
      event.type === "run"
        ? decideOnRun(state, buildRun(plan, event), rules)
        : decideOnTime(state, event.at, rules);
    // The next decision sees only the serialized state.
    state = JSON.parse(JSON.stringify(decided.state));
    for (const decision of "decision" in decided ? [decided.decision] : decided.decisions) {
      assert.ok(decision.reason.length > 0);
      if (decision.kind === "NO_ALERT") continue;
      const { onlyChannelIds: _only, startedAtMs: _started, ...more } = decision;
      const { troubleStartedAtMs: _trouble, ...rest } = more;
      sent.push(rest);
    }
  }
  return sent;
}

const kinds: readonly AlertKind[] = [
  "ALERT_FAILURE",
  "ALERT_FAILURE_REMAIN",
  "ALERT_FAILURE_DEGRADED",
  "ALERT_RECOVERY",
  "ALERT_DEGRADED",
  "ALERT_DEGRADED_REMAIN",
  "ALERT_DEGRADED_FAILURE",
  "ALERT_DEGRADED_RECOVERY",
  "ALERT_NO_DATA",
];

test("over thirty days the code sends the same alerts as the model", () => {
  const seen = new Set<string>();
  const property = fc.property(plans, (plan) => {
    const events = layOut(plan);
    const sent = fold(plan, events);
    for (const { kind } of sent) seen.add(kind);
    assert.deepEqual(sent, predictAlerts(plan, events));
  });
  // Thirty days take 30 ms of CPU.
  fc.assert(property, { numRuns: propertyRuns / 4 });
  if (!isLongRun) return;
  assert.deepEqual([...seen].sort(), kinds.toSorted(), "the histories cause every kind of alert");
});

test("alerts open, change and close in order", () => {
  const property = fc.property(plans, (plan) => {
    let open: number | null = null;
    let lastNumber = 0;
    for (const { kind, alertNumber } of fold(plan, layOut(plan))) {
      const isRecovery = kind === "ALERT_RECOVERY" || kind === "ALERT_DEGRADED_RECOVERY";
      if (open === null) {
        assert.ok(!isRecovery, "a recovery follows an alert");
        assert.ok(!kind.endsWith("REMAIN"), "a reminder follows an alert");
        assert.equal(alertNumber, lastNumber + 1);
      } else {
        assert.equal(alertNumber, open);
      }
      open = isRecovery ? null : alertNumber;
      lastNumber = alertNumber;
    }
  });
  fc.assert(property);
});
