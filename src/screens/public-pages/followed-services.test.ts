/** A check fails, its alert fires, and all public documents show it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { reportRun } from "../../../test/support/apps/alerting-app.ts";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import {
  createIncident,
  planMaintenance,
  postUpdate,
} from "../../../test/support/modules/public-page.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

async function post(path: string, body: unknown): Promise<{ id: string }> {
  const made = await app.call("POST", path, { body });
  assert.ok(made.status < 300, made.text);
  return made.body;
}

interface Scene {
  readonly checkId: string;
  readonly serviceId: string;
  readonly look: (file?: string) => Promise<string>;
  readonly summary: () => Promise<{
    status: { indicator: string };
    services: { status: string; underMaintenance: boolean }[];
  }>;
  readonly waitFor: (status: string) => Promise<void>;
}

/** Creates a page with one service that follows one passing check. */
async function createScene(name: string, tags: readonly string[] = []): Promise<Scene> {
  const request = { hostname: "192.0.2.1" };
  const { id: checkId } = await post("/v1/checks/icmp", { name, frequency: 1, tags, request });
  const follows = tags.length > 0 ? { tags } : { checkIds: [checkId] };
  const { id: serviceId } = await post("/v1/status-pages/services", { name: "Shop", follows });
  const cards = [{ name: "All", services: [{ id: serviceId }] }];
  await post("/v1/status-pages", { name: "Ours", url: name, cards });
  const look = async (file = "") =>
    (await app.call("GET", `/status/${name}/${file}`, { key: null })).text;
  const summary = async () => JSON.parse(await look("summary.json"));
  return {
    checkId,
    serviceId,
    look,
    summary,
    waitFor: (status) =>
      waitUntil(`the page says ${status}`, async () => {
        return (await summary()).services[0]?.status === status;
      }),
  };
}

/** Stores the run as the recorder would. */
async function hear(checkId: string): Promise<void> {
  await app.query(
    `insert into check_states (check_id, status, since, last_due_at, last_result_id, last_location,
      consecutive_failures, locations, created_at, updated_at)
      values ($1, 'passing', $2, $2, gen_random_uuid(), 'home', 0, '{}', $2, $2)`,
    [checkId, app.clock.now()],
  );
}

test("a failing check changes page, badge, summary, feeds and API, and a passing one restores them", async () => {
  const { checkId, serviceId, look, summary, waitFor } = await createScene("turns");
  const status = async () =>
    (await app.call("GET", `/v1/service-statuses/${serviceId}`)).body as Record<string, unknown>;
  assert.equal((await summary()).services[0]?.status, "no-data");
  assert.equal((await status()).hasErrors, false);
  assert.match(await look(), /No data/);
  assert.equal((await look()).includes('fill="url(#d-ok)"'), false, "no day is green yet");
  await hear(checkId);
  app.clock.advance(30_000);
  await waitFor("operational");
  assert.match(await look(), /All systems operational/);

  await reportRun(app, checkId, "failing");
  await waitFor("outage");
  assert.equal((await summary()).status.indicator, "critical");
  assert.match(await look(), /Major outage.*?found by a check/s);
  assert.match(await look("badge.svg"), /Major outage/);
  for (const feed of ["feed.rss", "feed.atom", "feed.json"]) {
    assert.match(await look(feed), /Shop – Outage/, feed);
  }
  const failing = await status();
  assert.deepEqual([failing.status, failing.hasFailures], ["failing", true]);
  assert.deepEqual((failing.checks as { checkIds: string[] }).checkIds, [checkId]);
  assert.equal((await app.call("GET", "/v1/service-statuses")).body.length > 0, true);

  await reportRun(app, checkId, "passing");
  await waitFor("operational");
  // Documents that were not requested since the change are dropped when its notification arrives.
  await waitUntil("the feed has the recovery", async () =>
    (await look("feed.json")).includes("Shop – Operational again"),
  );
  assert.match(await look("badge.svg"), /All systems operational/);
  assert.equal((await status()).status, "passing");
  // The outage lasted a second and remains visible.
  assert.match(await look(), /1 min outage/);
  const { body: figures } = await app.call("GET", "/v1/status-pages/incidents/statistics");
  const own = figures.services.find((one: { id: string }) => one.id === serviceId);
  assert.equal(own.downtimeSeconds, 1);
});

test("an incident replaces the check's text, and the state is the worse of both", async () => {
  const { checkId, serviceId, look, waitFor, summary } = await createScene("words");
  await hear(checkId);
  await reportRun(app, checkId, "failing");
  await waitFor("outage");
  const name = "A cable was cut";
  const incidentId = await createIncident(app, {
    name,
    severity: "MINOR",
    serviceIds: [serviceId],
  });
  await waitUntil("the incident is shown", async () => (await look()).includes(name));
  assert.doesNotMatch(await look(), /found by a check/);
  assert.doesNotMatch(await look("feed.json"), /Shop – /);
  assert.equal((await summary()).services[0]?.status, "outage");
  await postUpdate(app, incidentId, { status: "RESOLVED", description: "It was spliced." });
  await waitUntil("the incident is over", async () => (await look()).includes("spliced"));
  assert.match(await look(), /The incident was resolved, and a check still finds a problem\./);
  assert.doesNotMatch(await look(), /No update has been posted yet/);
});

test("maintenance is shown beside an outage and never hides it", async () => {
  const { checkId, serviceId, look, summary, waitFor } = await createScene("planned");
  await hear(checkId);
  await planMaintenance(app, { fromMinutes: -5, toMinutes: 60, serviceIds: [serviceId] });
  await reportRun(app, checkId, "failing");
  await waitFor("outage");
  assert.equal((await summary()).services[0]?.underMaintenance, true);
  assert.match(await look(), /Under maintenance.*?Outage/s);
});

test("a check with a followed tag counts, muted or not, until it is paused or deleted", async () => {
  const { checkId, waitFor } = await createScene("tagged", ["edge"]);
  const edit = async (change: object) => {
    const { body } = await app.call("GET", `/v1/checks/${checkId}`);
    const path = `/v1/checks/icmp/${checkId}`;
    const edited = await app.call("PUT", path, {
      body: { ...body, heartbeat: {}, script: "", ...change },
    });
    assert.equal(edited.status, 200, edited.text);
  };
  await hear(checkId);
  await edit({ muted: true });
  await reportRun(app, checkId, "failing");
  await waitFor("outage");
  await edit({ activated: false });
  await waitFor("no-data");
  await edit({ activated: true });
  await waitFor("outage");
  await app.call("DELETE", `/v1/checks/${checkId}`);
  await waitFor("no-data");
});
