/**
 * Tests every route with: no key, a bad, expired or revoked key, a key of each role, and a key of
 * another account. A route without a row fails. The row's own request also proves that writes are
 * audited, and that a request of a lower role has no effect that only administrators may have.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Role } from "../src/access/accounts/index.ts";
import { type CallOptions, startTestApp } from "./support/apps/app.ts";
import { addStranger, createKey } from "./support/apps/cast.ts";
import type { Row, Scene, Sent } from "./support/authorisation/authorisation-row.ts";
import { assertNoEffect, plantCanaries } from "./support/authorisation/restricted-effects.ts";
import { listRoutes } from "./support/authorisation/routes.ts";
import { rows } from "./support/authorisation/rows.ts";
import { passkeyOrigin } from "./support/authorisation/second-factor-rows.ts";
import { isLongRun } from "./support/long-run.ts";

const roleNames = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"] as const;

let scene: Scene;
let keys: Record<Role, string>;
let badKeys: Record<"no key" | "bad" | "malformed" | "expired" | "revoked", CallOptions>;

before(async () => {
  const app = await startTestApp({ PUBLIC_URL: passkeyOrigin });
  const entries = await Promise.all(
    roleNames.map(async (role) => [role, (await createKey(app, role)).key] as const),
  );
  keys = Object.fromEntries(entries) as Record<Role, string>;
  const expiresAt = new Date(app.clock.now().getTime() + 1_000).toISOString();
  const expired = await createKey(app, "OWNER", { expiresAt });
  const revoked = await createKey(app, "OWNER");
  await app.call("GET", "/v1/runtimes", { key: revoked.key });
  await app.call("DELETE", `/v1/api-keys/${revoked.id}`);
  app.clock.advance(2_000);
  scene = { test: app, stranger: await addStranger(app) };
  await plantCanaries(app);
  badKeys = {
    "no key": { key: null },
    bad: { key: "vd_there-is-no-such-key-anywhere" },
    malformed: { key: null, headers: { authorization: "Basic b3duZXI6cGFzc3dvcmQ=" } },
    expired: { key: expired.key },
    revoked: { key: revoked.key },
  };
});

after(() => scene.test.stop());

test("every registered route has a row, and every row a route", () => {
  const registered = listRoutes(scene.test.app).map(({ method, url }) => `${method} ${url}`);
  const described = rows.map((row) => row.route);
  const without = registered.filter((route) => !described.includes(route));
  assert.deepEqual(without, [], "routes without a row");
  assert.deepEqual([...registered].sort(), described.sort());
});

function methodOf(row: Row): string {
  return row.route.split(" ")[0] ?? "";
}

/** Returns the actions of all audit entries, oldest first. */
async function listAuditActions(): Promise<readonly string[]> {
  const text = "select action from audit_entries where account_id = $1 order by id";
  const { rows: entries } = await scene.test.query(text, [scene.test.owner.accountId]);
  return entries.map(({ action }) => action);
}

const isEnough = (role: Role, least: Role) => roleNames.indexOf(role) >= roleNames.indexOf(least);

/** Audited actions of the requests that were served, by the least role of their route. */
const auditedActions = new Map<Role | null, Set<string>>();

/** Roles that can tell a wrong rule: the least one and the one below it; in the long run all. */
function chooseRoles(least: Role): readonly Role[] {
  const place = roleNames.indexOf(least);
  return isLongRun ? roleNames : roleNames.slice(Math.max(0, place - 1), place + 1);
}

/**
 * The key with which a request is served: that of the least role, so that one request proves the
 * role and the audit; in the long run the owner's, before those of all roles.
 */
function chooseKey({ least, serviceKeyStatus }: Row): CallOptions {
  if (isLongRun || least === null || serviceKeyStatus !== undefined) return {};
  return { key: keys[least] };
}

/** Routes that change or show what only administrators may change or see, with the reason. */
const granted: Readonly<Record<string, string>> = {
  "GET /openapi.json": "has an example of a diagnosis",
  "POST /v1/invites/accept": "an administrator made the invite",
};

/** Sends the request of a row. With a lower role, it must have no effect of administrators. */
async function callAs(row: Row, role: Role | null, { path, ...options }: Sent) {
  const call = () => scene.test.call(methodOf(row), path, options);
  const isRestricted = role !== null && isEnough(role, "ADMIN");
  if (isRestricted || granted[row.route] !== undefined) return call();
  return assertNoEffect(scene.test, `${row.route} with ${role ?? "no key"}`, call);
}

