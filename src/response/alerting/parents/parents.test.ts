import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer, TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";
import { createRunsFixture } from "../../../../test/support/modules/runs.ts";
import { loadAncestors, replaceParents } from "./parent-store.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

const nobody = "0199a1f0-0000-7000-8000-000000000000";

async function newCheck(options: { readonly key?: string } = {}): Promise<string> {
  const body = { name: "Router", activated: false, request: { hostname: "192.0.2.1" } };
  return (await app.call("POST", "/v1/checks/icmp", { body, ...options })).body.id;
}

const newChecks = (count: number) => Promise.all(Array.from({ length: count }, () => newCheck()));

const pathOf = (checkId: string) => `/v1/checks/${checkId}/parents`;
const read = (checkId: string) => app.call("GET", pathOf(checkId));
const change = (checkId: string, parentIds: unknown) =>
  app.call("PUT", pathOf(checkId), { body: { parentIds } });

function assertNames(answer: Answer, key: string): void {
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.body.validation, { source: "body", keys: [key] });
}

test("a check has no parents by default", async () => {
  const { status, body } = await read(await newCheck());
  assert.deepEqual([status, body], [200, { parentIds: [] }]);
});

test("parents are replaced as a whole, and each change leaves an audit entry", async () => {
  const [child = "", one = "", other = ""] = await newChecks(3);
  const both = await change(child, [one.toUpperCase(), other]);
  assert.deepEqual([both.status, both.body], [200, { parentIds: [one, other].toSorted() }]);
  assert.deepEqual((await read(child)).body, both.body);
  assert.deepEqual((await change(child, [other])).body, { parentIds: [other] });
  assert.deepEqual((await change(child, [])).body, { parentIds: [] });
  const { rows } = await app.query(
    "select action from audit_entries where target_id = $1 and action like 'check-parents.%'",
    [child],
  );
  assert.deepEqual(
    rows.map((row) => row.action),
    ["check-parents.updated", "check-parents.updated", "check-parents.updated"],
  );
});

test("a deleted parent is removed", async () => {
  const [child = "", parent = ""] = await newChecks(2);
  await change(child, [parent]);
  await app.call("DELETE", `/v1/checks/${parent}`);
  assert.deepEqual((await read(child)).body, { parentIds: [] });
});

test("unknown and foreign parents are rejected with their index", async () => {
  const [child = "", parent = ""] = await newChecks(2);
  const foreign = await newCheck({ key: stranger.key });
  assertNames(await change(child, [parent, nobody]), "parentIds.1");
  assertNames(await change(child, [foreign, parent]), "parentIds.0");
  assert.deepEqual((await read(child)).body, { parentIds: [] });
});

test("a check is neither its own parent nor its own ancestor", async () => {
  const [one = "", two = "", three = "", four = ""] = await newChecks(4);
  assertNames(await change(one, [one]), "parentIds.0");
  await change(one, [two]);
  await change(two, [three]);
  assertNames(await change(three, [four, one]), "parentIds.1");
  assert.deepEqual((await read(three)).body, { parentIds: [] });
  // Two paths to the same ancestor are not a cycle.
  assert.equal((await change(one, [two, three])).status, 200);
});

test("two concurrent changes never form a cycle", async () => {
  for (let round = 0; round < 5; round += 1) {
    const [one = "", two = ""] = await newChecks(2);
    const answers = await Promise.all([change(one, [two]), change(two, [one])]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400]);
  }
});

test("anything but a list of at most twenty checks is rejected", async () => {
  const child = await newCheck();
  const many = Array.from({ length: 21 }, (_, index) => nobody.slice(0, -2) + (10 + index));
  assertNames(await change(child, many), "parentIds");
  assertNames(await change(child, [nobody, nobody]), "parentIds");
  assertNames(await change(child, nobody), "parentIds");
  assertNames(await change(child, undefined), "parentIds");
  assertNames(await change(child, ["router"]), "parentIds.0");
  assertNames(await change(child, [`urn:uuid:${nobody}`]), "parentIds.0");
  assert.equal((await app.call("GET", pathOf("router"))).status, 400);
});

test("an unknown check and a check of another account return 404", async () => {
  const child = await newCheck();
  const body = { parentIds: [] };
  assert.equal((await read(nobody)).status, 404);
  assert.equal((await change(nobody, [])).status, 404);
  const { key } = stranger;
  assert.equal((await app.call("GET", pathOf(child), { key })).status, 404);
  assert.equal((await app.call("PUT", pathOf(child), { key, body })).status, 404);
});

test("reading requires a key, and changing requires write access", async () => {
  const child = await newCheck();
  const body = { parentIds: [] };
  const { key } = await createKey(app, "READ_RUN");
  assert.equal((await app.call("GET", pathOf(child), { key: null })).status, 401);
  assert.equal((await app.call("GET", pathOf(child), { key })).status, 200);
  assert.equal((await app.call("PUT", pathOf(child), { key, body })).status, 403);
});

test("all ancestors of some checks are loaded", async () => {
  const fixture = await createRunsFixture();
  const { db } = fixture.context;
  const link = (checkId: string, ...parentIds: string[]) =>
    replaceParents(db, { checkId, parentIds });
  const add = async () => (await fixture.addCheck()).checkId;
  const [child, near, far, other] = [await add(), await add(), await add(), await add()];
  await link(child, near, other);
  await link(near, far);
  assert.deepEqual(Object.fromEntries(await loadAncestors(db, [child, far])), {
    [child]: [near, other].toSorted(),
    [near]: [far],
  });
  assert.equal((await loadAncestors(db, [])).size, 0);
  await fixture.stop();
});

test("a stored cycle and a long chain are bounded", async () => {
  const fixture = await createRunsFixture();
  const { db } = fixture.context;
  const ids: string[] = [];
  for (let index = 0; index < 30; index += 1) ids.push((await fixture.addCheck()).checkId);
  for (const [index, checkId] of ids.entries()) {
    await replaceParents(db, { checkId, parentIds: ids.slice(index + 1, index + 2) });
  }
  const [first = ""] = ids;
  assert.equal((await loadAncestors(db, [first])).size, 20);
  const last = ids.at(-1) ?? "";
  await replaceParents(db, { checkId: last, parentIds: [first] });
  assert.equal((await loadAncestors(db, ids)).size, 30);
  await fixture.stop();
});
