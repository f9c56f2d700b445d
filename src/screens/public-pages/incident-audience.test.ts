import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { createIncident, incidentsPath } from "../../../test/support/modules/incidents.ts";
import { createService, createStatusPage } from "../../../test/support/modules/status-pages.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const ask = (...ids: readonly string[]) =>
  app.call("GET", `${incidentsPath}/audience?${ids.map((id) => `serviceId=${id}`).join("&")}`);

async function subscribe(pageId: string, addresses: readonly string[]) {
  const subscriptions = addresses.map((config) => ({ type: "EMAIL", config }));
  const { status, text } = await app.call("POST", `/v1/status-pages/${pageId}/subscriptions/bulk`, {
    body: { subscriptions, autoVerify: true },
  });
  assert.equal(status, 201, text);
}

test("the audience counts confirmed subscribers of pages with the service", async () => {
  const shop = await createService(app, "Shop");
  const search = await createService(app, "Search");
  const hidden = await createService(app, "Hidden");
  const services = (...ids: readonly string[]) => [
    { name: "All", services: ids.map((id) => ({ id })) },
  ];
  const both = await createStatusPage(app, { name: "Both", cards: services(shop, search) });
  const one = await createStatusPage(app, {
    name: "One",
    cards: services(search),
    isPrivate: true,
  });
  await subscribe(both.id, ["ada@example.com", "bob@example.com", "cyd@example.com"]);
  await app.query("update subscribers set status = 'PENDING' where address = 'cyd@example.com'");
  await subscribe(one.id, ["ada@example.com"]);
  await app.query("update subscribers set service_ids = array[$1::uuid] where address = $2", [
    search,
    "bob@example.com",
  ]);

  const { status, body } = await ask(shop);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    subscribers: 1,
    pages: [
      {
        statusPageId: both.id,
        name: "Both",
        url: body.pages[0]?.url,
        isPrivate: false,
        EMAIL: 1,
        WEBHOOK: 0,
        SLACK: 0,
      },
    ],
  });
  assert.equal(new URL(body.pages[0]?.url ?? "").pathname, `/status/${both.url}/`);
  assert.equal((await ask(shop, search)).body.subscribers, 3);
  assert.deepEqual((await ask(hidden)).body, { subscribers: 0, pages: [] });
  assert.equal((await ask(randomUUID())).status, 404);
  assert.equal((await app.call("GET", `${incidentsPath}/audience`)).status, 400);

  // The real announcement matches the count.
  await createIncident(app, shop, {
    incidentUpdates: [{ description: "We are on it.", notifySubscribers: true }],
  });
  await waitUntil("the announcement is addressed", async () => {
    const { rows } = await app.query("select 1 from announcements where is_addressed");
    return rows.length === 1;
  });
  const { rows } = await app.query(
    "select 1 from subscriber_deliveries where purpose = 'announce'",
  );
  assert.equal(rows.length, 1);

  const list = async (query: string) => (await app.call("GET", `${incidentsPath}?${query}`)).body;
  assert.equal((await list(`statusPageId=${both.id}`)).length, 1);
  assert.equal((await list(`statusPageId=${one.id}`)).length, 0);
});
