import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { createKey } from "../../../test/support/apps/cast.ts";
import { createIncident } from "../../../test/support/modules/public-page.ts";
import { createService } from "../../../test/support/modules/status-pages.ts";

let app: TestApp;
let checkId: string;
const hourMs = 3_600_000;
let startMs: number;
const agoHours = (hours: number) => new Date(startMs - hours * hourMs).toISOString();

before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  startMs = app.clock.now().getTime();
  const request = { hostname: "192.0.2.1" };
  const body = { name: "Router", tags: ["edge"], activated: false, request };
  checkId = (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
});
after(() => app.stop());

const read = (query = "", id = checkId) => app.call("GET", `/v1/check-timelines/${id}${query}`);

test("a check without events has its creation", async () => {
  app.clock.advance(1_000);
  const { status, body } = await read();
  assert.equal(status, 200);
  assert.deepEqual([body.states, body.incidents, body.maintenance, body.alerts], [[], [], [], []]);
  assert.deepEqual(
    body.edits.map(({ action }: { action: string }) => action),
    ["check.created"],
  );
});

test("states, incidents, maintenance, alerts and edits are in one response", async () => {
  for (const [hours, from, to] of [
    [30, "unknown", "passing"],
    [5, "passing", "failing"],
    [4, "failing", "passing"],
  ] as const) {
    await app.query(
      `insert into state_changes (account_id, check_id, from_status, to_status, at, result_id)
        values ($1, $2, $3, $4, $5, $6)`,
      [app.owner.accountId, checkId, from, to, agoHours(hours), randomUUID()],
    );
  }
  const serviceId = await createService(app);
  const otherId = await createService(app, "Search");
  await app.call("PUT", `/v1/status-pages/services/${serviceId}`, {
    body: { name: "Checkout", follows: { checkIds: [], tags: ["edge"] } },
  });
  const incidentId = await createIncident(app, { serviceIds: [serviceId] });
  await createIncident(app, { serviceIds: [otherId] });
  const window = { name: "Patch day", startsAt: agoHours(3), endsAt: agoHours(2), tags: ["edge"] };
  const made = await app.call("POST", "/v1/maintenance-windows", { body: window });
  assert.equal(made.status, 201);
  await app.query(
    `insert into alerts (id, account_id, check_id, alert_number, kind, reason, is_reminder, at,
        decided_at) values ($1, $2, $3, 1, 'ALERT_FAILURE', 'run-threshold-reached', false, $4, $4)`,
    [randomUUID(), app.owner.accountId, checkId, agoHours(5)],
  );
  await app.query(
    `insert into run_gaps (check_id, location, after_at, before_at, due_count)
      values ($1, '', $2, $3, 5)`,
    [checkId, agoHours(7), agoHours(6)],
  );
  const path = `/v1/checks/icmp/${checkId}`;
  const change = { body: { muted: true, heartbeat: {}, script: "" } };
  const changed = await app.call("PUT", path, change);
  assert.equal(changed.status, 200, changed.text);

  app.clock.advance(1_000);
  const { body } = await read();
  assert.deepEqual(
    body.states.map(({ state, from, to }: Record<string, string>) => [state, from, to]),
    [
      ["passing", body.from, agoHours(5)],
      ["failing", agoHours(5), agoHours(4)],
      ["passing", agoHours(4), body.to],
    ],
  );
  assert.deepEqual(
    body.incidents.map(({ id, to }: Record<string, unknown>) => [id, to]),
    [[incidentId, null]],
  );
  assert.deepEqual(body.maintenance, [
    { id: made.body.id, name: "Patch day", from: window.startsAt, to: window.endsAt },
  ]);
  assert.equal(body.alerts[0].alertType, "ALERT_FAILURE");
  assert.deepEqual(body.missedRuns, [
    { from: agoHours(7), to: agoHours(6), location: null, count: 5 },
  ]);
  assert.deepEqual([body.edits[0].action, body.edits[0].fields], ["check.updated", ["muted"]]);
  assert.equal(body.isTruncated, false);
  const { key } = await createKey(app, "READ_WRITE");
  const seen = await app.call("GET", `/v1/check-timelines/${checkId}`, { key });
  assert.equal(seen.body.alerts.length, 1);
  assert.deepEqual(seen.body.edits, [], "edits are in the audit log, which is the admins'");
});

test("a whole check that is saved with a new name has changed its name only", async () => {
  const body = { name: "Shop", request: { method: "GET", url: "https://shop.example.com/" } };
  const created = await app.call("POST", "/v1/checks/url", { body });
  const path = `/v1/checks/${created.body.id}`;
  const { request } = (await app.call("GET", path)).body;
  const reversed = Object.fromEntries(Object.entries(request).reverse());
  await app.call("PUT", path, { body: { name: "New shop", request: reversed } });
  app.clock.advance(1_000);
  const { edits } = (await read("", created.body.id)).body;
  assert.deepEqual(edits[0].fields, ["name"]);
});

test("invalid bounds are rejected, and an unknown check is not found", async () => {
  for (const query of [
    "?from=2026-11-15T00:00:00Z&to=2026-11-14T00:00:00Z",
    "?from=2020-01-01T00:00:00Z",
    "?from=soon",
    "?to=2016-12-31T23:59:60Z",
  ]) {
    assert.equal((await read(query)).status, 400, query);
  }
  assert.equal((await read("", randomUUID())).status, 404);
});
