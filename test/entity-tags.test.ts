/** An ETag identifies a version: whenever the response changes, the ETag changes. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "./support/apps/app.ts";
import { shareTestApp } from "./support/apps/shared-app.ts";
import { createIncident, postUpdate } from "./support/modules/incidents.ts";
import { createService, createStatusPage } from "./support/modules/status-pages.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

type Body = Readonly<Record<string, unknown>>;
type Step = readonly [name: string, run: () => Promise<{ readonly status: number }>];

const services = "/v1/status-pages/services";
const rename = (id: string, name: string) =>
  app.call("PUT", `${services}/${id}`, { body: { name } });

/** Each step must change the response, and so the tag; no tag repeats. */
async function assertTagsFollow(target: string, steps: readonly Step[]): Promise<void> {
  let shown = await app.call("GET", target);
  const seen = new Set([shown.headers.get("etag")]);
  for (const [name, run] of steps) {
    const { status } = await run();
    assert.ok(status < 300, `${name}: ${status}`);
    const now = await app.call("GET", target);
    assert.notDeepEqual(now.body, shown.body, `${name} changes the response`);
    const tag = now.headers.get("etag") ?? "";
    assert.match(tag, /^"[\w-]+"$/);
    assert.equal(seen.has(tag), false, `${name} must change the tag ${tag}`);
    seen.add(tag);
    const again = await app.call("GET", target);
    assert.equal(again.headers.get("etag"), tag, "a tag is stable while nothing changes");
    shown = now;
  }
}

test("the tag of a service depends on its name and its checks", async () => {
  const id = await createService(app, "Search");
  const { body: check } = await app.call("POST", "/v1/checks/icmp", {
    body: { name: "edge", request: { hostname: "127.0.0.1" } },
  });
  const put = (body: Body) => app.call("PUT", `${services}/${id}`, { body });
  await assertTagsFollow(`${services}/${id}`, [
    ["a name", () => rename(id, "Find")],
    ["a followed check", () => put({ name: "Find", follows: { checkIds: [check.id] } })],
    ["a deleted check", () => app.call("DELETE", `/v1/checks/${check.id}`)],
    ["a followed tag", () => put({ name: "Find", follows: { tags: ["edge"] } })],
  ]);
});

test("the tag of an incident depends on its updates and services", async () => {
  const [one, two] = [await createService(app, "One"), await createService(app, "Two")];
  const { body } = await createIncident(app, one, { services: [{ id: one }, { id: two }] });
  const target = `/v1/status-pages/incidents/${body.id}`;
  const patch = (change: Body) => app.call("PATCH", target, { body: change });
  const update = `${target}/incident-updates/${body.incidentUpdates[0].id}`;
  await assertTagsFollow(target, [
    ["a name", () => patch({ name: "Other" })],
    ["a severity", () => patch({ severity: "MINOR" })],
    ["an update", () => postUpdate(app, body.id, { status: "RESOLVED" })],
    ["an edited update", () => app.call("PUT", update, { body: { description: "Edited." } })],
    ["a deleted update", () => app.call("DELETE", update)],
    ["a renamed service", () => rename(one, "First")],
    ["a deleted service", () => app.call("DELETE", `${services}/${two}`)],
    ["a service renamed afterwards", () => rename(one, "Uno")],
  ]);
});

test("the tag of an incident template depends on its texts and services", async () => {
  const service = await createService(app, "Mail");
  const templates = "/v1/status-pages/incident-templates";
  const updates = [{ status: "MONITORING", description: "Wait.", notifySubscribers: false }];
  const given = { name: "Provider", incidentName: null, severity: null, serviceIds: [], updates };
  const { body } = await app.call("POST", templates, { body: given });
  const target = `${templates}/${body.id}`;
  const put = (change: Body) => app.call("PUT", target, { body: { ...given, ...change } });
  await assertTagsFollow(target, [
    ["a name", () => put({ name: "Network provider" })],
    ["a title", () => put({ incidentName: "Down" })],
    ["a severity", () => put({ severity: "MINOR" })],
    ["a service", () => put({ serviceIds: [service] })],
    ["a text", () => put({ updates: [{ ...updates[0], description: "Wait again." }] })],
    ["a status", () => put({ updates: [{ ...updates[0], status: "RESOLVED" }] })],
    ["a notification", () => put({ updates: [{ ...updates[0], notifySubscribers: true }] })],
    ["another update", () => put({ updates: [...updates, ...updates] })],
  ]);
});

