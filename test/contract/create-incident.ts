import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Answer } from "../support/apps/app.ts";
import {
  assertError,
  assertInvalid,
  type Body,
  type ContractSetting,
  date,
  describeRefusals,
  nobody,
  uuid,
} from "./setting.ts";

const path = "/v1/status-pages/incidents";
type Create = (more?: Body) => Promise<Answer>;

export function describeCreateIncident(setting: () => ContractSetting): void {
  let serviceId: string;
  before(async () => {
    serviceId = (await setting().post("/v1/status-pages/services", { name: "API" })).body.id;
  });
  const bodyOf = (more: Body = {}) => ({
    name: "Timeouts",
    severity: "MAJOR",
    services: [{ id: serviceId }],
    incidentUpdates: [{ description: "We are looking." }],
    ...more,
  });
  const create: Create = (more) => setting().post(path, bodyOf(more));

  test("201: the incident, with what the service adds", async () => {
    const { status, body } = await create();
    assert.equal(status, 201);
    assert.match(body.id, uuid);
    const { name, severity, lastUpdateStatus } = body;
    assert.deepEqual([name, severity, lastUpdateStatus], ["Timeouts", "MAJOR", "INVESTIGATING"]);
    assert.match(body.created_at, date);
    const [service, ...others] = body.services;
    assert.deepEqual(others, []);
    const { accountId } = setting().app.owner;
    assert.deepEqual([service.id, service.name, service.accountId], [serviceId, "API", accountId]);
    assert.match(service.created_at, date);
    const [update] = body.incidentUpdates;
    assert.match(update.id, uuid);
    assert.equal(update.description, "We are looking.");
    assert.equal(update.publicIncidentUpdateDate, setting().app.clock.now().toISOString());
    assert.equal(update.notifySubscribers, false);
    assert.match(update.created_at, date);
  });
  describeIncidentValues(create);
  describeIncidentFaults(create);
  test("404: a service that is not known in the account", async () => {
    assertError(await create({ services: [{ id: nobody }] }), 404, "Not Found");
    const theirs = await setting().app.call("POST", "/v1/status-pages/services", {
      key: setting().stranger.key,
      body: { name: "Theirs" },
    });
    assertError(await create({ services: [{ id: theirs.body.id }] }), 404, "Not Found");
  });
  test("413 and 415: a body too large, or no JSON", async () => {
    const rawBody = JSON.stringify(bodyOf({ more: "x".repeat(1024 * 1024) }));
    assertError(await setting().app.call("POST", path, { rawBody }), 413);
    const headers = { "content-type": "text/plain" };
    assertError(await setting().app.call("POST", path, { rawBody: "x", headers }), 415);
  });
  // The small server knows no such service: what it says before its limit is 404.
  describeRefusals(setting, () => ({ method: "POST", path, body: bodyOf(), isWrite: true }), [404]);
}

function describeIncidentValues(create: Create): void {
  for (const severity of ["CRITICAL", "MAJOR", "MEDIUM", "MINOR"]) {
    test(`201: severity ${severity}`, async () => {
      assert.equal((await create({ severity })).body.severity, severity);
    });
  }
  for (const status of ["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED"]) {
    test(`201: status ${status}, of the update or else of the body`, async () => {
      const byUpdate = await create({ incidentUpdates: [{ description: "x", status }] });
      assert.equal(byUpdate.body.lastUpdateStatus, status, byUpdate.text);
      const byBody = await create({ lastUpdateStatus: status });
      assert.equal(byBody.body.lastUpdateStatus, status, byBody.text);
    });
  }
  test("201: an update's date may lie in the past, and the newest date decides", async () => {
    const [earlier, later] = ["2026-11-14T10:00:00.000Z", "2026-11-14T12:00:00.000Z"];
    const { body } = await create({
      incidentUpdates: [
        { description: "over", status: "RESOLVED", publicIncidentUpdateDate: later },
        { description: "seen", publicIncidentUpdateDate: "2026-11-14T11:00:00+01:00" },
      ],
    });
    assert.equal(body.lastUpdateStatus, "RESOLVED");
    const dates = body.incidentUpdates.map((update: Body) => update.publicIncidentUpdateDate);
    assert.deepEqual(dates, [later, earlier]);
  });
  test("201: subscribers are notified if the update requests it", async () => {
    const { body } = await create({
      incidentUpdates: [{ description: "x", notifySubscribers: true }],
    });
    assert.equal(body.incidentUpdates[0].notifySubscribers, true);
  });
  test("201: id, created_at and updated_at of the body are ignored", async () => {
    const { status, body } = await create({ id: nobody, created_at: "1999-01-01", updated_at: "" });
    assert.equal(status, 201);
    assert.notEqual(body.id, nobody);
    assert.notEqual(body.created_at, "1999-01-01");
  });
}

function describeIncidentFaults(create: Create): void {
  test("201: a name of 255 characters; 400: one of 256, or none", async () => {
    assert.equal((await create({ name: "n".repeat(255) })).status, 201);
    for (const name of ["n".repeat(256), "", undefined, 7, null]) {
      assertInvalid(await create({ name }), "name");
    }
  });
  const first = (update: Body) => ({ incidentUpdates: [{ description: "x", ...update }] });
  const faults: readonly (readonly [string, Body, string])[] = [
    ["no service", { services: [] }, "services"],
    ["services left out", { services: undefined }, "services"],
    ["no update", { incidentUpdates: [] }, "incidentUpdates"],
    ["updates left out", { incidentUpdates: undefined }, "incidentUpdates"],
    ["an update without words", first({ description: "" }), "incidentUpdates.0.description"],
    ["an unknown severity", { severity: "HUGE" }, "severity"],
    ["severity left out", { severity: undefined }, "severity"],
    ["an unknown status", first({ status: "FIXED" }), "incidentUpdates.0.status"],
    ["no boolean", first({ notifySubscribers: 2 }), "incidentUpdates.0.notifySubscribers"],
    [
      "a date that is none",
      first({ publicIncidentUpdateDate: "yesterday" }),
      "incidentUpdates.0.publicIncidentUpdateDate",
    ],
  ];
  for (const [what, more, key] of faults) {
    test(`400: ${what}`, async () => assertInvalid(await create(more), key));
  }
}
