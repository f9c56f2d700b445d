import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultAlertSettings } from "../../checks/checks/alert-settings.ts";
import { mergeCheckSettings } from "../../checks/checks/check-settings.ts";
import { kinds } from "../../kinds/index.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import { type DecisionSnapshot, isEveryPlaceSuspect, rulesFor } from "./decision-snapshot.ts";
import { defaultAccountAlertSettings } from "./settings/settings-store.ts";

const office = "00000000-0000-4000-8000-000000000001";
const accounts = new Map([[office, "ours"]]);
const probe = (route: string, location: string, isSuspect: boolean) => ({
  route,
  location,
  isSuspect,
});
const lost = probe("built-in", "eu-central-1", true);
const check = (...places: string[]) => ({ accountId: "ours", places });

test("a healthy probe elsewhere does not count for a location with a suspect probe", () => {
  const elsewhere = probe(office, "office", false);
  assert.equal(isEveryPlaceSuspect(check("eu-central-1"), [lost, elsewhere], accounts), true);
  assert.equal(isEveryPlaceSuspect(check("us-east-1"), [lost, elsewhere], accounts), true);
  assert.equal(isEveryPlaceSuspect(check("office"), [lost, elsewhere], accounts), false);
  assert.equal(
    isEveryPlaceSuspect(check("us-east-1", "office"), [lost, elsewhere], accounts),
    false,
  );
});

test("a probe of another account's location of the same name is ignored", () => {
  const theirs = probe("00000000-0000-4000-8000-000000000002", "office", true);
  const healthy = { ...lost, isSuspect: false };
  assert.equal(isEveryPlaceSuspect(check("office"), [healthy, theirs], accounts), false);
});

test("a location without probes is not suspect", () => {
  assert.equal(isEveryPlaceSuspect(check("eu-central-1"), [], accounts), false);
});

const patient = {
  ...defaultAlertSettings,
  escalationType: "TIME_BASED" as const,
  runBasedEscalation: { failedRunThreshold: 5 },
  reminders: { amount: 3, interval: 30 },
};
const snapshot: DecisionSnapshot = {
  watched: new Map(),
  settings: new Map([["ours", { ...defaultAccountAlertSettings, ...patient }]]),
  escalations: { find: () => ({ policy: null, stages: [] }) },
  windows: new Map(),
  mutes: new Map(),
  parents: new Map(),
  statuses: new Map(),
  reportedCheckIds: new Set(),
  isSuspect: () => false,
};

function settingsOf(type: "ALERT_GROUP" | "HEARTBEAT", useGlobalAlertSettings: boolean) {
  const input = { name: "Shop", useGlobalAlertSettings, alertSettings: patient };
  const settings = mergeCheckSettings(kinds[type], null, input);
  const names = { checkId: "check", accountId: "ours", places: [] as string[] };
  const watched = { ...names, kind: kinds[type], settings } as unknown as Watched;
  return rulesFor(snapshot, watched).settings;
}

test("the first signal of another monitor alerts, whatever the thresholds", () => {
  for (const isGlobal of [true, false]) {
    const group = settingsOf("ALERT_GROUP", isGlobal);
    assert.equal(group.escalationType, "RUN_BASED");
    assert.equal(group.runBasedEscalation.failedRunThreshold, 1);
    assert.deepEqual(group.reminders, patient.reminders);
    const own = settingsOf("HEARTBEAT", isGlobal);
    assert.equal(own.escalationType, "TIME_BASED");
    assert.equal(own.runBasedEscalation.failedRunThreshold, 5);
  }
});
