import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../../test/support/apps/cast.ts";
import {
  addService,
  createIncident,
  incidentsPath,
  postUpdate,
} from "../../../../test/support/modules/incidents.ts";
import { maxUpdates } from "../incident.ts";

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
const create = async (more: Body = {}): Promise<string> =>
  (await createIncident(app, service, more)).body.id;
const read = async (id: string) => (await app.call("GET", `${incidentsPath}/${id}`)).body;
const listPath = (id: string) => `${incidentsPath}/${id}/incident-updates`;
const onePath = (id: string, updateId: string) => `${listPath(id)}/${updateId}`;

/** Lists the queued announcements in the order of creation. */
async function listAnnouncements(incidentId: string): Promise<Body[]> {
  const { rows } = await app.query(
    `select source_id, message, created_at from announcements
      where message ->> 'incidentId' = $1 order by created_at, id`,
    [incidentId],
  );
  return rows;
}

test("a posted update can be read and is first in the list", async () => {
  const id = await create();
  app.clock.advance(60_000);
  const { status, body } = await postUpdate(app, id, {
    description: "A disk is full.",
    status: "IDENTIFIED",
  });
  assert.equal(status, 201);
  assert.deepEqual(body, {
    id: body.id,
    description: "A disk is full.",
    status: "IDENTIFIED",
    publicIncidentUpdateDate: app.clock.now().toISOString(),
    notifySubscribers: false,
    notifiedCount: null,
    author: "First key …6789",
    created_at: "2026-11-15",
  });
  const one = await app.call("GET", onePath(id, body.id));
  assert.deepEqual([one.status, one.body], [200, body]);
  const list = await app.call("GET", listPath(id));
  assert.equal(list.status, 200);
  assert.deepEqual(
    list.body.map((update: Body) => update.status),
    ["IDENTIFIED", "INVESTIGATING"],
  );
  const incident = await read(id);
  assert.equal(incident.lastUpdateStatus, "IDENTIFIED");
  assert.equal(incident.timeToAcknowledge, 60);
  assert.deepEqual(incident.incidentUpdates, list.body);
});

test("RESOLVED ends an incident, any other status reopens it, and the last RESOLVED counts", async () => {
  const id = await create();
  const say = async (status: string) => {
    app.clock.advance(600_000);
    await postUpdate(app, id, { status });
    const { lastUpdateStatus, duration } = await read(id);
    return [lastUpdateStatus, duration];
  };
  assert.deepEqual(await say("RESOLVED"), ["RESOLVED", 600]);
  assert.deepEqual(await say("INVESTIGATING"), ["INVESTIGATING", null]);
  assert.deepEqual(await say("RESOLVED"), ["RESOLVED", 1_800]);
  assert.deepEqual(await say("RESOLVED"), ["RESOLVED", 1_800]);
});

test("an update dated in the past does not change the current status", async () => {
  const id = await create();
  app.clock.advance(3_600_000);
  await postUpdate(app, id, { status: "RESOLVED" });
  const past = new Date(app.clock.now().getTime() - 7_200_000).toISOString();
  const { body } = await postUpdate(app, id, { publicIncidentUpdateDate: past });
  assert.equal(body.status, "INVESTIGATING");
  const incident = await read(id);
  assert.equal(incident.lastUpdateStatus, "RESOLVED");
  assert.equal(incident.duration, 7_200);
  assert.equal(incident.incidentUpdates.at(-1).id, body.id);
});

test("an update without a status keeps the current one", async () => {
  const id = await create({ lastUpdateStatus: "MONITORING" });
  const { body } = await postUpdate(app, id, {});
  assert.equal(body.status, "MONITORING");
});

test("twenty concurrent posts are all stored, and the derived fields are correct", async () => {
  const id = await create();
  const startMs = app.clock.now().getTime();
  const statuses = ["IDENTIFIED", "MONITORING", "RESOLVED", "INVESTIGATING"];
  const posts = Array.from({ length: 20 }, (_, index) => ({
    description: `${index}`,
    status: statuses[index % 4],
    publicIncidentUpdateDate: new Date(startMs - index * 60_000).toISOString(),
  }));
  const answers = await Promise.all(posts.map((post) => postUpdate(app, id, post)));
  assert.ok(answers.every(({ status }) => status === 201));
  const incident = await read(id);
  assert.equal(incident.incidentUpdates.length, 21);
  const { rows } = await app.query(
    "select started_at, resolved_at, open_spans from incidents where id = $1",
    [id],
  );
  assert.equal(rows[0].started_at.getTime(), startMs - 19 * 60_000);
  assert.equal(rows[0].resolved_at, null);
  // Oldest first: each fourth resolves the incident, and the next one reopens it.
  const at = (index: number) => startMs - index * 60_000;
  assert.deepEqual(rows[0].open_spans, [
    [at(19), at(18)],
    [at(17), at(14)],
    [at(13), at(10)],
    [at(9), at(6)],
    [at(5), at(2)],
    [at(1), null],
  ]);
});

