import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { captureLog } from "../../../test/support/apps/log.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { addService, createIncident } from "../../../test/support/modules/incidents.ts";
import { type DatabasePool, openDatabase } from "../../platform/database-pool.ts";
import {
  findPublicIncident,
  listPublicIncidents,
  loadServiceRecords,
  mapOngoingSeverities,
} from "./uptime-store.ts";

let app: TestApp;
let database: DatabasePool;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  database = openDatabase({ connectionString: app.databaseUrl }, captureLog().log);
});
after(async () => {
  await database.close();
  await app.stop();
});

const update = (at: string, status: string) => ({
  description: status,
  status,
  publicIncidentUpdateDate: at,
});
const between = (from: string, to: string) => [
  update(from, "INVESTIGATING"),
  update(to, "RESOLVED"),
];

test("a page shows the incidents of its services that overlap its window, latest first", async () => {
  const [ours, also, other] = await Promise.all([
    addService(app, { name: "Ours" }),
    addService(app, { name: "Also" }),
    addService(app, { name: "Other" }),
  ]);
  const make = (name: string, serviceId: string, incidentUpdates: unknown) =>
    createIncident(app, serviceId, { name, incidentUpdates });
  await make("before", ours, between("2026-11-01T00:00:00Z", "2026-11-10T00:00:00Z"));
  await make("reaches in", ours, between("2026-11-09T00:00:00Z", "2026-11-10T00:00:01Z"));
  await make("resolved at once", also, [update("2026-11-10T00:00:00Z", "RESOLVED")]);
  await make("within", also, between("2026-11-11T00:00:00Z", "2026-11-11T01:00:00Z"));
  await make("elsewhere", other, between("2026-11-11T00:00:00Z", "2026-11-11T01:00:00Z"));
  await make("goes on", ours, [update("2026-11-12T00:00:00Z", "INVESTIGATING")]);
  await make("after", ours, between("2026-11-13T00:00:00Z", "2026-11-14T00:00:00Z"));
  const query = {
    serviceIds: [ours, also],
    from: new Date("2026-11-10T00:00:00Z"),
    to: new Date("2026-11-13T00:00:00Z"),
    limit: 10,
  };
  const list = async (more: object = {}) => {
    const found = await listPublicIncidents(database.db, app.owner.accountId, {
      ...query,
      ...more,
    });
    return found.map(({ name }) => name);
  };
  assert.deepEqual(await list(), ["goes on", "within", "resolved at once", "reaches in"]);
  assert.deepEqual(await list({ limit: 2 }), ["goes on", "within"]);
  assert.deepEqual(await list({ serviceIds: [] }), []);
  const elsewhere = await listPublicIncidents(database.db, randomUUID(), query);
  assert.deepEqual(elsewhere, []);
});

test("ongoing incidents are ordered by severity, and each service has its worst", async () => {
  const [one, other, calm] = await Promise.all([addService(app), addService(app), addService(app)]);
  const make = (name: string, severity: string, serviceId: string, incidentUpdates: unknown) =>
    createIncident(app, serviceId, { name, severity, incidentUpdates });
  const since = (day: number) => [update(`2026-11-${day}T00:00:00Z`, "INVESTIGATING")];
  await make("old and critical", "CRITICAL", one, since(10));
  await make("newer and minor", "MINOR", one, since(12));
  await make("newest and minor", "MINOR", other, since(13));
  await make("over", "CRITICAL", other, between("2026-11-10T00:00:00Z", "2026-11-13T00:00:00Z"));
  const serviceIds = [one, other, calm];
  const [from, to] = [new Date("2026-11-12T00:00:00Z"), new Date("2026-11-14T00:00:00Z")];
  const { accountId } = app.owner;
  const list = async (only: "ongoing" | "over", limit: number) => {
    const query = { serviceIds, from, to, limit, only };
    return (await listPublicIncidents(database.db, accountId, query)).map(({ name }) => name);
  };
  const ongoing = ["old and critical", "newest and minor", "newer and minor"];
  assert.deepEqual(await list("ongoing", 10), ongoing);
  assert.deepEqual(await list("ongoing", 1), ["old and critical"]);
  assert.deepEqual(await list("over", 10), ["over"]);
  const worst = await mapOngoingSeverities(database.db, accountId, { serviceIds, to });
  assert.deepEqual(Object.fromEntries(worst), { [one]: "CRITICAL", [other]: "MINOR" });
  const elsewhere = await mapOngoingSeverities(database.db, randomUUID(), { serviceIds, to });
  assert.equal(elsewhere.size, 0);
});

test("a single incident has all its updates, and only its own account can read it", async () => {
  const service = await addService(app);
  const { body } = await createIncident(app, service, {
    incidentUpdates: between("2026-11-11T00:00:00Z", "2026-11-11T01:00:00Z"),
  });
  const found = await findPublicIncident(database.db, app.owner.accountId, body.id);
  assert.deepEqual(
    found?.updates.map(({ status }) => status),
    ["RESOLVED", "INVESTIGATING"],
  );
  assert.equal(found?.services[0]?.id, service);
  assert.equal(await findPublicIncident(database.db, randomUUID(), body.id), null);
  assert.equal(await findPublicIncident(database.db, app.owner.accountId, randomUUID()), null);
});

test("the days of a service start with its creation or its first incident", async () => {
  const createdAt = new Date("2026-11-14T00:00:00Z");
  const { accountId } = app.owner;
  const id = await addService(app, { name: "New", createdAt });
  const service = { id, accountId, name: "New", version: 1, createdAt, updatedAt: null };
  const ask = async () => {
    const query = { services: [service], days: 4, now: app.clock.now() };
    const days = (await loadServiceRecords(database.db, accountId, query)).days.get(id) ?? [];
    return days.map(({ date, knownMs, failingMs }) => [
      date,
      knownMs / 3_600_000,
      failingMs / 60_000,
    ]);
  };
  assert.deepEqual(await ask(), [
    ["2026-11-12", 0, 0],
    ["2026-11-13", 0, 0],
    ["2026-11-14", 24, 0],
    ["2026-11-15", 12, 0],
  ]);
  await createIncident(app, id, {
    incidentUpdates: between("2026-11-13T23:30:00Z", "2026-11-14T00:10:00Z"),
  });
  assert.deepEqual(await ask(), [
    ["2026-11-12", 0, 0],
    ["2026-11-13", 0.5, 30],
    ["2026-11-14", 24, 10],
    ["2026-11-15", 12, 0],
  ]);
  // Long before the window, but it proves that the service existed.
  await createIncident(app, id, {
    incidentUpdates: between("2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z"),
  });
  assert.deepEqual(
    (await ask()).map(([, hours]) => hours),
    [24, 24, 24, 12],
  );
  const none = { services: [], days: 4, now: app.clock.now() };
  assert.equal((await loadServiceRecords(database.db, accountId, none)).days.size, 0);
});
