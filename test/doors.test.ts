/**
 * Tests the rights of actions behind every way to reach them. A route is only one such way: project
 * deployments, imports, the agent and MCP call the same actions. Here, each route that needs an
 * ADMIN or OWNER is open for everybody, so its action must reject the caller itself.
 */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { after, before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { startTestApp, type TestApp } from "./support/apps/app.ts";
import { addStranger, createKey } from "./support/apps/cast.ts";
import type { Scene } from "./support/authorisation/authorisation-row.ts";
import { rows } from "./support/authorisation/rows.ts";
import { passkeyOrigin } from "./support/authorisation/second-factor-rows.ts";
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
});
after(() => app.stop());

/** Audited actions of the requests of administrators. */
const restrictedActions = new Set<string>();

/** Returns the audited actions of the keys of low roles, or of everybody else. */
async function listAuditActions(isLow: boolean): Promise<readonly string[]> {
  const text =
    "select action from audit_entries where (actor_name like 'READ\\_%') = $1 order by id";
  return (await app.query(text, [isLow])).rows.map(({ action }) => action);
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
      const answer = await app.call(method, path, { ...sent, key: keys[role] });
      assert.equal(answer.status, 403, `${role}: ${answer.text}`);
    }
    assert.deepEqual(await listAuditActions(true), []);
    const before = await listAuditActions(false);
    const served = await app.call(method, path, sent);
    assert.ok([row.status, row.serviceKeyStatus].includes(served.status), served.text);
    const added = (await listAuditActions(false)).slice(before.length);
    for (const action of added) restrictedActions.add(action);
  });
}

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

test("a deployment with READ_WRITE does nothing that only an ADMIN may do", async () => {
  // Hidden values of the group would be sent to scripts, which has its own tests.
  const all = createResources("door").map((one) =>
    one.type === "check-group" ? { ...one, payload: { name: "Group" } } : one,
  );
  await assertRejected("door", all, 'private-location "lab"');
  const others = all.filter(({ type }) => !type.startsWith("private-location"));
  const made = await byWriter.deploy("door", others);
  assert.equal(made.status, "SUCCEEDED", JSON.stringify(made.error));
  const gone = await byWriter.deploy("door", []);
  assert.equal(gone.status, "SUCCEEDED", JSON.stringify(gone.error));
  const done = new Set(await listAuditActions(true));
  assert.ok(done.has("check.created") && restrictedActions.has("private-location.created"));
  assert.deepEqual([...done.intersection(restrictedActions)], []);
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
