import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainRules } from "../../../../test/support/alerting/plain-rules.ts";
import {
  createAlertMessage,
  createLongMessage,
} from "../../../../test/support/modules/alert-message.ts";
import { anyCharacter } from "../../../../test/support/properties.ts";
import type { AlertMessage } from "../../../channels/alert-channels/index.ts";
import type { AlertReason } from "../alert-decision.ts";
import type { AlertRules } from "../alert-rules.ts";
import { type AlertState, createAlertState, type DecidedKind } from "../alert-state.ts";
import { decideIncident, decideOwed, writeIncidentText } from "../incident-follower.ts";

const trigger = {
  serviceId: "0199a1f0-0000-7000-8000-000000000000",
  severity: "MAJOR",
  name: "{{CHECK_NAME}} is down",
  description: "{{CHECK_ERROR_MESSAGE}}",
  notifySubscribers: false,
} as const;

const verdicts: Readonly<Record<DecidedKind, "open" | "resolve" | "leave">> = {
  ALERT_FAILURE: "open",
  ALERT_DEGRADED_FAILURE: "open",
  ALERT_FAILURE_REMAIN: "leave",
  ALERT_FAILURE_DEGRADED: "leave",
  ALERT_DEGRADED: "leave",
  ALERT_DEGRADED_REMAIN: "leave",
  ALERT_NO_DATA: "leave",
  ALERT_RECOVERY: "resolve",
  ALERT_DEGRADED_RECOVERY: "resolve",
};
const reasons: Readonly<Record<AlertReason, "change" | "repeat">> = {
  "run-threshold-reached": "change",
  "time-threshold-reached": "change",
  worsened: "change",
  improved: "change",
  "no-data": "change",
  recovered: "change",
  "flapping-began": "change",
  "reminder-due": "repeat",
  "mute-ended": "repeat",
  "snooze-ended": "repeat",
  "escalation-stage-due": "repeat",
};

test("failures open an incident, recoveries resolve it, and repeats do neither", () => {
  for (const [kind, verdict] of Object.entries(verdicts) as [DecidedKind, string][]) {
    for (const [reason, novelty] of Object.entries(reasons) as [AlertReason, string][]) {
      const alert = {
        kind,
        reason,
        isReminder: /^(reminder-due|mute-ended|snooze-ended)$/.test(reason),
      };
      const expected = novelty === "repeat" ? "leave" : verdict;
      assert.equal(decideIncident(alert, trigger).kind, expected, `${kind} ${reason}`);
      assert.equal(decideIncident(alert, null).kind, "leave", `${kind} ${reason}`);
    }
  }
});

const sent: AlertState = {
  ...createAlertState(0),
  phase: "failing",
  alertedKind: "ALERT_FAILURE",
  alertNumber: 3,
};
const over: AlertState = { ...sent, phase: "calm", alertedKind: null };
const OPEN = { action: "OPEN", alertNumber: 3 } as const;
const RESOLVE = { action: "RESOLVE", alertNumber: 3 } as const;

test("an owed incident is opened while its alert is open, and dropped afterwards", () => {
  const now = { atMs: 1, rules: plainRules };
  assert.equal(decideOwed(OPEN, sent, now), "do");
  assert.equal(decideOwed(OPEN, over, now), "drop");
  assert.equal(decideOwed(OPEN, undefined, now), "drop");
  assert.equal(decideOwed(OPEN, { ...sent, alertNumber: 4 }, now), "drop");
  assert.equal(decideOwed(RESOLVE, over, now), "do");
  assert.equal(decideOwed(RESOLVE, sent, now), "drop");
  assert.equal(decideOwed(RESOLVE, undefined, now), "drop");
  assert.equal(decideOwed(RESOLVE, { ...over, alertNumber: 4 }, now), "drop");
});

test("an owed incident waits while alerts are held or the check is not failing", () => {
  const waits: readonly (readonly [Partial<AlertState>, Partial<AlertRules>])[] = [
    [{}, { muted: true }],
    [{}, { activated: false }],
    [{}, { probeIsSuspect: true }],
    [{}, { inMaintenance: (atMs) => atMs === 1 }],
    [{}, { heldByParent: "another" }],
    [{ isFlapping: true }, {}],
    [{ phase: "calm" }, {}],
    [{ phase: "degraded" }, {}],
    [{ phase: "degraded", alertedKind: "ALERT_FAILURE_DEGRADED" }, {}],
    [{ phase: "no-data", alertedKind: "ALERT_NO_DATA" }, {}],
  ];
  for (const [state, rule] of waits) {
    const now = { atMs: 1, rules: { ...plainRules, ...rule } };
    const verdict = decideOwed(OPEN, { ...sent, ...state }, now);
    assert.equal(verdict, "wait", JSON.stringify([state, rule]));
  }
});

test("an empty text is replaced by the text of the alert", () => {
  const message = createAlertMessage({ groupName: null });
  const empty = { name: "{{GROUP_NAME}}", description: " {{ nothing }} " };
  assert.deepEqual(writeIncidentText(empty, message), {
    name: "Web is down",
    description: "80 % of the packets to web.example were lost.",
  });
});

test("paragraphs and Markdown of the description are preserved", () => {
  const description = "# What\n\n- **{{CHECK_NAME}}**\n- see [status]({{RESULT_LINK}})";
  const text = writeIncidentText({ name: "n", description }, createAlertMessage());
  const link = "https://vedette.example/checks/check-1?run=result-1";
  assert.equal(text.description, `# What\n\n- **Web**\n- see [status](${link})`);
});

const templates = ["{{CHECK_NAME}}".repeat(18), "{{TAGS}}", "{{", "x".repeat(255)];

function assertFits(name: string, description: string, message: AlertMessage): void {
  const text = writeIncidentText({ name, description }, message);
  assert.ok(text.name.trim() !== "" && text.name.length <= 255);
  assert.doesNotMatch(text.name, /[\r\n]/);
  assert.ok(text.description.trim() !== "" && text.description.length <= 20_000);
}

test("any template gives non-empty texts within the limits and a name of one line", () => {
  const words = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 300 }),
    fc.constantFrom(...templates),
  );
  fc.assert(
    fc.property(words, words, words, (name, description, checkName) => {
      assertFits(name, description, createAlertMessage({ checkName }));
    }),
  );
});

test("values that are too long are truncated", () => {
  const message = createLongMessage();
  for (const template of templates) assertFits(template, template, message);
});
