import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";
import {
  actionsOf,
  createProjectCalls,
  createResources,
  findEntry,
  one,
  type Resource,
  ref,
} from "../../../../test/support/modules/projects.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const { preview, deploy, complete, countRows, post } = createProjectCalls(() => app);

type Fields = Record<string, unknown>;

async function read(path: string) {
  const answer = await app.call("GET", path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** The page of version 3 with its components and rule. */
const createPage = (name: string) =>
  createResources(name).filter(({ logicalId }) => /^(page-v3|comp-|rule)/.test(logicalId));

const change = (resources: readonly Resource[], logicalId: string, fields: Fields) =>
  resources.map((resource) =>
    resource.logicalId === logicalId
      ? { ...resource, payload: { ...resource.payload, ...fields } }
      : resource,
  );

test("components and rules are drift when somebody edits cards, and deployed again", async () => {
  const resources = createPage("drifts");
  const { result } = await deploy("drifts", resources);
  const idOf = (logicalId: string) => findEntry(result.diff, logicalId).physicalId;
  const page = await read(`/v1/status-pages/${idOf("page-v3")}`);
  assert.deepEqual([page.cards.length, page.cards[0].services[0].name], [1, "API"]);
  const cards = page.cards.map((card: Fields) => ({ ...card, name: "Renamed" }));
  const body = { name: page.name, url: page.url, cards };
  await app.call("PUT", `/v1/status-pages/${page.id}`, { body });
  const rulePath = `/v3/status-pages/${page.id}/automation-rules/${idOf("rule")}`;
  const rule = await read(rulePath);
  await app.call("PUT", rulePath, { body: { ...rule, enabled: false } });

  const { diff } = await preview("drifts", resources, "?detail=changes");
  const changes = diff.flatMap((entry: { logicalId: string; changes: Fields[] }) =>
    entry.changes.map(({ path, origin }) => [entry.logicalId, path, origin]),
  );
  assert.deepEqual(changes, [
    ["comp-group", "/name", "remote"],
    ["rule", "/enabled", "remote"],
  ]);
  assert.equal((await deploy("drifts", resources)).status, "SUCCEEDED");
  assert.equal((await read(rulePath)).enabled, true);
  assert.deepEqual(actionsOf((await preview("drifts", resources)).diff), ["UNCHANGED"]);
});

test("a component moves to a group of the same deployment, and what is missing is deleted", async () => {
  const before = await countRows();
  const resources = createPage("moves");
  const { result } = await deploy("moves", resources);
  const other = one("status-page-component", "comp-other", {
    ...{ statusPageId: ref("page-v3"), type: "GROUP", name: "Other", displayOrder: 0 },
  });
  const moved = [
    other,
    ...change(resources, "comp-api", { parentId: ref("comp-other") }).filter(
      ({ logicalId }) => logicalId !== "comp-group" && logicalId !== "rule",
    ),
  ].sort((a, b) => Number(a.type !== "status-page") - Number(b.type !== "status-page"));
  const next = await deploy("moves", moved);
  assert.equal(next.status, "SUCCEEDED", JSON.stringify(next.error));
  const pageId = findEntry(result.diff, "page-v3").physicalId;
  const { entries } = await read(`/v3/status-pages/${pageId}/components`);
  const shown = entries.map((entry: Fields) => [entry.name, entry.parentId]);
  assert.deepEqual(shown, [
    ["Other", null],
    ["API", findEntry(next.result.diff, "comp-other").physicalId],
  ]);
  assert.equal(entries[1].id, findEntry(result.diff, "comp-api").physicalId);
  assert.deepEqual((await read(`/v3/status-pages/${pageId}/automation-rules`)).entries, []);
  const gone = await app.call("DELETE", "/v1/projects/moves");
  assert.equal((await complete("moves", gone.body.id)).status, "SUCCEEDED");
  assert.deepEqual(await countRows(), before);
});

test("a component may be listed before its group", async () => {
  const ended = await deploy("any-order", createPage("any-order").toReversed());
  assert.equal(ended.status, "SUCCEEDED", JSON.stringify(ended.error));
  const pageId = findEntry(ended.result.diff, "page-v3").physicalId;
  const { entries } = await read(`/v3/status-pages/${pageId}/components`);
  const api = entries.find(
    ({ id }: Fields) => id === findEntry(ended.result.diff, "comp-api").physicalId,
  );
  assert.equal(api.parentId, findEntry(ended.result.diff, "comp-group").physicalId);
});

test("a component keeps its type and page, and a wrong one fails with its name", async () => {
  const resources = createPage("keeps-type");
  await deploy("keeps-type", resources);
  const group = change(resources, "comp-api", { type: "GROUP", parentId: null });
  const ended = await deploy("keeps-type", group);
  assert.equal(ended.status, "FAILED");
  assert.match(ended.error.message, /^status-page-component "comp-api": type/);
  const body = { project: { logicalId: "bad", name: "Bad" } };
  const lost = change(createPage("bad"), "rule", {
    components: [{ componentId: ref("none"), targetImpact: "MAJOR_OUTAGE" }],
  });
  const answer = await post("/v1/projects/deploy", { ...body, resources: lost });
  assert.equal(answer.status, 400);
  assert.match(answer.body.message, /automation-rule "rule": components\.0\.componentId refers/);
});

test("an import offers pages of version 3 with their parts, and not their services", async () => {
  const { body: page } = await post("/v3/status-pages", { name: "Loose", url: "loose-page" });
  const path = `/v3/status-pages/${page.id}`;
  const api = await post(`${path}/components`, { name: "API", displayOrder: 3 });
  const rule = await post(`${path}/automation-rules`, {
    ...{ name: "Rule", firstUpdate: "First", lastUpdate: "Last", tags: ["a"] },
    components: [{ componentId: api.body.id, targetImpact: "PARTIAL_OUTAGE" }],
  });
  await post("/next/projects", { logicalId: "adopts", name: "Adopts" });
  const plan = await post("/next/projects/adopts/imports?preview=false", { filters: [] });
  const offered = plan.body.changes.resources as (Resource & { payload: Fields })[];
  const ids = offered.map(({ type, physicalId }) => [type, physicalId]);
  assert.deepEqual(ids, [
    ["status-page", page.id],
    ["status-page-component", api.body.id],
    ["status-page-automation-rule", rule.body.id],
  ]);
  assert.equal(offered[1]?.payload.statusPageId, page.id);
  const step = await app.call("POST", `/next/projects/imports/${plan.body.id}/apply`);
  assert.equal(step.status, 204, step.text);
  await app.call("POST", `/next/projects/imports/${plan.body.id}/commit`);
  const names = new Map(offered.map((entry) => [String(entry.physicalId), entry.logicalId]));
  const toRef = (id: unknown) => ref(names.get(String(id)) ?? "");
  const code = offered.map(({ type, logicalId, payload: { id: _id, ...payload } }) =>
    one(type, logicalId, {
      ...payload,
      ...(payload.statusPageId !== undefined && { statusPageId: toRef(payload.statusPageId) }),
      ...(Array.isArray(payload.components) && {
        components: payload.components.map((entry: Fields) => {
          return { ...entry, componentId: toRef(entry.componentId) };
        }),
      }),
    }),
  );
  const { diff } = await preview("adopts", code, "?detail=changes");
  assert.deepEqual(
    diff.flatMap((entry: { changes: unknown[] }) => entry.changes),
    [],
  );
  assert.equal((await deploy("adopts", code)).status, "SUCCEEDED");
  assert.deepEqual(actionsOf((await preview("adopts", code)).diff), ["UNCHANGED"]);
});