test("the tag of an automation rule depends on its texts, tags and components", async () => {
  const post = async (path: string, body: Body) => (await app.call("POST", path, { body })).body;
  const { id } = await post("/v3/status-pages", { name: "Rules", url: "rules" });
  const page = `/v3/status-pages/${id}`;
  const web = await post(`${page}/components`, { name: "Web", displayOrder: 0 });
  const mail = await post(`${page}/components`, { name: "Mail", displayOrder: 1 });
  const components = [{ componentId: web.id, targetImpact: "MAJOR_OUTAGE" }];
  const updates = { firstUpdate: "It fails.", lastUpdate: "It works." };
  const given = { name: "Outage", ...updates, tags: ["web"], components };
  const { id: ruleId } = await post(`${page}/automation-rules`, given);
  const target = `${page}/automation-rules/${ruleId}`;
  const put = (change: Body) => app.call("PUT", target, { body: { ...given, ...change } });
  await assertTagsFollow(target, [
    ["a name", () => put({ name: "Web outage" })],
    ["the first update", () => put({ firstUpdate: "We know." })],
    ["the last update", () => put({ lastUpdate: "Done." })],
    ["a tag", () => put({ tags: ["web", "shop"] })],
    [
      "an impact",
      () => put({ components: [{ ...components[0], targetImpact: "UNDER_MAINTENANCE" }] }),
    ],
    ["a component", () => put({ components: [{ ...components[0], componentId: mail.id }] })],
    ["its state", () => put({ enabled: false })],
    ["a notification", () => put({ notifySubscribers: false })],
    ["a cool-down", () => put({ coolDownWindowMinutes: 9 })],
  ]);
  const { headers } = await app.call("GET", target);
  const ifMatch = { "if-match": headers.get("etag") ?? "" };
  const first = await app.call("PUT", target, {
    body: { ...given, name: "First" },
    headers: ifMatch,
  });
  const second = await app.call("PUT", target, { body: given, headers: ifMatch });
  assert.deepEqual([first.status, second.status], [200, 412]);
});

test("the tag of a status page depends on its cards and their services", async () => {
  const service = await createService(app, "Shop");
  const page = await createStatusPage(app);
  const target = `/v1/status-pages/${page.id}`;
  const cards = [{ name: "All", services: [{ id: service }] }];
  const put = (change: Body) =>
    app.call("PUT", target, { body: { name: page.name, url: page.url, cards, ...change } });
  await assertTagsFollow(target, [
    ["a card", () => put({})],
    ["a name", () => put({ name: "Other" })],
    ["a renamed service", () => rename(service, "Store")],
    ["a deleted service", () => app.call("DELETE", `${services}/${service}`)],
  ]);
});

test("the tag of a dashboard depends on its settings and keys", async () => {
  const { body, headers } = await app.call("POST", "/v1/dashboards", {
    body: { header: "Network", isPrivate: true },
  });
  const target = `/v1/dashboards/${body.dashboardId}`;
  const read = await app.call("GET", target);
  assert.equal(read.headers.get("etag"), headers.get("etag"), "the tag returned by its creation");
  const key = `${target}/keys/${body.keys[0].id}`;
  await assertTagsFollow(target, [
    ["a setting", () => app.call("PUT", target, { body: { header: "Other" } })],
    ["a new key", () => app.call("POST", `${target}/keys`)],
    ["a rotated key", () => app.call("POST", `${key}/rotate`)],
    ["a deleted key", () => app.call("DELETE", key)],
  ]);
});

test("the tag of a check group follows its settings, variables and channels", async () => {
  const { body, headers } = await app.call("POST", "/v1/check-groups", { body: { name: "Core" } });
  const target = `/v1/check-groups/${body.id}`;
  const read = await app.call("GET", target);
  assert.equal(read.headers.get("etag"), headers.get("etag"), "the tag returned by its creation");
  const { body: channel } = await app.call("POST", "/v1/alert-channels", {
    body: { type: "EMAIL", config: { address: "desk@example.com" } },
  });
  const put = (change: Body) => app.call("PUT", target, { body: change });
  await assertTagsFollow(target, [
    ["a name", () => put({ name: "Edge" })],
    ["a setting", () => put({ muted: true })],
    ["a variable", () => put({ environmentVariables: [{ key: "REGION", value: "eu" }] })],
    [
      "a channel",
      () =>
        app.call("PUT", `/v1/alert-channels/${channel.id}/subscriptions`, {
          body: { groupId: body.id, activated: true },
        }),
    ],
  ]);
});

test("exactly one of several concurrent changes with the same tag succeeds", async () => {
  const service = await createService(app, "Contested");
  const page = await createStatusPage(app);
  const { body: dashboard } = await app.call("POST", "/v1/dashboards", { body: { header: "One" } });
  const { body: incident } = await createIncident(app, service);
  const { body: group } = await app.call("POST", "/v1/check-groups", { body: { name: "One" } });
  const { name, url } = page;
  const contested: readonly (readonly [string, Body])[] = [
    [`${services}/${service}`, { name: "Mine" }],
    [`/v1/status-pages/${page.id}`, { name, url, cards: [] }],
    [`/v1/dashboards/${dashboard.dashboardId}`, { header: "Mine" }],
    [`/v1/status-pages/incidents/${incident.id}`, { ...incident, name: "Mine" }],
    [`/v1/check-groups/${group.id}`, { name: "Mine" }],
  ];
  for (const [target, body] of contested) {
    const tag = (await app.call("GET", target)).headers.get("etag") ?? "";
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        app.call("PUT", target, { body, headers: { "if-match": tag } }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 412, 412, 412, 412, 412], target);
    const winner = answers.find(({ status }) => status === 200);
    const now = await app.call("GET", target);
    assert.equal(winner?.headers.get("etag"), now.headers.get("etag"), target);
  }
});
