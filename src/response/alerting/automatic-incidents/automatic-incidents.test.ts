/** Tests the path from a run to the public incident on a real database. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { degraded, failing, passing } from "../../../../test/support/modules/alerting.ts";
import {
  addPlannedWindow,
  addService,
  createIncidentScene,
  type IncidentScene,
  triggerFor,
} from "../../../../test/support/modules/automatic-incidents.ts";
import { noData } from "../../../../test/support/modules/runs.ts";
import type { Caller } from "../../../access/accounts/index.ts";
import { listPublicIncidents, postUpdate } from "../../incidents/index.ts";
import { defaultAccountAlertSettings } from "../settings/settings-store.ts";

const open = ["INVESTIGATING"];
const closed = ["INVESTIGATING", "RESOLVED"];

type Scene = IncidentScene;

async function runAll(
  { fixture, check }: Scene,
  outcomes: readonly Parameters<Scene["fixture"]["run"]>[1][],
) {
  for (const outcome of outcomes) {
    await fixture.run(check, outcome);
    fixture.clock.advance(60_000);
  }
}

test("a failure opens a public incident, and its recovery resolves it", async (t) => {
  const trigger = { severity: "CRITICAL", notifySubscribers: true } as const;
  const scene = await createIncidentScene(t, { name: "Edge router" }, trigger);
  const { fixture, serviceId, check } = scene;
  await runAll(scene, [passing, failing, failing]);
  const [incident, ...more] = await scene.listIncidents();
  assert.deepEqual(more, []);
  assert.deepEqual(incident, {
    id: incident?.id,
    name: "Edge router is down",
    severity: "CRITICAL",
    status: "INVESTIGATING",
    check_id: check.checkId,
    alert_number: 1,
    updates: ["INVESTIGATING: We look into it."],
  });
  const now = fixture.clock.now();
  const query = { serviceIds: [serviceId], from: new Date(0), to: now, limit: 10 };
  const shown = await listPublicIncidents(fixture.context.db, fixture.accountId, query);
  assert.deepEqual(
    shown.map(({ id, isAutomatic, services }) => [id, isAutomatic, services.map(({ id }) => id)]),
    [[incident?.id, true, [serviceId]]],
  );
  await runAll(scene, [passing, passing]);
  assert.deepEqual(await scene.listCourses(), [closed]);
  const sent = await fixture.query(
    "select message ->> 'status' as status from announcements order by id",
  );
  assert.deepEqual(sent, [{ status: "INVESTIGATING" }, { status: "RESOLVED" }]);
});

test("the next failure opens the next incident", async (t) => {
  const scene = await createIncidentScene(t);
  await runAll(scene, [failing, passing, failing]);
  assert.deepEqual(await scene.listCourses(), [closed, open]);
});

test("the texts have the values of the alert, and names are never read as Markdown", async (t) => {
  const description = "{{CHECK_NAME}} at {{RUN_LOCATION}}: {{CHECK_ERROR_MESSAGE}}";
  const name = "{{ALERT_TITLE}}: {{CHECK_NAME}}";
  const scene = await createIncidentScene(t, { name: "<b>*edge*</b>" }, { name, description });
  await runAll(scene, [failing]);
  const [incident] = await scene.listIncidents();
  assert.equal(incident?.name, "<b>*edge*</b> is failing: <b>*edge*</b>");
  assert.match(incident?.updates[0] ?? "", /^INVESTIGATING: \\<b>\\\*edge\\\*\\<\/b> at home: /);
});

test("no incident is opened before the alert is sent", async (t) => {
  const scene = await createIncidentScene(t);
  const runBasedEscalation = { failedRunThreshold: 2 };
  await scene.fixture.setSettings({ ...defaultAccountAlertSettings, runBasedEscalation });
  await runAll(scene, [failing]);
  assert.deepEqual(await scene.listCourses(), []);
  await runAll(scene, [failing]);
  assert.deepEqual(await scene.listCourses(), [open]);
});

test("a check without a trigger opens no incident", async (t) => {
  const scene = await createIncidentScene(t, { triggerIncident: null });
  await runAll(scene, [failing, passing]);
  assert.deepEqual(await scene.listCourses(), []);
});

test("a muted check opens none until it is no longer muted", async (t) => {
  const scene = await createIncidentScene(t, { muted: true });
  await runAll(scene, [failing, failing]);
  assert.deepEqual(await scene.listCourses(), []);
  await scene.fixture.editCheck(scene.check.checkId, { muted: false });
  await runAll(scene, [failing]);
  assert.deepEqual(await scene.listCourses(), [open]);
});

test("a silenced failure opens none, and one that lasts beyond the window does", async (t) => {
  const scene = await createIncidentScene(t);
  await addPlannedWindow(scene.fixture, { fromMinutes: -1, toMinutes: 3, isSilencing: true });
  await runAll(scene, [failing, failing, failing]);
  assert.deepEqual(await scene.listCourses(), []);
  await scene.fixture.pass(1);
  await runAll(scene, [failing]);
  assert.deepEqual(await scene.listCourses(), [open]);
});

test("a degraded check opens none until it fails", async (t) => {
  const scene = await createIncidentScene(t);
  await runAll(scene, [degraded, degraded]);
  assert.deepEqual(await scene.listCourses(), []);
  await runAll(scene, [failing]);
  assert.deepEqual(await scene.listCourses(), [open]);
});

test("an improvement to degraded does not resolve the incident; the recovery does", async (t) => {
  const scene = await createIncidentScene(t);
  await runAll(scene, [failing, degraded]);
  assert.deepEqual(await scene.listCourses(), [open]);
  await runAll(scene, [passing]);
  const kinds = (await scene.fixture.listAlerts(scene.check.checkId)).map(({ kind }) => kind);
  assert.equal(kinds.at(-1), "ALERT_DEGRADED_RECOVERY");
  assert.deepEqual(await scene.listCourses(), [closed]);
});

test("missing data opens none", async (t) => {
  const scene = await createIncidentScene(t);
  await runAll(scene, [passing]);
  for (let minute = 0; minute < 12; minute += 1) {
    await scene.fixture.run(scene.check, noData());
    await scene.fixture.pass(1);
  }
  const kinds = (await scene.fixture.listAlerts(scene.check.checkId)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["ALERT_NO_DATA"]);
  assert.deepEqual(await scene.listCourses(), []);
});

test("reminders and stages open no second one", async (t) => {
  const scene = await createIncidentScene(t);
  const channelId = await scene.fixture.addWebhook();
  await scene.fixture.setSettings({
    reminders: { amount: 2, interval: 5 },
    escalationStages: [{ afterMinutes: 7, alertChannelIds: [channelId] }],
    noDataMinutes: null,
  });
  await runAll(scene, [failing]);
  for (let minute = 0; minute < 20; minute += 1) await scene.fixture.pass(1);
  assert.equal((await scene.fixture.listAlerts(scene.check.checkId)).length, 4);
  assert.deepEqual(await scene.listCourses(), [open]);
});

test("two checks of one service open two incidents, and each ends its own", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, serviceId } = scene;
  const triggerIncident = triggerFor(serviceId);
  const other = await fixture.addCheck({ frequency: 1, name: "Other", triggerIncident });
  await fixture.run(other, failing);
  await runAll(scene, [failing, passing]);
  const incidents = await scene.listIncidents();
  assert.deepEqual(
    incidents.map(({ check_id, status }) => [check_id, status]),
    [
      [other.checkId, "INVESTIGATING"],
      [scene.check.checkId, "RESOLVED"],
    ],
  );
});

test("flapping opens one incident per alert, and the last is resolved once the check is calm", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check } = scene;
  const flapDamping = { transitions: 4, windowMinutes: 30 };
  await fixture.setSettings({ flapDamping, noDataMinutes: null });
  for (let turn = 0; turn < 10; turn += 1) await runAll(scene, [failing, passing]);
  const sent = (await fixture.listAlerts(check.checkId)).filter(({ kind }) => kind !== "NO_ALERT");
  const failures = sent.filter(({ kind }) => kind === "ALERT_FAILURE").length;
  assert.equal(failures, 3);
  assert.deepEqual(await scene.listCourses(), [closed, closed, open]);
  for (let minute = 0; minute < 31; minute += 1) {
    await fixture.run(check, passing);
    await fixture.pass(1);
  }
  assert.deepEqual(await scene.listCourses(), [closed, closed, closed]);
});

const person: Omit<Caller, "accountId" | "accountIds"> = {
  roleIn: () => null,
  type: "API_KEY",
  credentialId: "0199a1f0-0000-7000-8000-000000000000",
  userId: null,
  label: "somebody",
  role: "ADMIN",
  address: "192.0.2.9",
  requestId: "one",
};

async function takeOver({ fixture, listIncidents }: Scene): Promise<void> {
  const { accountId, context } = fixture;
  const caller = { ...person, accountId, accountIds: [accountId] };
  const [incident] = await listIncidents();
  const words = { description: "A cable was cut.", status: "IDENTIFIED" } as const;
  const request = { ...words, templateId: undefined, variables: new Map<string, string>() };
  const post = { incidentId: incident?.id ?? "", request, body: request };
  await postUpdate(context, caller, { ...post, idempotencyKey: undefined });
}

test("an incident that a person updated is not resolved by the recovery", async (t) => {
  const scene = await createIncidentScene(t);
  await runAll(scene, [failing]);
  await takeOver(scene);
  await runAll(scene, [failing, passing, passing]);
  assert.deepEqual(await scene.listCourses(), [["INVESTIGATING", "IDENTIFIED"]]);
  const kinds = (await scene.fixture.listAlerts(scene.check.checkId)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("an incident is not resolved if its check is deleted or its trigger removed", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check, serviceId } = scene;
  await runAll(scene, [failing]);
  await fixture.editCheck(check.checkId, { triggerIncident: null });
  await runAll(scene, [passing]);
  assert.deepEqual(await scene.listCourses(), [open]);
  await fixture.editCheck(check.checkId, { triggerIncident: triggerFor(serviceId) });
  await runAll(scene, [failing, passing, failing]);
  assert.deepEqual(await scene.listCourses(), [closed, open]);
  await fixture.deleteCheck(check.checkId);
  await fixture.pass(60);
  assert.deepEqual(await scene.listCourses(), [closed, open]);
});

test("a check moved to another service resolves its earlier incident", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check } = scene;
  await runAll(scene, [failing]);
  const triggerIncident = triggerFor(await addService(fixture, "Shop"));
  await fixture.editCheck(check.checkId, { triggerIncident });
  await runAll(scene, [passing]);
  assert.deepEqual(await scene.listCourses(), [closed]);
});
