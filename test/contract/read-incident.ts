import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  assertError,
  assertInvalid,
  type Body,
  type ContractSetting,
  describeRefusals,
  nobody,
} from "./setting.ts";

const required = ["name", "severity", "id", "services", "incidentUpdates", "lastUpdateStatus"];

export function describeReadIncident(setting: () => ContractSetting): void {
  let incident: Body & { id: string };
  const path = (id = incident.id) => `/v1/status-pages/incidents/${id}`;
  before(async () => {
    const service = await setting().post("/v1/status-pages/services", { name: "Mail" });
    const answer = await setting().post("/v1/status-pages/incidents", {
      name: "Loss",
      severity: "MINOR",
      services: [{ id: service.body.id }],
      incidentUpdates: [{ description: "One", notifySubscribers: true }],
    });
    incident = answer.body;
  });

  test("200: what was created, with every field that must be there", async () => {
    const { status, body } = await setting().get(path());
    assert.equal(status, 200);
    for (const [field, value] of Object.entries(incident)) assert.deepEqual(body[field], value);
    for (const field of [...required, "created_at"]) assert.ok(field in body, field);
  });
  test("200: any status may follow any other, and what was resolved opens again", async () => {
    for (const status of ["RESOLVED", "INVESTIGATING", "MONITORING", "IDENTIFIED", "RESOLVED"]) {
      setting().app.clock.advance(1_000);
      const update = { description: `now ${status}`, status };
      const posted = await setting().post(`${path()}/incident-updates`, update);
      assert.equal(posted.status, 201, posted.text);
      const { body } = await setting().get(path());
      assert.equal(body.lastUpdateStatus, status);
      assert.equal(body.incidentUpdates[0].description, `now ${status}`, "newest first");
    }
  });
  test("404: an unknown id, and one of another account; 400: no id", async () => {
    assertError(await setting().get(path(nobody)), 404, "Not Found");
    assertError(await setting().get(path(), setting().stranger.key), 404, "Not Found");
    assertInvalid(await setting().get(path("no-uuid")), "incidentId", "params");
  });
  describeRefusals(setting, () => ({ method: "GET", path: path() }), [404]);
}
