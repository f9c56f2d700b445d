import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";
import { createStatusPage, nextPageUrl } from "../../../../test/support/modules/status-pages.ts";
import { maxRulesPerPage } from "./rule.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

type Fields = Record<string, unknown>;

async function send(method: string, path: string, body?: Fields, status = 200) {
  const answer = await app.call(method, path, { ...(body && { body }) });
  assert.equal(answer.status, status, answer.text);
  return answer.body;
}

async function createScene() {
  const { id } = await send("POST", "/v3/status-pages", { name: "Acme", url: nextPageUrl() }, 201);
  const component = (body: Fields) => send("POST", `/v3/status-pages/${id}/components`, body, 201);
  const group = await component({ type: "GROUP", name: "Core", displayOrder: 0 });
  const api = await component({ name: "API", displayOrder: 0, parentId: group.id });
  const path = `/v3/status-pages/${id}/automation-rules`;
  const body = {
    name: "API outage",
    firstUpdate: "Investigating",
    lastUpdate: "Resolved",
    tags: ["api", "api"],
    components: [{ componentId: api.id, targetImpact: "MAJOR_OUTAGE" }],
  };
  return { id, group, api, path, body };
}

test("a rule has its defaults, keeps what an update omits, and is deleted", async () => {
  const { id, api, group, path, body } = await createScene();
  const rule = await send("POST", path, body, 201);
  const { id: ruleId, created_at: _at, updated_at, components, ...rest } = rule;
  assert.deepEqual(rest, {
    ...{ statusPageId: id, name: "API outage", enabled: true, incidentId: null, tags: ["api"] },
    ...{ firstUpdate: "Investigating", lastUpdate: "Resolved" },
    ...{ notifySubscribers: true, coolDownWindowMinutes: 5 },
  });
  assert.equal(updated_at, null);
  assert.deepEqual(
    components.map((one: Fields) => [one.componentId, one.targetImpact]),
    [[api.id, "MAJOR_OUTAGE"]],
  );
  const one = `${path}/${ruleId}`;
  const off = { enabled: false, coolDownWindowMinutes: 0, notifySubscribers: false };
  await send("PUT", one, { ...body, ...off });
  const onGroup = [{ componentId: group.id, targetImpact: "PARTIAL_OUTAGE" }];
  const changed = await send("PUT", one, { ...body, tags: ["web"], components: onGroup });
  assert.deepEqual({ ...changed, ...off, tags: ["web"] }, changed);
  assert.equal(changed.components[0].componentId, group.id);
  assert.deepEqual(await send("GET", one), changed);
  const { entries, nextId } = await send("GET", path);
  assert.deepEqual([entries, nextId], [[changed], null]);
  await send("DELETE", one, undefined, 204);
  for (const method of ["GET", "DELETE"]) await send(method, one, undefined, 404);
  await send("PUT", one, body, 404);
});

test("rules that do not fit are rejected, and those of others are not found", async () => {
  const { path, body, api } = await createScene();
  const component = { componentId: api.id, targetImpact: "MAJOR_OUTAGE" };
  const bad: [string, Fields][] = [
    ["name", { name: "" }],
    ["firstUpdate", { firstUpdate: " " }],
    ["lastUpdate", { lastUpdate: undefined }],
    ["tags", { tags: [] }],
    ["components", { components: [] }],
    ["componentId", { components: [{ ...component, componentId: randomUUID() }] }],
    ["componentId", { components: [component, component] }],
    ["targetImpact", { components: [{ ...component, targetImpact: "DOWN" }] }],
    ["coolDownWindowMinutes", { coolDownWindowMinutes: -1 }],
  ];
  for (const [field, change] of bad) {
    const { message } = await send("POST", path, { ...body, ...change }, 400);
    assert.match(message, new RegExp(field), JSON.stringify(change));
  }
  const { id } = await createStatusPage(app);
  await send("POST", `/v3/status-pages/${id}/automation-rules`, body, 400);
  await send("POST", `/v3/status-pages/${randomUUID()}/automation-rules`, body, 404);
  const rule = await send("POST", path, body, 201);
  const { key } = stranger;
  assert.equal((await app.call("GET", `${path}/${rule.id}`, { key })).status, 404);
  assert.equal((await app.call("DELETE", `${path}/${rule.id}`, { key })).status, 404);
  await send("GET", `/v3/status-pages/${id}/automation-rules/${rule.id}`, undefined, 404);
});

test("a rule loses a deleted component, and keeps one that cards move", async () => {
  const { id, path, body, group, api } = await createScene();
  const rule = await send("POST", path, body, 201);
  const page = await send("GET", `/v1/status-pages/${id}`);
  const cards = [{ name: "Other", services: [{ id: api.serviceId }] }];
  await send("PUT", `/v1/status-pages/${id}`, { name: "Acme", url: page.url, cards });
  await send("GET", `/v3/status-pages/${id}/components/${group.id}`, undefined, 404);
  assert.equal((await send("GET", `${path}/${rule.id}`)).components.length, 1);
  await send("DELETE", `/v3/status-pages/${id}/components/${api.id}`, undefined, 204);
  assert.deepEqual((await send("GET", `${path}/${rule.id}`)).components, []);
});

test("a page has a maximum number of rules", async () => {
  const { path, body } = await createScene();
  for (let count = 0; count < maxRulesPerPage; count += 1) await send("POST", path, body, 201);
  await send("POST", path, body, 409);
});
