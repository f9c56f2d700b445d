import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  createIncident,
  incidentBody,
  incidentsPath,
} from "../../../test/support/modules/incidents.ts";
import { createService, createStatusPage } from "../../../test/support/modules/status-pages.ts";

let app: TestApp;
let service: string;
let pageId: string;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  service = await createService(app, "Shop");
  const cards = [{ name: "All", services: [{ id: service }] }];
  pageId = (await createStatusPage(app, { name: "Ours & yours", cards })).id;
});
after(() => app.stop());

const draw = (body: object) => app.call("POST", `${incidentsPath}/preview`, { body });
const look = (path: string) => app.call("GET", path, { key: null });

test("page, mail and feed are rendered as after posting, and nothing is posted", async () => {
  const description = "Cards are **declined**. <script>alert(1)</script>";
  const name = "Payments <b>fail</b>";
  const { status, body, text } = await draw(
    incidentBody(service, { name, incidentUpdates: [{ description, notifySubscribers: true }] }),
  );
  assert.equal(status, 200, text);
  assert.equal(body.statusPageId, pageId);
  assert.equal(body.mail.subject, `[Ours & yours] ${name} – Investigating`);
  assert.equal(body.feed.title, `${name} – Investigating`);
  assert.match(body.mail.text, /Cards are declined/);
  for (const preview of [body.page, body.mail.preview, body.feed.preview]) {
    for (const path of [preview.light, preview.dark]) {
      const document = await look(path);
      assert.equal(document.status, 200);
      assert.match(document.text, /Cards are <strong>declined<\/strong>/, path);
      assert.match(document.text, /Payments &lt;b&gt;fail&lt;\/b&gt;/, path);
      assert.doesNotMatch(document.text, /<script>alert/, path);
      assert.match(document.headers.get("content-security-policy") ?? "", /sandbox/);
    }
    assert.notEqual(preview.light, preview.dark);
  }
  const page = await look(body.page.light);
  assert.match(page.text, /Ongoing incidents/);
  assert.match(page.text, /Major outage|Partial outage/);
  // Otherwise the page's script would replace it by the published page.
  assert.doesNotMatch(page.text, /data-version/);
  const { body: list } = await app.call("GET", incidentsPath);
  assert.equal(list.length, 0);
});

test("an update is rendered with its existing incident, including a resolution", async () => {
  const { body: incident } = await createIncident(app, service);
  const incidentUpdates = [{ status: "RESOLVED", description: "It works again." }];
  const { body } = await draw({ incidentId: incident.id, incidentUpdates });
  const page = await look(body.page.light);
  assert.match(page.text, /All systems operational/);
  assert.match(page.text, /It works again\.[\s\S]*We are investigating\./);
  assert.equal(body.mail.subject, "[Ours & yours] Payments fail – Resolved");
  const still = await app.call("GET", `${incidentsPath}/${incident.id}`);
  assert.equal(still.body.lastUpdateStatus, "INVESTIGATING");
});

test("a preview keeps the severity that a service has within another incident", async () => {
  const { body: incident } = await createIncident(app, service, { severity: "CRITICAL" });
  const text = "update incident_services set severity = 'MINOR' where incident_id = $1";
  await app.query(text, [incident.id]);
  const calm = await createService(app, "Calm");
  const cards = [{ name: "All", services: [{ id: service }, { id: calm }] }];
  const { id: statusPageId } = await createStatusPage(app, { name: "Both", cards });
  const { body } = await draw(incidentBody(calm, { severity: "MINOR", statusPageId }));
  const page = await look(body.page.light);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /Major outage/);
  await app.call("DELETE", `${incidentsPath}/${incident.id}`);
});

test("an invalid post, or one that no page shows, is rejected", async () => {
  const hidden = await createService(app, "Hidden");
  assert.equal((await draw(incidentBody(hidden))).status, 409);
  const other = await createStatusPage(app, { cards: [] });
  const elsewhere = await draw(incidentBody(service, { statusPageId: other.id }));
  assert.deepEqual([elsewhere.status, elsewhere.body.validation.keys], [400, ["statusPageId"]]);
  const late = [{ description: "x", publicIncidentUpdateDate: "2099-01-01T00:00:00Z" }];
  assert.equal((await draw(incidentBody(service, { incidentUpdates: late }))).status, 400);
  const unknown = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
  assert.equal((await draw({ incidentId: unknown, incidentUpdates: late })).status, 404);
  assert.equal((await draw({})).status, 400);
});
