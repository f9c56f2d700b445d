/**
 * Tests that lower roles reach nothing that only an ADMIN or OWNER may do or see, whichever way
 * they take. Routes, with the dialects of other clients and signed links, are tested with their
 * rows in authorisation.test.ts. Here, each route of administrators is open for everybody, so its
 * action must reject the caller itself. Then everything that deployments, imports, MCP, the agent
 * and its confirmations can do is done with lower roles.
 */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { after, before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { allTools } from "../src/agent/tools/all-tools.ts";
import { readers } from "../src/as-code/imports/sources.ts";
import { resourceTypes } from "../src/as-code/projects/resource.ts";
import { startTestApp, type TestApp } from "./support/apps/app.ts";
import { addStranger, createKey } from "./support/apps/cast.ts";
import type { Answer, CallOptions } from "./support/apps/served-app.ts";
import type { Scene } from "./support/authorisation/authorisation-row.ts";
import { createToolInputs, importFiles } from "./support/authorisation/door-inputs.ts";
import {
  assertNoEffect,
  listActionsOf,
  plantCanaries,
} from "./support/authorisation/restricted-effects.ts";
import { rows } from "./support/authorisation/rows.ts";
import { passkeyOrigin } from "./support/authorisation/second-factor-rows.ts";
import { makeCertificate } from "./support/certificates/make-certificate.ts";
import {
  createProjectCalls,
  createResources,
  findEntry,
  one,
  type Resource,
  ref,
  toBody,
} from "./support/modules/projects.ts";

const lowRoles = ["READ_WRITE", "READ_ONLY"] as const;
const restricted = rows.filter(({ least }) => least === "ADMIN" || least === "OWNER");

let app: TestApp;
let scene: Scene;
let keys: Record<(typeof lowRoles)[number], string>;
const opened = new Set<string>();

/** Opens the routes for administrators before the product reads their access level. */
function openRoutes(message: unknown): void {
  unsubscribe("fastify.initialization", openRoutes);
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook("onRoute", ({ config, method, url }) => {
    if (config?.access !== "admin" && config?.access !== "owner") return;
    opened.add(`${String(method)} ${url}`);
    config.access = "read";
  });
}

before(async () => {
  subscribe("fastify.initialization", openRoutes);
  app = await startTestApp({ PUBLIC_URL: passkeyOrigin, BUILT_IN_PROBE: "false" });
  scene = { test: app, stranger: await addStranger(app) };
  const [write, read] = await Promise.all(lowRoles.map((role) => createKey(app, role)));
  keys = { READ_WRITE: write?.key ?? "", READ_ONLY: read?.key ?? "" };
  await plantCanaries(app);
});
after(() => app.stop());

/** Audited actions of the requests of administrators. */
const restrictedActions = new Set<string>();
/** Audited actions of the requests of lower roles, by the way that they took. */
const reached = new Map<string, Set<string>>();

/** Sends a request of a lower role, which must have no restricted effect. */
async function tryAs(
  door: string,
  role: (typeof lowRoles)[number],
  [method, path, options = {}]: readonly [string, string, CallOptions?],
): Promise<Answer> {
  const call = () => app.call(method, path, { ...options, key: keys[role] });
  const answer = await assertNoEffect(app, `${door}: ${method} ${path} with ${role}`, call);
  const actions = await listActionsOf(app, answer);
  reached.set(door, new Set(actions).union(reached.get(door) ?? new Set()));
  return answer;
}

test("every route for administrators is opened", () => {
  const described = restricted.map(({ route }) => route);
  const found = [...opened].filter((route) => !route.startsWith("HEAD"));
  assert.deepEqual(found.sort(), described.sort());
});

for (const row of restricted) {
  test(`the action of ${row.route} rejects lower roles without its route`, async () => {
    const { path, ...sent } = await row.request(scene);
    const [method = ""] = row.route.split(" ");
    for (const role of lowRoles) {
      const answer = await tryAs("action", role, [method, path, sent]);
      assert.equal(answer.status, 403, `${role}: ${answer.text}`);
    }
    assert.deepEqual([...(reached.get("action") ?? [])], []);
    const served = await app.call(method, path, sent);
    assert.ok([row.status, row.serviceKeyStatus].includes(served.status), served.text);
    for (const action of await listActionsOf(app, served)) restrictedActions.add(action);
  });
}

/** Credentials of links. Each opens one thing, and must open nothing of an administrator. */
async function listLinkTokens(): Promise<readonly string[]> {
  const post = async (path: string, body: object = {}) =>
    (await app.call("POST", path, { body })).body;
  const { id } = await post("/v1/checks/icmp", { name: "L", request: { hostname: "192.0.2.1" } });
  const dashboard = await post("/v1/dashboards", { header: "L", customUrl: "links", tags: ["l"] });
  const urls = [
    (await post(`/v1/triggers/checks/${id}`)).url,
    (await post("/v1/alert-sources", { name: "L" })).url,
  ];
  const [{ rawKey }] = dashboard.keys;
  return [rawKey, ...urls.map((url) => new URL(url).pathname.split("/").at(-1) ?? "")];
}

test("the token of a link is no credential for a route of administrators", async () => {
  const tokens = await listLinkTokens();
  assert.equal(new Set(tokens).size, 3);
  for (const row of restricted) {
    const { path, ...sent } = await row.request(scene);
    const [method = ""] = row.route.split(" ");
    for (const token of tokens) {
      const { cookie: _cookie, ...options } = { cookie: "", ...sent };
      const call = () => app.call(method, path, { ...options, key: token });
      const answer = await assertNoEffect(app, `${row.route} with a link`, call);
      assert.equal(answer.status, 401, answer.text);
    }
  }
});

test("no dialect of another client has a route of administrators under its prefix", async () => {
  const prefixes = ["/v2", "/v3", "/next", `/accounts/${app.owner.accountId}`, ""];
  for (const row of restricted) {
    const { path, ...sent } = await row.request(scene);
    const [method = ""] = row.route.split(" ");
    if (!path.startsWith("/v1/")) continue;
    for (const prefix of prefixes) {
      const other = path.replace(/^\/v1/, prefix);
      for (const role of lowRoles) {
        const { status } = await tryAs("dialect", role, [method, other, sent]);
        // The web application answers every unknown path of a browser.
        assert.ok([403, 404, 405].includes(status) || method === "GET", `${method} ${other}`);
      }
    }
  }
});

test("nothing that can be imported is an effect of administrators", async () => {
  assert.deepEqual(Object.keys(importFiles), Object.keys(readers));
  for (const [source, contents] of Object.entries(importFiles)) {
    const files = Object.entries(contents).map(([name, content]) => ({ name, content }));
    const preview = ["POST", `/v1/imports/preview?source=${source}`, { body: { files } }] as const;
    assert.equal((await tryAs("import", "READ_ONLY", preview)).status, 403);
    const made = await tryAs("import", "READ_WRITE", preview);
    assert.equal(made.status, 201, `${source}: ${made.text}`);
    const run = ["POST", `/v1/imports/${made.body.id}/run`, { body: {} }] as const;
    assert.equal((await tryAs("import", "READ_ONLY", run)).status, 403);
    const ran = await tryAs("import", "READ_WRITE", run);
    assert.equal(ran.status, 200, `${source}: ${ran.text}`);
    assert.ok(ran.body.outcome.created > 0, `${source}: ${ran.text}`);
  }
});

const callTool = (name: string, input: object) =>
  [
    "POST",
    "/mcp",
    {
      body: {
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name, arguments: input },
      },
    },
  ] as const;

