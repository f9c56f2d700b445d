import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../../test/support/apps/cast.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

const path = "/v1/status-pages/services";

async function newCheck(key?: string): Promise<string> {
  const body = { name: "Host", frequency: 1, request: { hostname: "192.0.2.1" } };
  const options = key === undefined ? { body } : { body, key };
  return (await app.call("POST", "/v1/checks/icmp", options)).body.id;
}

const newService = (follows: unknown) =>
  app.call("POST", path, { body: { name: "Shop", follows } });

test("unknown fields are rejected, and what was read can be sent back", async () => {
  const wrong = [{ checkIds: [await newCheck()] }, { follows: { checks: [] } }, { followz: {} }];
  for (const fields of wrong) {
    const answer = await app.call("POST", path, { body: { name: "Shop", ...fields } });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.body.message, /must not have the field (checkIds|checks|followz)$/);
  }
  const { body } = await newService({ tags: ["web"] });
  const saved = await app.call("PUT", `${path}/${body.id}`, { body });
  assert.deepEqual([saved.status, saved.body.follows], [200, body.follows], saved.text);
});

test("a new service follows the given checks and tags", async () => {
  const [one, two] = [await newCheck(), await newCheck()];
  const made = await newService({ checkIds: [two, one, two], tags: ["web", "eu", "web"] });
  assert.equal(made.status, 201, made.text);
  const follows = { checkIds: [one, two].sort(), tags: ["eu", "web"] };
  assert.deepEqual(made.body.follows, follows);
  const read = await app.call("GET", `${path}/${made.body.id}`);
  assert.deepEqual(read.body, made.body);
  const { body: list } = await app.call("GET", `${path}?paginated=false`);
  const listed = list.find((one: { id: string }) => one.id === made.body.id);
  assert.deepEqual(listed.follows, follows);
});

test("omitting follows keeps them, and an empty list removes them", async () => {
  const check = await newCheck();
  const { body } = await newService({ checkIds: [check], tags: ["web"] });
  const put = async (change: object) =>
    (await app.call("PUT", `${path}/${body.id}`, { body: { name: "Shop", ...change } })).body;
  assert.deepEqual((await put({ name: "Store" })).follows, body.follows);
  assert.deepEqual((await put({ follows: { tags: ["web"] } })).follows, {
    checkIds: [],
    tags: ["web"],
  });
  assert.deepEqual((await put({ follows: {} })).follows, { checkIds: [], tags: [] });
});

test("a kept follow keeps its start time", async () => {
  const [kept, added] = [await newCheck(), await newCheck()];
  const { body } = await newService({ checkIds: [kept] });
  app.clock.advance(60_000);
  const follows = { checkIds: [kept, added] };
  await app.call("PUT", `${path}/${body.id}`, { body: { name: "Shop", follows } });
  const { rows } = await app.query(
    `select check_id, since from service_follows where service_id = $1 order by since`,
    [body.id],
  );
  assert.deepEqual(
    rows.map((row) => row.check_id),
    [kept, added],
  );
  assert.equal(rows[1].since - rows[0].since, 60_000);
});

test("a check of another account is rejected by name, and nothing is changed", async () => {
  const own = await newCheck();
  for (const unknown of [randomUUID(), await newCheck(stranger.key)]) {
    const rejected = await newService({ checkIds: [own, unknown] });
    assert.equal(rejected.status, 400);
    assert.ok(rejected.body.message.includes(unknown), rejected.body.message);
    assert.deepEqual(rejected.body.validation.keys, ["follows.checkIds[1]"]);
    const { body } = await newService({ checkIds: [own] });
    const change = { body: { name: "Renamed", follows: { checkIds: [unknown] } } };
    assert.equal((await app.call("PUT", `${path}/${body.id}`, change)).status, 400);
    assert.deepEqual((await app.call("GET", `${path}/${body.id}`)).body, body);
  }
});

test("deleting a check removes it from the follows", async () => {
  const [gone, stays] = [await newCheck(), await newCheck()];
  const { body } = await newService({ checkIds: [gone, stays] });
  assert.equal((await app.call("DELETE", `/v1/checks/${gone}`)).status, 204);
  const read = await app.call("GET", `${path}/${body.id}`);
  assert.deepEqual(read.body.follows, { checkIds: [stays], tags: [] });
});