test("the number of updates is limited, and the list contains the newest hundred", async () => {
  const id = await create();
  await app.query(
    `insert into incident_updates (id, account_id, incident_id, status, description, public_at,
      notify_subscribers, created_at)
      select gen_random_uuid(), $1, $2, 'MONITORING', n::text,
        $3::timestamptz - n * interval '1 minute', false, $3 from generate_series(1, $4) n`,
    [app.owner.accountId, id, app.clock.now(), maxUpdates - 2],
  );
  const answers = await Promise.all([postUpdate(app, id, {}), postUpdate(app, id, {})]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
  assert.equal((await read(id)).incidentUpdates.length, maxUpdates);
  const list = await app.call("GET", listPath(id));
  assert.equal(list.body.length, 100);
  assert.equal(list.body[0].description, "News.");
  assert.equal(list.body.at(-1).description, "98");
});

test("an edit keeps omitted fields and recomputes the incident", async () => {
  const id = await create();
  app.clock.advance(60_000);
  const posted = await postUpdate(app, id, { status: "RESOLVED", notifySubscribers: true });
  const edit = (body: Body) => app.call("PUT", onePath(id, posted.body.id), { body });
  const { status, body } = await edit({ description: "Better words.", id: "", created_at: 0 });
  assert.equal(status, 200);
  assert.deepEqual(body, { ...posted.body, description: "Better words." });
  const earlier = new Date(app.clock.now().getTime() - 30_000).toISOString();
  await edit({ description: "Earlier.", publicIncidentUpdateDate: earlier });
  assert.equal((await read(id)).duration, 30);
  await edit({ description: "Not yet.", status: "MONITORING", notifySubscribers: false });
  const incident = await read(id);
  assert.equal(incident.lastUpdateStatus, "MONITORING");
  assert.equal(incident.duration, null);
  assert.equal(incident.incidentUpdates[0].notifySubscribers, true);
});

test("subscribers are notified once of a posted update and never of an edit", async () => {
  const second = await addService(app, { name: "Search" });
  const id = await create({
    services: [{ id: service }, { id: second }],
    incidentUpdates: [{ description: "**Down**", notifySubscribers: true }],
  });
  app.clock.advance(1_000);
  const loud = await postUpdate(app, id, { status: "RESOLVED", notifySubscribers: true });
  const quiet = await postUpdate(app, id, {});
  for (const { body } of [loud, quiet]) {
    const edited = { description: "Edited", notifySubscribers: true };
    await app.call("PUT", onePath(id, body.id), { body: edited });
  }
  const announcements = await listAnnouncements(id);
  const incident = await read(id);
  assert.deepEqual(
    announcements.map(({ source_id }) => source_id),
    [incident.incidentUpdates.at(-1).id, loud.body.id],
  );
  assert.deepEqual(announcements[0]?.message, {
    kind: "incident",
    title: "Payments fail",
    status: "INVESTIGATING",
    severity: "MAJOR",
    body: "**Down**",
    serviceIds: [service, second],
    serviceNames: ["Checkout", "Search"],
    incidentId: id,
    statusPageIds: [],
  });
  assert.deepEqual(announcements[1]?.created_at, app.clock.now());
});

test("a rejected update notifies nobody", async () => {
  const id = await create();
  const future = { publicIncidentUpdateDate: "2099-01-01T00:00:00Z" };
  const { status } = await postUpdate(app, id, { notifySubscribers: true, ...future });
  assert.equal(status, 400);
  assert.deepEqual(await listAnnouncements(id), []);
});

test("repeating a post with the same Idempotency-Key adds nothing", async () => {
  const id = await create();
  const other = await create();
  const headers = { "idempotency-key": randomUUID() };
  const body = { description: "Once.", notifySubscribers: true };
  const send = (to: string) => app.call("POST", listPath(to), { body, headers });
  const answers = await Promise.all([send(id), send(id), send(id)]);
  assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1);
  assert.equal((await read(id)).incidentUpdates.length, 2);
  assert.equal((await listAnnouncements(id)).length, 1);
  assert.equal((await send(other)).status, 409);
  await app.call("DELETE", onePath(id, answers[0]?.body.id));
  assert.equal((await send(id)).status, 409);
});