test("no tool of MCP, and nothing that a lower role confirms, is an effect of administrators", async () => {
  const inputs = await createToolInputs(scene);
  const confirmations = `/accounts/${app.owner.accountId}/ai/confirmations`;
  assert.deepEqual(Object.keys(inputs).sort(), allTools.map(({ name }) => name).sort());
  for (const [name, input] of Object.entries(inputs)) {
    // A member is paged at most once a minute about an alert.
    app.clock.advance(60_000);
    const ofOwner = await app.call(...callTool(name, input));
    const [waiting] = (await app.call("GET", confirmations)).body;
    const isWrite = allTools.some((tool) => tool.name === name && tool.access === "write");
    assert.equal(waiting !== undefined, isWrite, ofOwner.text);
    for (const role of lowRoles) {
      const answer = await tryAs("mcp", role, callTool(name, input));
      assert.equal(answer.status, 200, answer.text);
      // Read tools and proposals of a role that may write are served, as they are to the owner.
      const isKnown = answer.body.error === undefined;
      assert.equal(isKnown, role === "READ_WRITE" || waiting === undefined, `${name}: ${role}`);
      if (isKnown) assert.equal(answer.body.result.isError, ofOwner.body.result.isError, name);
      if (waiting === undefined) continue;
      const stolen = ["POST", confirmations, { body: { token: waiting.token } }] as const;
      const denied = await tryAs("confirmation", role, stolen);
      assert.equal(denied.status, role === "READ_WRITE" ? 400 : 403, denied.text);
      const list = await tryAs("confirmation", role, ["GET", confirmations]);
      assert.equal(list.status, role === "READ_WRITE" ? 200 : 403);
      if (list.status !== 200) continue;
      const { token } = list.body.find((one: { askedBy: string }) => one.askedBy.startsWith(role));
      const confirm = ["POST", confirmations, { body: { token } }] as const;
      const done = await tryAs("confirmation", role, confirm);
      assert.deepEqual([done.status, done.body.isDone], [200, true], `${name}: ${done.text}`);
    }
    if (waiting) await app.call("DELETE", `${confirmations}/${waiting.id}`);
  }
});

