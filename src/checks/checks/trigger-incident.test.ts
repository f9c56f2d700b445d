import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
let stranger: Stranger;
let serviceId: string;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
  serviceId = await newService("Website");
});
after(() => app.stop());

async function newService(name: string, key?: string): Promise<string> {
  const options = key === undefined ? {} : { key };
  const made = await app.call("POST", "/v1/status-pages/services", { body: { name }, ...options });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

const minimal = { name: "Router", request: { hostname: "router.example.com" } };
const create = (triggerIncident: unknown) =>
  app.call("POST", "/v1/checks/icmp", { body: { ...minimal, triggerIncident } });
const change = (id: string, body: Record<string, unknown>) =>
  app.call("PUT", `/v1/checks/icmp/${id}`, { body: { heartbeat: {}, script: "", ...body } });

const full = () => ({
  serviceId,
  severity: "CRITICAL",
  name: "{{CHECK_NAME}} is down",
  description: "Since {{ STARTED_AT }}: {{CHECK_ERROR_MESSAGE}}",
  notifySubscribers: true,
});

test("the incident trigger of a check is stored and shown with its five fields", async () => {
  const { status, body, text } = await create({ ...full(), more: "is ignored" });
  assert.equal(status, 201, text);
  assert.deepEqual(body.triggerIncident, full());
  const read = await app.call("GET", `/v1/checks/${body.id}`);
  assert.deepEqual(read.body.triggerIncident, full());
  const stored = await app.query("select settings -> 'triggerIncident' as t from checks");
  assert.deepEqual(stored.rows.at(-1)?.t, full());
});

test("the severity is MAJOR and nobody is notified by default", async () => {
  const { body } = await create({ serviceId, name: "Down", description: "We look into it." });
  const { severity, notifySubscribers } = body.triggerIncident;
  assert.deepEqual([severity, notifySubscribers], ["MAJOR", false]);
});

test("an id in upper case refers to the same service", async () => {
  const { status, body } = await create({ ...full(), serviceId: serviceId.toUpperCase() });
  assert.equal(status, 201);
  assert.equal(body.triggerIncident.serviceId, serviceId);
});

test("an update keeps, replaces or resets the trigger", async () => {
  const { id } = (await create(full())).body;
  const unchanged = await change(id, { name: "Renamed" });
  assert.deepEqual(unchanged.body.triggerIncident, full());
  const other = { ...full(), serviceId: await newService("Shop"), severity: "MINOR" };
  const replaced = await change(id, { triggerIncident: other });
  assert.deepEqual(replaced.body.triggerIncident, other);
  const reset = await change(id, { triggerIncident: null });
  assert.equal(reset.status, 200);
  assert.equal(reset.body.triggerIncident, null);
});

test("a service of another account is treated as unknown", async () => {
  const theirs = await newService("Elsewhere", stranger.key);
  for (const unknown of [theirs, "0199a1f0-0000-7000-8000-000000000000"]) {
    const refused = await create({ ...full(), serviceId: unknown });
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(refused.body.validation.keys, ["triggerIncident.serviceId"]);
  }
  const { id } = (await create(full())).body;
  const refused = await change(id, { triggerIncident: { ...full(), serviceId: theirs } });
  assert.deepEqual(refused.body.validation.keys, ["triggerIncident.serviceId"]);
  const read = await app.call("GET", `/v1/checks/${id}`);
  assert.deepEqual(read.body.triggerIncident, full());
});

const faulty: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ["no service", { serviceId: undefined }, "triggerIncident.serviceId"],
  ["a number as its service", { serviceId: 7 }, "triggerIncident.serviceId"],
  ["an unknown severity", { severity: "WORST" }, "triggerIncident.severity"],
  ["no name", { name: undefined }, "triggerIncident.name"],
  ["a blank name", { name: " \t" }, "triggerIncident.name"],
  ["a name too long", { name: "n".repeat(256) }, "triggerIncident.name"],
  ["a block without its end in its name", { name: "{{#each x}}" }, "triggerIncident.name"],
  ["no description", { description: undefined }, "triggerIncident.description"],
  ["an empty description", { description: "" }, "triggerIncident.description"],
  ["a blank description", { description: "\n" }, "triggerIncident.description"],
  ["a description too long", { description: "d".repeat(20_001) }, "triggerIncident.description"],
  ["a variable without its end", { description: "a {{ b" }, "triggerIncident.description"],
  ["a word for a boolean", { notifySubscribers: "yes" }, "triggerIncident.notifySubscribers"],
];

for (const [what, input, key] of faulty) {
  test(`a trigger with ${what} is rejected, naming ${key}`, async () => {
    const refused = await create({ ...full(), ...input });
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(refused.body.validation, { source: "body", keys: [key] });
  });
}

test("the longest name and description are accepted", async () => {
  const longest = { name: "n".repeat(255), description: "d".repeat(20_000) };
  assert.equal((await create({ ...full(), ...longest })).status, 201);
});

test("a service that a check would open incidents for is not deleted", async () => {
  const id = await newService("Needed");
  await create({ ...full(), serviceId: id });
  const refused = await app.call("DELETE", `/v1/status-pages/services/${id}`);
  assert.equal(refused.status, 409, refused.text);
});

test("saving a check waits for a concurrent deletion of its service", async () => {
  const dying = await newService("Dying");
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("delete from services where id = $1", [dying]);
    const saving = create({ ...full(), serviceId: dying });
    await waitUntil("the check waits for the deletion of its service", async () => {
      const waiting = await app.query(
        `select 1 from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock'`,
      );
      return waiting.rowCount === 1;
    });
    await client.query("commit");
    const { status, body } = await saving;
    assert.equal(status, 400);
    assert.deepEqual(body.validation.keys, ["triggerIncident.serviceId"]);
  } finally {
    await client.end();
  }
});