test("deleting an update undoes its effects; the only update cannot be deleted", async () => {
  const id = await create();
  app.clock.advance(60_000);
  const { body } = await postUpdate(app, id, { status: "RESOLVED" });
  const removed = await app.call("DELETE", onePath(id, body.id));
  assert.deepEqual([removed.status, removed.text], [204, ""]);
  const incident = await read(id);
  assert.deepEqual([incident.lastUpdateStatus, incident.duration], ["INVESTIGATING", null]);
  assert.equal((await app.call("GET", onePath(id, body.id))).status, 404);
  const last = await app.call("DELETE", onePath(id, incident.incidentUpdates[0].id));
  assert.equal(last.status, 409);
  assert.equal(last.body.error, "Conflict");
});

test("concurrent deletions leave one update", async () => {
  const incidentUpdates = Array.from({ length: 6 }, (_, index) => ({ description: `${index}` }));
  const { body } = await createIncident(app, service, { incidentUpdates });
  const answers = await Promise.all(
    body.incidentUpdates.map((update: Body) =>
      app.call("DELETE", onePath(body.id, String(update.id))),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 204, 204, 204, 204, 409]);
  assert.equal((await read(body.id)).incidentUpdates.length, 1);
});

const faulty: readonly (readonly [string, Body, string])[] = [
  ["no words", { description: undefined }, "description"],
  ["blank words", { description: "  " }, "description"],
  ["too many words", { description: "d".repeat(20_001) }, "description"],
  ["an unknown status", { status: "resolved" }, "status"],
  [
    "a date to come",
    { publicIncidentUpdateDate: "2026-12-24T00:00:00Z" },
    "publicIncidentUpdateDate",
  ],
  [
    "a date before 1970",
    { publicIncidentUpdateDate: "1969-12-31T23:59:59Z" },
    "publicIncidentUpdateDate",
  ],
  ["a number for notifySubscribers", { notifySubscribers: 1 }, "notifySubscribers"],
];

for (const [what, input, key] of faulty) {
  test(`an update with ${what} is neither posted nor edited, naming ${key}`, async () => {
    const id = await create();
    const before = await read(id);
    const body = { description: "So.", ...input };
    const one = onePath(id, before.incidentUpdates[0].id);
    for (const [method, path] of [
      ["POST", listPath(id)],
      ["PUT", one],
    ] as const) {
      const answer = await app.call(method, path, { body });
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(answer.body.validation, { source: "body", keys: [key] });
    }
    assert.deepEqual(await read(id), before);
  });
}

test("an update is found only within its incident and its account", async () => {
  const id = await create();
  const other = await create();
  const { body } = await postUpdate(app, id, {});
  const edit = { body: { description: "Mine now." } };
  for (const path of [onePath(other, body.id), onePath(id, randomUUID())]) {
    assert.equal((await app.call("GET", path)).status, 404);
    assert.equal((await app.call("PUT", path, edit)).status, 404);
    assert.equal((await app.call("DELETE", path)).status, 404);
  }
  const { key } = stranger;
  assert.equal((await app.call("GET", listPath(id), { key })).status, 404);
  assert.equal((await app.call("POST", listPath(id), { key, ...edit })).status, 404);
  assert.equal((await app.call("PUT", onePath(id, body.id), { key, ...edit })).status, 404);
  assert.equal((await app.call("DELETE", onePath(id, body.id), { key })).status, 404);
  assert.equal((await app.call("GET", listPath(randomUUID()))).status, 404);
  assert.equal((await app.call("POST", listPath(randomUUID()), edit)).status, 404);
  assert.equal((await app.call("GET", onePath(id, "x"))).status, 400);
  assert.deepEqual((await app.call("GET", onePath(id, body.id))).body, body);
});

test("reading needs a key, and posting needs write access", async () => {
  const id = await create();
  const { key } = await createKey(app, "READ_RUN");
  const body = { description: "So." };
  assert.equal((await app.call("GET", listPath(id), { key: null })).status, 401);
  assert.equal((await app.call("POST", listPath(id), { key: null, body })).status, 401);
  assert.equal((await app.call("GET", listPath(id), { key })).status, 200);
  assert.equal((await app.call("POST", listPath(id), { key, body })).status, 403);
});

test("each write adds an audit entry", async () => {
  const id = await create();
  const { body } = await postUpdate(app, id, {});
  await app.call("PUT", onePath(id, body.id), { body: { description: "Edited." } });
  await app.call("DELETE", onePath(id, body.id));
  const { rows } = await app.query(
    "select action, changes ->> 'incidentId' as of from audit_entries where target_id = $1 order " +
      "by id",
    [body.id],
  );
  assert.deepEqual(
    rows,
    ["created", "updated", "deleted"].map((verb) => ({
      action: `incident-update.${verb}`,
      of: id,
    })),
  );
});