test("no tool and no question has the name of an operation of administrators", async () => {
  const { paths } = (await app.call("GET", "/openapi.json")).body;
  const stream = `/accounts/${app.owner.accountId}/ai/agents/stream`;
  for (const { route } of restricted) {
    const [method = "", path = ""] = route.split(" ");
    const operation = paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
    assert.ok(operation, route);
    const { operationId, summary } = operation;
    const snake = operationId.replace(/[A-Z]/g, (letter: string) => `_${letter.toLowerCase()}`);
    for (const role of lowRoles) {
      for (const name of [operationId, snake]) {
        const answer = await tryAs("mcp", role, callTool(name, {}));
        assert.match(answer.body.error.message, /does not exist/, name);
      }
      const body = { messages: [{ role: "user", content: `${summary} for me now.` }] };
      const answer = await tryAs("agent", role, ["POST", stream, { body }]);
      assert.equal(answer.status, 200, answer.text);
      assert.doesNotMatch(answer.text, /vdc_/, "nothing is proposed");
    }
  }
});

const byOwner = createProjectCalls(() => app);
const byWriter = createProjectCalls(() => ({
  ...app,
  call: (method, path, options) => app.call(method, path, { key: keys.READ_WRITE, ...options }),
}));

/** Asserts that a READ_WRITE key can neither preview nor deploy resources, and changes nothing. */
async function assertRejected(
  name: string,
  resources: readonly Resource[],
  culprit: string,
): Promise<void> {
  const before = await byWriter.countRows();
  const rule = `${culprit}: needs the role ADMIN; the caller has READ_WRITE`;
  const body = toBody(name, resources);
  const planned = await byWriter.post("/v1/projects/preview", body, keys.READ_WRITE);
  assert.deepEqual([planned.status, planned.body.message], [403, rule]);
  const { status, error } = await byWriter.deploy(name, resources);
  assert.deepEqual([status, error], ["FAILED", { code: "FORBIDDEN", message: rule }]);
  assert.deepEqual(await byWriter.countRows(), before);
}

/** Types of which the usual resources of tests have none. */
function createRareResources(): Resource[] {
  const { cert, key } = makeCertificate();
  return [
    one("environment-variable", "DOOR_HOST", { key: "DOOR_HOST", value: "a.example.com" }),
    one("client-certificate", "cert", { host: "api.example.com", cert, key }),
    one("snippet", "snippet", { name: "Door", script: "1" }),
    one("private-location-group-assignment", "lab#group", {
      ...{ privateLocationId: ref("lab"), groupId: ref("group") },
    }),
  ];
}

test("a deployment with READ_WRITE does nothing that only an ADMIN may do", async () => {
  // Hidden values of the group would be sent to scripts, which has its own tests.
  const all = [...createResources("door"), ...createRareResources()].map((one) =>
    one.type === "check-group" ? { ...one, payload: { name: "Group" } } : one,
  );
  assert.deepEqual(new Set(all.map(({ type }) => type)), new Set(resourceTypes));
  for (const path of ["preview", "deploy"]) {
    const { status } = await byWriter.post(
      `/v1/projects/${path}`,
      toBody("door", all),
      keys.READ_ONLY,
    );
    assert.equal(status, 403);
  }
  await assertRejected("door", all, 'private-location "lab"');
  const others = all.filter(({ type }) => !type.startsWith("private-location"));
  const made = await byWriter.deploy("door", others);
  assert.equal(made.status, "SUCCEEDED", JSON.stringify(made.error));
  const gone = await byWriter.deploy("door", []);
  assert.equal(gone.status, "SUCCEEDED", JSON.stringify(gone.error));
});

test("a deployment with READ_WRITE cannot change the account's default policy", async () => {
  const steps = [{ afterMinutes: 5, targets: [{ channelId: ref("mail") }] }];
  const mail = one("alert-channel", "mail", { type: "EMAIL", config: { address: "a@b.test" } });
  const policy = (isDefault: boolean, name = "Escalation") =>
    one("escalation-policy", "p", { name, steps, accountDefault: isDefault });
  await assertRejected("default", [policy(true), mail], 'escalation-policy "p"');
  assert.equal((await byOwner.deploy("default", [policy(true), mail])).status, "SUCCEEDED");
  await assertRejected("default", [policy(false), mail], 'escalation-policy "p"');
  await assertRejected("default", [mail], 'escalation-policy "p"');
  const renamed = await byWriter.deploy("default", [policy(true, "Renamed"), mail]);
  assert.equal(renamed.status, "SUCCEEDED", JSON.stringify(renamed.error));
  assert.equal(findEntry(renamed.result.diff, "p").action, "UPDATE");
});

test("no way of lower roles is audited as an action of administrators", async () => {
  assert.ok(restrictedActions.has("private-location.created"));
  const { rows: deployed } = await app.query(
    `select action from audit_entries where actor_name like 'READ\\_%' and request_id is not null`,
  );
  reached.set("deployment", new Set(deployed.map(({ action }) => action)));
  for (const door of ["deployment", "import", "confirmation"]) {
    assert.ok(reached.get(door)?.has("check.created"), `${door} does what lower roles may do`);
  }
  for (const [door, actions] of reached) {
    assert.deepEqual([...actions.intersection(restrictedActions)], [], door);
  }
});
