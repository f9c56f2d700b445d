import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { type Answer, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../test/support/apps/cast.ts";
import {
  addService,
  createIncident,
  incidentBody,
  incidentsPath as path,
} from "../../../test/support/modules/incidents.ts";

let app: TestApp;
let stranger: Stranger;
let service: string;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
  service = await addService(app);
});
after(() => app.stop());

type Body = Record<string, unknown>;
const create = (more: Body = {}) => createIncident(app, service, more);
const read = (id: string) => app.call("GET", `${path}/${id}`);

function assertNames(answer: Answer, ...keys: readonly string[]): void {
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.body.validation, { source: "body", keys });
  assert.ok(answer.body.message.startsWith(keys[0]), answer.text);
}

test("PUT replaces name, severity and services, and keeps the updates", async () => {
  const second = await addService(app, { name: "Search" });
  const { body: made } = await create();
  app.clock.advance(86_400_000);
  const { status, body, headers } = await app.call("PUT", `${path}/${made.id}`, {
    body: {
      id: "",
      name: "Renamed",
      severity: "MINOR",
      services: [{ id: second }],
      lastUpdateStatus: "",
      duration: 0,
      incidentUpdates: [{ description: "Ignored" }],
    },
  });
  assert.equal(status, 200);
  assert.deepEqual([body.name, body.severity], ["Renamed", "MINOR"]);
  assert.deepEqual(
    body.services.map((one: Body) => one.id),
    [second],
  );
  assert.deepEqual(body.incidentUpdates, made.incidentUpdates);
  assert.equal(body.updated_at, "2026-11-16");
  const again = await read(made.id);
  assert.deepEqual(again.body, body);
  assert.equal(again.headers.get("etag"), headers.get("etag"));
  for (const key of ["name", "severity", "services"]) {
    const part = { ...incidentBody(service), [key]: undefined };
    assertNames(await app.call("PUT", `${path}/${made.id}`, { body: part }), key);
  }
});

test("PATCH changes only the given fields", async () => {
  const { body: made } = await create();
  const one = `${path}/${made.id}`;
  const patch = async (body: Body) => (await app.call("PATCH", one, { body })).body;
  assert.equal((await patch({ severity: "CRITICAL" })).severity, "CRITICAL");
  assert.equal((await patch({ name: "Other" })).name, "Other");
  const after = await patch({});
  assert.deepEqual([after.name, after.severity], ["Other", "CRITICAL"]);
  assert.deepEqual(after.services, made.services);
  const unknown = await app.call("PATCH", one, { body: { services: [{ id: randomUUID() }] } });
  assert.equal(unknown.status, 404);
  assertNames(await app.call("PATCH", one, { body: { severity: null } }), "severity");
  assert.deepEqual((await read(made.id)).body.services, made.services);
});

test("a change with an outdated ETag receives 412, and an ETag does not expire", async () => {
  const made = await create();
  const one = `${path}/${made.body.id}`;
  const ifMatch = made.headers.get("etag") ?? "";
  app.clock.advance(3_600_000);
  assert.equal((await read(made.body.id)).headers.get("etag"), ifMatch);
  const send = (method: string, tag: string) =>
    app.call(method, one, {
      body: incidentBody(service, { name: `by ${method}` }),
      headers: { "if-match": tag },
    });
  const first = await send("PUT", ifMatch);
  assert.equal(first.status, 200);
  for (const method of ["PUT", "PATCH"]) {
    const late = await send(method, ifMatch);
    assert.equal(late.status, 412, late.text);
    assert.equal(late.body.error, "Precondition Failed");
  }
  assert.equal((await send("PATCH", first.headers.get("etag") ?? "")).status, 200);
  assert.equal((await send("PUT", "*")).status, 200);
});