async function assertServes(row: Row, sent: Sent): Promise<void> {
  const method = methodOf(row);
  const before = await listAuditActions();
  const chosen = chooseKey(row);
  const role = chosen.key === undefined ? "OWNER" : row.least;
  const answer = await callAs(row, role, { ...chosen, ...sent });
  assert.equal(answer.status, row.status, answer.text);
  assert.ok(answer.headers.get("x-request-id"));
  const isAudited = row.isAudited ?? (method !== "GET" && row.isUnaudited !== true);
  const { auditEntries = isAudited ? 1 : 0 } = row;
  const added = (await listAuditActions()).slice(before.length);
  assert.equal(added.length, auditEntries, "audit entries");
  auditedActions.set(row.least, new Set(added).union(auditedActions.get(row.least) ?? new Set()));
}

async function assertNeedsNoKey(row: Row, sent: Sent): Promise<void> {
  const answer = await callAs(row, null, { ...sent, key: null });
  assert.equal(answer.status, row.status, answer.text);
}

/** Creating what a request needs is most of the cost. A read leaves it as it was. */
async function prepareAgain(row: Row, sent: Sent): Promise<Sent> {
  return methodOf(row) === "GET" ? sent : row.request(scene);
}

/** Each route is tried without a key and, in turn, with a bad one; in the long run with all. */
function chooseBadKeys(row: Row): readonly (readonly [string, CallOptions])[] {
  const [none, ...others] = Object.entries(badKeys);
  if (isLongRun || none === undefined) return Object.entries(badKeys);
  return [none, ...others.slice(rows.indexOf(row) % others.length).slice(0, 1)];
}

async function assertNeedsGoodKey(row: Row, { path, body }: Sent): Promise<void> {
  for (const [name, bad] of chooseBadKeys(row)) {
    const answer = await scene.test.call(methodOf(row), path, { body, ...bad });
    assert.equal(answer.status, 401, `${name}: ${answer.text}`);
    const { hint: _hint, ...body401 } = answer.body;
    assert.deepEqual(body401, {
      statusCode: 401,
      error: "Unauthorized",
      message: "Bad Token",
      attributes: {},
    });
  }
}

async function assertRejectsRoles(row: Row, least: Role, { path, body }: Sent): Promise<void> {
  for (const role of chooseRoles(least).filter((one) => !isEnough(one, least))) {
    const answer = await scene.test.call(methodOf(row), path, { body, key: keys[role] });
    assert.equal(answer.status, 403, `${role}: ${answer.text}`);
    assert.deepEqual(answer.body, { statusCode: 403, error: "Forbidden", message: "Forbidden" });
  }
}

async function assertServesRoles(row: Row, least: Role, served: Sent): Promise<void> {
  for (const role of chooseRoles(least).filter((one) => isEnough(one, least))) {
    const { path, body } = await prepareAgain(row, served);
    const answer = await callAs(row, role, { path, body, key: keys[role] });
    const allowed = [row.status, row.serviceKeyStatus ?? row.status];
    assert.ok(allowed.includes(answer.status), `${role}: ${answer.status} ${answer.text}`);
  }
}

async function assertIsClosedToStrangers(row: Row, { path, body }: Sent): Promise<void> {
  const account = scene.test.owner.accountId;
  const { key } = scene.stranger;
  const call = (options: CallOptions) => scene.test.call(methodOf(row), path, options);
  const named = await call({ body, key, account });
  assert.equal(named.status, 403, `names an account it cannot act for: ${named.text}`);
  if (!row.isScoped) return;
  const own = await call({ body, key });
  // A path that names the account itself is rejected before anything is looked up.
  const status = row.route.includes(":accountId") ? 403 : 404;
  assert.equal(own.status, status, `belongs to another account: ${own.text}`);
}

for (const row of rows) {
  const { least } = row;
  test(`${row.route} serves ${least ?? "anyone"} and nobody below, and audits writes`, async () => {
    const sent = await row.request(scene);
    if (least === null) {
      await assertServes(row, sent);
      return assertNeedsNoKey(row, await prepareAgain(row, sent));
    }
    // A rejected request changes nothing, so the same one is served afterwards.
    await assertNeedsGoodKey(row, sent);
    await assertRejectsRoles(row, least, sent);
    await assertIsClosedToStrangers(row, sent);
    await assertServes(row, sent);
    if (chooseKey(row).key === undefined) await assertServesRoles(row, least, sent);
  });
}

test("what an ADMIN or OWNER may do is audited by no route that serves lower roles", () => {
  const isRestricted = (least: Role | null) => least !== null && isEnough(least, "ADMIN");
  const listActions = (restricted: boolean) =>
    [...auditedActions].flatMap(([least, actions]) =>
      isRestricted(least) === restricted ? [...actions] : [],
    );
  const open = new Set(listActions(false));
  assert.deepEqual(
    listActions(true).filter((action) => open.has(action)),
    [],
  );
  assert.ok(listActions(true).includes("private-location.created"));
});
