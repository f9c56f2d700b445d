import assert from "node:assert/strict";
import { randomUUID, randomUUIDv7 } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { captureLog } from "../../../test/support/apps/log.ts";
import { addService, incidentsPath, postUpdate } from "../../../test/support/modules/incidents.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { type DatabasePool, openDatabase } from "../../platform/database-pool.ts";
import {
  type OpenAutomatically,
  openAutomaticIncident,
  type ResolveAutomatically,
  resolveAutomaticIncident,
} from "./unsaved-incident.ts";

let app: TestApp;
let database: DatabasePool;
let service: string;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  database = openDatabase({ connectionString: app.databaseUrl }, captureLog().log);
  service = await addService(app);
});
after(async () => {
  await database.close();
  await app.stop();
});

/** Runs in a transaction like alerting; a rollback leaves nothing. */
async function runInTransaction<Value>(
  work: (db: Database) => Promise<Value>,
  end: "commit" | "rollback" = "commit",
): Promise<Value> {
  const done: Value[] = [];
  const rollback = new Error("rolled back on request");
  try {
    await inTransaction(database.db, async (db) => {
      done.push(await work(db));
      if (end === "rollback") throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  return done[0] as Value;
}

function open(
  input: Partial<OpenAutomatically> & { readonly checkId: string },
  end?: "rollback",
): Promise<string | null> {
  const usual = {
    alertNumber: 1,
    name: "Router is down",
    description: "It does not answer.",
    severity: "MAJOR" as const,
    serviceId: service,
    notifySubscribers: false,
    at: app.clock.now(),
  };
  const { accountId } = app.owner;
  return runInTransaction(
    (db) => openAutomaticIncident(db, accountId, { ...usual, ...input }),
    end,
  );
}

function resolve(
  checkId: string,
  more: Partial<ResolveAutomatically> = {},
): Promise<string | null> {
  const usual = { description: "It answers again.", notifySubscribers: false };
  const input = { checkId, ...usual, at: app.clock.now(), ...more };
  return runInTransaction((db) => resolveAutomaticIncident(db, app.owner.accountId, input));
}

const read = async (id: string | null) => (await app.call("GET", `${incidentsPath}/${id}`)).body;
const countOf = async (checkId: string) =>
  (await app.query("select 1 from incidents where check_id = $1", [checkId])).rows.length;

test("an alert opens an incident and its recovery resolves it; subscribers are notified of both", async () => {
  const checkId = randomUUIDv7();
  const id = await open({ checkId, notifySubscribers: true });
  const opened = await read(id);
  assert.equal(opened.name, "Router is down");
  assert.equal(opened.lastUpdateStatus, "INVESTIGATING");
  assert.deepEqual(
    opened.services.map((one: { id: string }) => one.id),
    [service],
  );
  app.clock.advance(120_000);
  assert.equal(await resolve(checkId, { notifySubscribers: true }), id);
  const resolved = await read(id);
  assert.equal(resolved.lastUpdateStatus, "RESOLVED");
  assert.equal(resolved.duration, 120);
  assert.equal(resolved.timeToAcknowledge, null);
  const { rows } = await app.query(
    "select message ->> 'status' as status from announcements where message ->> 'incidentId' = " +
      "$1 order by id",
    [id],
  );
  assert.deepEqual(rows, [{ status: "INVESTIGATING" }, { status: "RESOLVED" }]);
  assert.equal(await resolve(checkId), null);
});

test("a check never opens a second incident while it controls an open one", async () => {
  const checkId = randomUUIDv7();
  const id = await open({ checkId });
  assert.notEqual(id, null);
  assert.equal(await open({ checkId, alertNumber: 2 }), null);
  await resolve(checkId);
  const second = await open({ checkId, alertNumber: 3 });
  assert.notEqual(second, null);
  assert.notEqual(second, id);
  assert.equal(await countOf(checkId), 2);
});

test("the same alert opens one incident, however often it is processed", async () => {
  const checkId = randomUUIDv7();
  await open({ checkId, alertNumber: 7 });
  assert.equal(await open({ checkId, alertNumber: 7 }), null);
  await resolve(checkId);
  assert.equal(await open({ checkId, alertNumber: 7 }), null);
  assert.equal(await countOf(checkId), 1);
});

test("of six concurrent servers, one opens the incident and one resolves it", async () => {
  const checkId = randomUUIDv7();
  const numbers = Array.from({ length: 6 }, (_, index) => index + 1);
  const opened = await Promise.all(numbers.map((alertNumber) => open({ checkId, alertNumber })));
  assert.equal(opened.filter((id) => id !== null).length, 1);
  const resolved = await Promise.all(numbers.map(() => resolve(checkId)));
  assert.equal(resolved.filter((id) => id !== null).length, 1);
  const incident = await read(resolved.find((id) => id !== null) ?? null);
  assert.equal(incident.incidentUpdates.length, 2);
});

test("a rollback by the caller removes the incident", async () => {
  const checkId = randomUUIDv7();
  const id = await open({ checkId, notifySubscribers: true }, "rollback");
  assert.notEqual(id, null);
  assert.equal(await countOf(checkId), 0);
  const { rows } = await app.query(
    "select 1 from announcements where message ->> 'incidentId' = $1",
    [id],
  );
  assert.equal(rows.length, 0);
});

test("an incident that a person posted to is not resolved, and a new alert opens another", async () => {
  const checkId = randomUUIDv7();
  const id = await open({ checkId });
  app.clock.advance(90_000);
  await postUpdate(app, id ?? "", { status: "IDENTIFIED" });
  assert.equal(await resolve(checkId), null);
  const incident = await read(id);
  assert.equal(incident.lastUpdateStatus, "IDENTIFIED");
  assert.equal(incident.timeToAcknowledge, 90);
  const second = await open({ checkId, alertNumber: 2 });
  assert.notEqual(second, null);
  assert.equal(await resolve(checkId), second);
});

test("a person who reopens an incident by an edit or a deletion takes it over", async () => {
  for (const method of ["PUT", "DELETE"]) {
    const checkId = randomUUIDv7();
    const id = await open({ checkId });
    app.clock.advance(1_000);
    await resolve(checkId);
    const second = await open({ checkId, alertNumber: 2 });
    const { incidentUpdates } = await read(id);
    const answer = await app.call(
      method,
      `${incidentsPath}/${id}/incident-updates/${incidentUpdates[0].id}`,
      method === "PUT" ? { body: { description: "Not quite.", status: "MONITORING" } } : {},
    );
    assert.ok(answer.status < 300, answer.text);
    assert.notEqual((await read(id)).lastUpdateStatus, "RESOLVED");
    assert.equal(await resolve(checkId), second);
    assert.notEqual((await read(id)).lastUpdateStatus, "RESOLVED");
  }
});

test("changing the name or a text does not take an incident over", async () => {
  const checkId = randomUUIDv7();
  const id = await open({ checkId });
  await app.call("PATCH", `${incidentsPath}/${id}`, { body: { name: "Renamed" } });
  const { incidentUpdates } = await read(id);
  const one = `${incidentsPath}/${id}/incident-updates/${incidentUpdates[0].id}`;
  const soon = new Date(app.clock.now().getTime() + 60_000).toISOString();
  const body = { description: "Better words.", publicIncidentUpdateDate: soon };
  assert.equal((await app.call("PUT", one, { body })).status, 200);
  assert.equal(await resolve(checkId), id);
  const resolved = await read(id);
  assert.equal(resolved.lastUpdateStatus, "RESOLVED");
  assert.equal(resolved.incidentUpdates[0].publicIncidentUpdateDate, soon);
});

test("a deleted or foreign service opens no incident and causes no error", async () => {
  const checkId = randomUUIDv7();
  assert.equal(await open({ checkId, serviceId: randomUUID() }), null);
  const account = await app.call("POST", "/v1/accounts", { body: { name: "Elsewhere" } });
  const theirs = await addService(app, { accountId: account.body.id });
  assert.equal(await open({ checkId, serviceId: theirs }), null);
  assert.equal(await countOf(checkId), 0);
});

test("texts that are too long are truncated, not rejected", async () => {
  const checkId = randomUUIDv7();
  const id = await open({ checkId, name: "😀".repeat(300), description: "d".repeat(30_000) });
  const incident = await read(id);
  assert.equal(incident.name, `${"😀".repeat(127)}…`);
  assert.equal(incident.incidentUpdates[0].description.length, 20_000);
});

test("the audit log names the system as the actor", async () => {
  const checkId = randomUUIDv7();
  const id = await open({ checkId });
  await resolve(checkId);
  const { rows } = await app.query(
    `select action, actor_type from audit_entries
      where target_id = $1 or changes ->> 'incidentId' = $1 order by id`,
    [id],
  );
  assert.deepEqual(rows, [
    { action: "incident.created", actor_type: "SYSTEM" },
    { action: "incident-update.created", actor_type: "SYSTEM" },
  ]);
});