test("of concurrent changes with the same ETag, one succeeds", async () => {
  const made = await create();
  const headers = { "if-match": made.headers.get("etag") ?? "" };
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      app.call("PATCH", `${path}/${made.body.id}`, { body: { name: `n${index}` }, headers }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(answers.filter(({ status }) => status === 412).length, 7);
});

test("deleting an incident deletes its updates", async () => {
  const { body } = await create();
  const one = `${path}/${body.id}`;
  const removed = await app.call("DELETE", one);
  assert.deepEqual([removed.status, removed.text], [204, ""]);
  for (const method of ["GET", "DELETE"]) {
    assert.equal((await app.call(method, one)).status, 404);
  }
  for (const method of ["PUT", "PATCH"]) {
    assert.equal((await app.call(method, one, { body: incidentBody(service) })).status, 404);
  }
  const { rows } = await app.query("select 1 from incident_updates where incident_id = $1", [
    body.id,
  ]);
  assert.equal(rows.length, 0);
});

test("an incident is kept when its services are deleted", async () => {
  const own = await addService(app);
  const { body } = await createIncident(app, own);
  await app.query("delete from services where id = $1", [own]);
  assert.deepEqual((await read(body.id)).body.services, []);
});

test("another account sees nothing, and a reader cannot change anything", async () => {
  const { body } = await create();
  const one = `${path}/${body.id}`;
  const { key } = await createKey(app, "READ_ONLY");
  assert.equal((await app.call("GET", one, { key: stranger.key })).status, 404);
  const list = await app.call("GET", path, { key: stranger.key });
  assert.equal(list.text.includes(body.id), false);
  assert.equal((await app.call("GET", one, { key })).status, 200);
  assert.equal((await app.call("DELETE", one, { key })).status, 403);
  assert.equal((await app.call("GET", one, { key: null })).status, 401);
  const account = app.owner.accountId;
  assert.equal((await app.call("GET", one, { key: stranger.key, account })).status, 403);
});

test("too many requests receive 429 with Retry-After", async () => {
  const limited = await startTestApp({ BUILT_IN_PROBE: "false", RATE_LIMIT_PER_MINUTE: "2" });
  const answers = [];
  for (let round = 0; round < 3; round += 1) answers.push(await limited.call("GET", path));
  const post = await limited.call("POST", path, { body: {} });
  assert.deepEqual(
    [...answers, post].map(({ status }) => status),
    [200, 200, 429, 429],
  );
  assert.ok(Number(post.headers.get("retry-after")) > 0);
  await limited.stop();
});

test("each write adds an audit entry with the changed fields", async () => {
  const { body } = await create({ name: "Audited" });
  await app.call("PATCH", `${path}/${body.id}`, { body: { severity: "MINOR" } });
  await app.call("DELETE", `${path}/${body.id}`);
  const { rows } = await app.query(
    "select action, changes from audit_entries where target_id = $1 order by id",
    [body.id],
  );
  assert.deepEqual(rows, [
    { action: "incident.created", changes: { name: "Audited", severity: "MAJOR" } },
    { action: "incident.updated", changes: { severity: "MINOR", severityBefore: "MAJOR" } },
    { action: "incident.deleted", changes: { name: "Audited" } },
  ]);
});

test("the audit log lists services only if they or their order changed", async () => {
  const second = await addService(app, { name: "Audited search" });
  const { body } = await create({ name: "Audited services" });
  const one = `${path}/${body.id}`;
  const rename = incidentBody(service, { name: "Renamed" });
  assert.equal((await app.call("PUT", one, { body: rename })).status, 200);
  for (const ids of [
    [service, second],
    [second, service],
    [second, service],
  ]) {
    const services = ids.map((id) => ({ id }));
    assert.equal((await app.call("PATCH", one, { body: { services } })).status, 200);
  }
  const { rows } = await app.query(
    `select changes from audit_entries where target_id = $1 and action = 'incident.updated'
      order by id`,
    [body.id],
  );
  assert.deepEqual(
    rows.map(({ changes }) => changes),
    [
      { name: "Renamed", nameBefore: "Audited services" },
      { serviceIds: [service, second] },
      { serviceIds: [second, service] },
      {},
    ],
  );
});
