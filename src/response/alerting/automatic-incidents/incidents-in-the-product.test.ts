/** Tests automatic incidents through the API and the background loops. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { reportRun } from "../../../../test/support/apps/alerting-app.ts";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../../test/support/apps/cast.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

interface Incident {
  readonly id: string;
  readonly name: string;
  readonly lastUpdateStatus: string;
  readonly incidentUpdates: readonly { readonly status: string; readonly description: string }[];
}

async function post(path: string, body: unknown): Promise<{ id: string }> {
  const made = await app.call("POST", path, { body });
  assert.ok(made.status < 300, made.text);
  return made.body;
}

async function newCheck(name: string): Promise<{ checkId: string; serviceId: string }> {
  const { id: serviceId } = await post("/v1/status-pages/services", { name: `${name} service` });
  const triggerIncident = { serviceId, name: `${name} is down`, description: "We look into it." };
  const request = { hostname: "192.0.2.1" };
  const check = { name, frequency: 1, request, triggerIncident };
  return { checkId: (await post("/v1/checks/icmp", check)).id, serviceId };
}

async function listOf(serviceId: string, key?: string): Promise<Incident[]> {
  const options = key === undefined ? {} : { key };
  const path = `/v1/status-pages/incidents?serviceId=${serviceId}`;
  const { status, body, text } = await app.call("GET", path, options);
  assert.equal(status, 200, text);
  return body.entries;
}

const coursesOf = async (serviceId: string) =>
  (await listOf(serviceId)).map(({ incidentUpdates }) =>
    incidentUpdates.map(({ status }) => status),
  );

test("a failing run opens an incident that only its account can read, and a passing run ends it", async () => {
  const { checkId, serviceId } = await newCheck("Router");
  await reportRun(app, checkId, "failing");
  const [incident] = await listOf(serviceId);
  assert.equal(incident?.name, "Router is down");
  assert.equal(incident?.incidentUpdates[0]?.description, "We look into it.");
  assert.deepEqual(await listOf(serviceId, stranger.key), []);
  const path = `/v1/status-pages/incidents/${incident?.id}`;
  assert.equal((await app.call("GET", path)).status, 200);
  assert.equal((await app.call("GET", path, { key: stranger.key })).status, 404);
  await reportRun(app, checkId, "passing");
  assert.deepEqual(await coursesOf(serviceId), [["RESOLVED", "INVESTIGATING"]]);
  const { body: audit } = await app.call("GET", "/v1/audit-log?action=incident.created");
  const [entry] = audit.entries;
  assert.deepEqual([entry.actor.type, entry.target.id], ["SYSTEM", incident?.id]);
});

test("the public page shows the incident while it is open without authentication", async () => {
  const { checkId, serviceId } = await newCheck("Mail relay");
  const cards = [{ name: "All", services: [{ id: serviceId }] }];
  await post("/v1/status-pages", { name: "Ours", url: "relay", cards });
  const read = async () =>
    (await app.call("GET", "/status/relay/summary.json", { key: null })).text;
  assert.doesNotMatch(await read(), /Mail relay is down/);
  await reportRun(app, checkId, "failing");
  const isShown = async () => (await read()).includes("Mail relay is down");
  await waitUntil("the page shows it", isShown);
  await reportRun(app, checkId, "passing");
  await waitUntil("the page shows its end", async () => !(await isShown()));
});

test("an update by a person stops automatic resolution", async () => {
  const { checkId, serviceId } = await newCheck("Switch");
  await reportRun(app, checkId, "failing");
  const [incident] = await listOf(serviceId);
  const updates = `/v1/status-pages/incidents/${incident?.id}/incident-updates`;
  await post(updates, { status: "IDENTIFIED", description: "A cable was cut." });
  await reportRun(app, checkId, "passing");
  assert.deepEqual(await coursesOf(serviceId), [["IDENTIFIED", "INVESTIGATING"]]);
});

test("a window suppresses an incident, which is opened when the window is over", async () => {
  const { checkId, serviceId } = await newCheck("Gateway");
  const nowMs = app.clock.now().getTime();
  await post("/v1/maintenance-windows", {
    name: "Patch day",
    startsAt: new Date(nowMs - 60_000).toISOString(),
    endsAt: new Date(nowMs + 60_000).toISOString(),
    statusPageVisibility: { enabled: true, suppressAutoIncidents: true, serviceIds: [serviceId] },
  });
  await reportRun(app, checkId, "failing");
  const alerts = await app.call("GET", `/v1/check-alerts/${checkId}`);
  assert.equal(alerts.body[0].alertType, "ALERT_FAILURE");
  assert.deepEqual(await listOf(serviceId), []);
  app.clock.advance(120_000);
  const isOpen = async () => (await listOf(serviceId)).length === 1;
  await waitUntil("the incident is open", isOpen);
});
