import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  addService,
  createIncident,
  incidentsPath,
  templatesPath,
} from "../../../test/support/modules/incidents.ts";
import { type ServiceFacts, writeFirstText, writeNextText } from "./drafts.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const now = new Date("2026-11-15T12:00:00Z");
const facts = (name: string, more: Partial<ServiceFacts> = {}): ServiceFacts => ({
  name,
  status: "passing",
  since: null,
  recoveredAt: null,
  ...more,
});

test("the first text names the failing services and since when, worst first", () => {
  const since = new Date("2026-11-15T11:42:30Z");
  const earlier = new Date("2026-11-14T23:10:00Z");
  const draft = writeFirstText(
    [facts("Mail"), facts("Shop", { status: "failing", since }), facts("Pay_ments")],
    now,
  );
  assert.deepEqual(
    [draft.name, draft.severity, draft.status, draft.startedAt],
    ["Outage: Shop", "MAJOR", "INVESTIGATING", since],
  );
  assert.match(draft.description, /^Since 11:42 UTC, \*\*Shop\*\* has not been working\./);
  const slow = writeFirstText([facts("Shop", { status: "degraded", since: earlier })], now);
  assert.deepEqual([slow.name, slow.severity], ["Degraded: Shop", "MINOR"]);
  assert.match(slow.description, /^Since 2026-11-14 23:10 UTC, \*\*Shop\*\* has been slower/);
  const calm = writeFirstText([facts("Shop"), facts("Mail", { status: null })], now);
  assert.deepEqual([calm.name, calm.startedAt], ["Problems: Shop and Mail", null]);
  assert.match(calm.description, /^We are investigating possible problems with \*\*Shop\*\* and/);
  const names = ["A", "B", "C", "D", "E"].map((name) => facts(name, { status: "failing" }));
  assert.equal(writeFirstText(names, now).name, "Outage: A, B, C and 2 more");
});

test("names are escaped in Markdown", () => {
  const hostile = facts("[x](javascript:alert(1)) *b* <img>", { status: "failing" });
  const { description } = writeFirstText([hostile], now);
  assert.ok(description.includes("\\[x\\](javascript:alert(1)) \\*b\\* \\<img>"), description);
});

test("the next text reports that the failure continues or that it ended, never that it is resolved", () => {
  const incident = { name: "Shop is down", severity: "MAJOR", status: "IDENTIFIED" } as const;
  const failing = [facts("Shop", { status: "failing" })];
  const on = writeNextText({ ...incident, services: failing }, now);
  assert.deepEqual(
    [on.status, on.description],
    ["IDENTIFIED", "**Shop** is still not working. We continue to work on it."],
  );
  const again = writeNextText({ ...incident, status: "RESOLVED", services: failing }, now);
  assert.equal(again.status, "INVESTIGATING");
  const recoveredAt = new Date("2026-11-15T11:55:00Z");
  const over = writeNextText({ ...incident, services: [facts("Shop", { recoveredAt })] }, now);
  assert.equal(over.status, "MONITORING");
  assert.match(over.description, /^\*\*Shop\*\* has been working again since 11:55 UTC\./);
  const unknown = [facts("Shop", { status: null })];
  assert.equal(writeNextText({ ...incident, services: unknown }, now).status, "IDENTIFIED");
});

const draft = (body: Record<string, unknown>) =>
  app.call("POST", `${incidentsPath}/draft`, { body });

/** Creates a service that follows a check which has been failing for some minutes. */
async function addFailingService(name: string): Promise<{ checkId: string; serviceId: string }> {
  const request = { hostname: "192.0.2.1" };
  const check = await app.call("POST", "/v1/checks/icmp", {
    body: { name: "secret-db-1", request },
  });
  const follows = { checkIds: [check.body.id] };
  const service = await app.call("POST", "/v1/status-pages/services", { body: { name, follows } });
  await app.query(
    `insert into check_troubles (id, check_id, account_id, status, started_at)
      values (gen_random_uuid(), $1, $2, 'failing', $3)`,
    [check.body.id, app.owner.accountId, new Date(app.clock.now().getTime() - 600_000)],
  );
  return { checkId: check.body.id, serviceId: service.body.id };
}

test("a draft from checks names the service, not the check, and stores nothing", async () => {
  const { checkId, serviceId } = await addFailingService("Shop front");
  const { status, body } = await draft({ services: [{ id: serviceId }] });
  assert.equal(status, 200);
  assert.deepEqual([body.name, body.severity], ["Outage: Shop front", "MAJOR"]);
  assert.equal(body.startedAt, "2026-11-15T11:50:00.000Z");
  assert.deepEqual(body.services[0].checkIds, [checkId]);
  assert.equal(body.services[0].status, "failing");
  assert.ok(!JSON.stringify([body.name, body.description]).includes("secret-db-1"));
  const { body: listed } = await app.call("GET", `${incidentsPath}?serviceId=${serviceId}`);
  assert.equal(listed.length, 0);
  const incident = await createIncident(app, serviceId);
  const next = await draft({ incidentId: incident.body.id });
  assert.equal(next.body.name, "Payments fail");
  assert.match(next.body.description, /still not working/);
});

test("a draft from a template equals the incident created from it", async () => {
  const service = await addService(app, { name: "Search" });
  const template = await app.call("POST", templatesPath, {
    body: {
      name: "Provider",
      incidentName: "{{services}}: {{provider}} is down",
      updates: [
        { status: "INVESTIGATING", description: "{{provider}} fails.", notifySubscribers: true },
        { status: "RESOLVED", description: "{{ provider }} is back." },
      ],
    },
  });
  assert.deepEqual(template.body.variables, ["provider"]);
  const templateId = template.body.id;
  const variables = { provider: "Acme" };
  const first = await draft({ templateId, variables, services: [{ id: service }] });
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(
    [first.body.name, first.body.description, first.body.status],
    ["Search: Acme is down", "Acme fails.", "INVESTIGATING"],
  );
  // No services are chosen yet.
  const early = await draft({ templateId, variables });
  assert.deepEqual([early.status, early.body.services], [200, []]);
  const incident = await createIncident(app, service);
  const incidentId = incident.body.id;
  const next = await draft({ templateId, variables, incidentId, status: "RESOLVED" });
  assert.deepEqual(
    [next.body.description, next.body.status, next.body.name],
    ["Acme is back.", "RESOLVED", "Payments fail"],
  );
  const missing = await draft({ templateId, services: [{ id: service }] });
  assert.deepEqual([missing.status, missing.body.validation.keys], [400, ["variables.provider"]]);
});

test("a draft without services, or of a missing incident or template, is rejected", async () => {
  assert.deepEqual((await draft({})).body.validation.keys, ["services"]);
  assert.equal((await draft({ services: [{ id: randomUUID() }] })).status, 404);
  assert.equal((await draft({ incidentId: randomUUID() })).status, 404);
  assert.equal((await draft({ services: [] })).status, 400);
});

test("an update with a chosen status claims only what checks have seen", async () => {
  const service = await addService(app, { name: "Archive" });
  const { body: incident } = await createIncident(app, service);
  const incidentId = incident.id;
  const texts: string[] = [];
  for (const wanted of ["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED"]) {
    const { status, body } = await draft({ incidentId, status: wanted });
    assert.deepEqual([status, body.status], [200, wanted]);
    texts.push(body.description);
  }
  for (const text of texts) assert.match(text, /\*\*Archive\*\* since|affect \*\*Archive\*\*/);
  assert.match(texts[3] ?? "", /are resolved\. We are sorry/);
  for (const text of texts) assert.doesNotMatch(text, /Our monitoring/);
});
