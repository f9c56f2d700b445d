import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { addService, createIncident } from "../../../test/support/modules/incidents.ts";
import type { NeedsConfirmationData } from "../tool.ts";
import type { GetIncidentData, ListIncidentsData } from "../tool-shapes/event-data.ts";

let app: TestApp;
let service: string;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  service = await addService(app);
});
after(() => app.stop());

async function use<Data>(name: string, input: object = {}, key?: string): Promise<Data> {
  const params = { name, arguments: input };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const answer = await app.call("POST", "/mcp", { body, ...(key === undefined ? {} : { key }) });
  // A failure is reported as text only.
  return JSON.parse(answer.body.result.content[0].text).data;
}

async function newIncident(name: string, more: object = {}): Promise<string> {
  const { status, body, text } = await createIncident(app, service, { name, ...more });
  assert.equal(status, 201, text);
  return body.id;
}

const namesOf = ({ incidents }: ListIncidentsData) => incidents.map(({ name }) => name);

test("incidents are filtered by state and time", async () => {
  const at = (hours: number) =>
    new Date(app.clock.now().getTime() + hours * 3_600_000).toISOString();
  const update = (status: string, publicIncidentUpdateDate: string) => ({
    description: status,
    status,
    publicIncidentUpdateDate,
  });
  await newIncident("Over", {
    incidentUpdates: [update("INVESTIGATING", at(-5)), update("RESOLVED", at(-4))],
  });
  await newIncident("Going on", { incidentUpdates: [update("IDENTIFIED", at(-1))] });
  assert.deepEqual(namesOf(await use("list_incidents")), ["Going on", "Over"]);
  assert.deepEqual(namesOf(await use("list_incidents", { status: "ongoing" })), ["Going on"]);
  assert.deepEqual(namesOf(await use("list_incidents", { status: "resolved" })), ["Over"]);
  const early = await use<ListIncidentsData>("list_incidents", { from: at(-6), to: at(-3) });
  assert.deepEqual(namesOf(early), ["Over"]);
  const late = await use<ListIncidentsData>("list_incidents", { from: at(-3) });
  assert.deepEqual(namesOf(late), ["Going on"]);
  const [over] = early.incidents;
  assert.equal(over?.status, "RESOLVED");
  assert.equal(over?.startedAt, at(-5));
  assert.equal(over?.resolvedAt, at(-4));
  assert.deepEqual(over?.services, ["Checkout"]);
  const wrong = await use<{ error: string }>("list_incidents", { from: at(0), to: at(-1) });
  assert.equal(wrong.error, "invalid");
});

test("an incident has its updates, newest first", async () => {
  const incidentId = await newIncident("Payments fail");
  const incident = await use<GetIncidentData>("get_incident", { incidentId });
  assert.equal(incident.name, "Payments fail");
  assert.deepEqual(
    incident.updates.map(({ status, description, notifiedSubscribers }) => [
      status,
      description,
      notifiedSubscribers,
    ]),
    [["INVESTIGATING", "We are investigating.", false]],
  );
});

test("an update is posted after confirmation, and notifies nobody", async () => {
  const incidentId = await newIncident("Payments fail");
  const input = { incidentId, status: "RESOLVED", description: "All is **well** again." };
  const proposed = await use<NeedsConfirmationData>("post_incident_update", input);
  assert.equal(proposed.needsConfirmation, true);
  assert.ok(proposed.summary.includes('"All is **well** again."'), "the user reads all of it");
  assert.match(proposed.summary, /without notifying subscribers/);
  const path = `/accounts/${app.owner.accountId}/ai/confirmations`;
  const [waiting] = (await app.call("GET", path)).body;
  const before = await use<GetIncidentData>("get_incident", { incidentId });
  assert.equal(before.status, "INVESTIGATING");
  const done = await app.call("POST", path, { body: { token: waiting.token } });
  assert.equal(done.body.isDone, true, done.text);
  const after = await use<GetIncidentData>("get_incident", { incidentId });
  assert.equal(after.status, "RESOLVED");
  assert.equal(after.updates[0]?.description, input.description);
  assert.equal(after.updates[0]?.notifiedSubscribers, false);
});

test("the tool has no input to notify subscribers", async () => {
  const incidentId = await newIncident("Payments fail");
  const input = { incidentId, status: "RESOLVED", description: "x", notifySubscribers: true };
  const rejected = await use<{ error: string }>("post_incident_update", input);
  assert.equal(rejected.error, "invalid");
});

test("incidents of another account are not found, and a read key cannot post", async () => {
  const incidentId = await newIncident("Ours alone");
  const stranger = await addStranger(app);
  const input = { incidentId, status: "RESOLVED", description: "x" };
  for (const [name, args] of [
    ["get_incident", { incidentId }],
    ["post_incident_update", input],
  ] as const) {
    const { error } = await use<{ error: string }>(name, args, stranger.key);
    assert.equal(error, "not-found", name);
  }
  assert.deepEqual(namesOf(await use("list_incidents", {}, stranger.key)), []);
  const { key } = await createKey(app, "READ_ONLY");
  const params = { name: "post_incident_update", arguments: input };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  assert.match((await app.call("POST", "/mcp", { body, key })).text, /tool does not exist/);
});
