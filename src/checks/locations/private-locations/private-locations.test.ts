import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger } from "../../../../test/support/apps/cast.ts";
import { maxKeysPerLocation } from "./private-location-store.ts";

let app: TestApp;
let stranger: string;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false", PROBE_LOCATION: "head-office" });
  stranger = (await addStranger(app)).key;
});
after(() => app.stop());

const path = "/v1/private-locations";
const nobody = "00000000-0000-4000-8000-000000000000";
const post = (to: string, body: unknown) => app.call("POST", to, { body });

async function add(slugName: string, name = `The ${slugName}`) {
  const { status, body, text } = await post(path, { name, slugName });
  assert.equal(status, 201, text);
  return body;
}

async function addProbe(location: { id: string; slugName: string }, id: string): Promise<void> {
  await app.query(
    `insert into probes (id, location, route, is_built_in, version, ipv4_sources, ipv6_sources,
        is_suspect, started_at, last_seen_at, limitations, transport, clock_skew_ms, spool_depth)
      values ($1, $2, $3, false, '0.1.0', '{10.9.8.7}', '{}', false, $4, $4, '{}', 'websocket',
        12.4, 3)`,
    [id, location.slugName, location.id, app.clock.now()],
  );
}

const icmp = { name: "Router", request: { hostname: "192.0.2.1" }, frequency: 1440 };

test("the first key of a new location is returned once, and masked afterwards", async () => {
  const created = await add("first");
  const { rawKey } = created.keys[0];
  assert.match(rawKey, /^pl_[0-9a-f]{32}$/);
  assert.deepEqual([created.icon, created.proxyUrl, created.updated_at], ["location", null, null]);
  const { status, body, text } = await app.call("GET", `${path}/${created.id}`);
  assert.equal(status, 200);
  assert.equal(text.includes(rawKey), false);
  assert.deepEqual(
    [body.keys[0].id, body.keys[0].rawKey, body.keys[0].maskedKey],
    [created.keys[0].id, "", `...${rawKey.slice(-4)}`],
  );
  assert.deepEqual([body.status, body.agentCount, body.lastSeen], ["no-probe-yet", 0, null]);
  assert.equal("runningAgents" in body, false);
  const list = await app.call("GET", path);
  assert.deepEqual(
    list.body.find(({ id }: { id: string }) => id === created.id),
    body,
  );
  const log = await app.call("GET", "/v1/audit-log");
  assert.match(log.text, /private-location\.created/);
  assert.equal(log.text.includes(rawKey), false);
});

test("another account can neither read nor change it", async () => {
  const { id, keys } = await add("hidden");
  assert.deepEqual((await app.call("GET", path, { key: stranger })).body, []);
  const keyPath = `${path}/${id}/keys`;
  const asked: [string, string, unknown?][] = [
    ["GET", `${path}/${id}`],
    ["PUT", `${path}/${id}`, { name: "Mine" }],
    ["DELETE", `${path}/${id}`],
    ["POST", keyPath],
    ["DELETE", `${keyPath}/${keys[0].id}`],
  ];
  for (const [method, to, body] of asked) {
    const answer = await app.call(method, to, { key: stranger, body });
    assert.equal(answer.status, 404, `${method} ${to}`);
  }
  const own = { key: stranger, body: { name: "Same slug", slugName: "hidden" } };
  assert.equal((await app.call("POST", path, own)).status, 201, "slugs are each account's own");
});

test("a slug has a restricted format and is not the name of another location", async () => {
  const bad = ["", "a b", "ä", "a".repeat(31), "eu-west-1", "us-gov-east-1", "af-south-1x", "a/b"];
  for (const slugName of bad) {
    const { status, body } = await post(path, { name: "Bad", slugName });
    assert.equal(status, 400, slugName);
    assert.deepEqual(body.validation.keys, ["slugName"]);
  }
  for (const slugName of ["head-office", "built-in"]) {
    assert.equal((await post(path, { name: "Taken", slugName })).status, 400, slugName);
  }
  for (const slugName of ["A", "a".repeat(30), "-7-", "europe-1"]) await add(slugName);
  const twice = await post(path, { name: "Twice", slugName: "A" });
  assert.equal(twice.status, 409);
  assert.match(twice.body.message, /slug A/);
  const proxy = await post(path, { name: "P", slugName: "p", proxyUrl: "http://192.0.2.1:3128" });
  assert.deepEqual([proxy.status, proxy.body.validation.keys], [400, ["proxyUrl"]]);
});

test("checks and groups can use only locations of their account", async () => {
  await add("rack");
  const unknown = await post("/v1/checks/icmp", { ...icmp, privateLocations: ["rack", "nowhere"] });
  assert.equal(unknown.status, 400);
  assert.deepEqual(unknown.body.validation.keys, ["privateLocations.1"]);
  assert.match(unknown.body.message, /create nowhere first/);
  const group = await post("/v1/check-groups", { name: "G", privateLocations: ["nowhere"] });
  assert.deepEqual([group.status, group.body.validation.keys], [400, ["privateLocations.0"]]);
  const made = await post("/v1/checks/icmp", { ...icmp, locations: [], privateLocations: "rack" });
  assert.deepEqual([made.status, made.body.privateLocations], [201, ["rack"]]);
  const cleared = await app.call("PUT", `/v1/checks/${made.body.id}`, {
    body: { locations: ["eu-west-1"], privateLocations: [] },
  });
  assert.deepEqual([cleared.status, "privateLocations" in cleared.body], [200, false]);
});

test("a check with an unknown location from an older version can still be changed", async () => {
  const { body: made } = await post("/v1/checks/icmp", icmp);
  await app.query(
    `update checks set settings = jsonb_set(settings, '{privateLocations}', '["attic"]')
      where id = $1`,
    [made.id],
  );
  const put = (body: unknown) => app.call("PUT", `/v1/checks/${made.id}`, { body });
  const { body: read } = await app.call("GET", `/v1/checks/${made.id}`);
  assert.deepEqual(read.privateLocations, ["attic"]);
  assert.equal((await put({ name: "Other" })).status, 200);
  assert.equal((await put({ privateLocations: ["attic"] })).status, 200);
  assert.equal((await put({ privateLocations: ["attic", "loft"] })).status, 400);
  assert.equal((await put({ privateLocations: [] })).status, 200);
  assert.equal((await put({ privateLocations: ["attic"] })).status, 400, "it is gone now");
});

test("a new slug replaces the old one in every check and group", async () => {
  const lab = await add("lab");
  await add("lab-b");
  const { body: check } = await post("/v1/checks/icmp", {
    ...icmp,
    privateLocations: ["lab-b", "lab"],
  });
  const { body: group } = await post("/v1/check-groups", {
    name: "In the lab",
    privateLocations: ["lab"],
  });
  const put = (body: unknown) => app.call("PUT", `${path}/${lab.id}`, { body });
  const { status, body } = await put({ name: "Laboratory", slugName: "laboratory" });
  assert.equal(status, 200);
  assert.deepEqual(
    [body.name, body.slugName, body.keys.length, body.updated_at === null],
    ["Laboratory", "laboratory", 1, false],
  );
  const read = await app.call("GET", `/v1/checks/${check.id}`);
  assert.deepEqual(read.body.privateLocations, ["lab-b", "laboratory"]);
  const ruled = await app.call("GET", `/v1/check-groups/${group.id}`);
  assert.deepEqual(ruled.body.privateLocations, ["laboratory"]);
  assert.equal((await put({ name: "L", slugName: "lab-b" })).status, 409);
  assert.equal((await put({ name: "L", slugName: "eu-west-1" })).status, 400);
  assert.equal((await put({ slugName: "x" })).status, 400, "the name is asked for");
  // Additional fields that the Go client sends are ignored.
  const zero = { id: "", created_at: "0001-01-01T00:00:00Z", keys: null, proxyUrl: "" };
  assert.equal((await put({ ...zero, name: "L", slugName: "laboratory" })).status, 200);
  assert.equal((await app.call("PUT", `${path}/${nobody}`, { body: { name: "L" } })).status, 404);
});

test("an unused location can be deleted together with its keys", async () => {
  const cellar = await add("cellar");
  const { body: check } = await post("/v1/checks/icmp", { ...icmp, privateLocations: ["cellar"] });
  const { body: group } = await post("/v1/check-groups", {
    name: "Below",
    privateLocations: ["cellar"],
  });
  const remove = () => app.call("DELETE", `${path}/${cellar.id}`);
  const refused = await remove();
  assert.equal(refused.status, 409);
  assert.match(refused.body.message, /1 check and 1 group still run at cellar/);
  await app.call("DELETE", `/v1/checks/${check.id}`);
  assert.equal((await remove()).status, 409);
  await app.call("DELETE", `/v1/check-groups/${group.id}`);
  assert.equal((await remove()).status, 204);
  assert.equal((await remove()).status, 404);
  const { rowCount } = await app.query("select 1 from probe_keys where id = $1", [
    cellar.keys[0].id,
  ]);
  assert.equal(rowCount, 0);
});

test("a location has several keys that are revoked separately", async () => {
  const { id, keys } = await add("many-keys");
  const second = await app.call("POST", `${path}/${id}/keys`);
  assert.equal(second.status, 201);
  assert.match(second.body.rawKey, /^pl_[0-9a-f]{32}$/);
  const first = `${path}/${id}/keys/${keys[0].id}`;
  assert.equal((await app.call("DELETE", first)).status, 204);
  assert.equal((await app.call("DELETE", first)).status, 404);
  const { body } = await app.call("GET", `${path}/${id}`);
  assert.deepEqual(
    body.keys.map((key: { id: string }) => key.id),
    [second.body.id],
  );
  for (let count = 1; count < maxKeysPerLocation; count += 1) {
    assert.equal((await app.call("POST", `${path}/${id}/keys`)).status, 201);
  }
  assert.equal((await app.call("POST", `${path}/${id}/keys`)).status, 409);
  assert.equal((await app.call("POST", `${path}/${nobody}/keys`)).status, 404);
});

test("the probes of a location are visible to its account only", async () => {
  const barn = await add("barn");
  await addProbe(barn, "barn-1");
  await addProbe(barn, "barn-2");
  const { body } = await app.call("GET", `${path}/${barn.id}?versions=true`);
  assert.deepEqual([body.status, body.agentCount], ["served", 2]);
  assert.equal(body.lastSeen, app.clock.now().toISOString());
  const [{ version, isOutdated, count }] = body.runningAgents;
  assert.deepEqual([version, isOutdated, count], ["0.1.0", false, 2]);
  const [probe] = body.probes;
  assert.deepEqual(
    [probe.id, probe.transport, probe.clockSkewMs, probe.spoolDepth, probe.ipv4],
    ["barn-1", "websocket", 12, 3, ["10.9.8.7"]],
  );
  for (const key of [stranger, undefined]) {
    const options = key === undefined ? {} : { key };
    for (const open of ["/v1/locations", "/v1/static-ips", "/v1/static-ips-by-region"]) {
      const { text } = await app.call("GET", open, options);
      assert.equal(/barn|10\.9\.8\.7/.test(text), false, open);
    }
  }
  app.clock.advance(60_000);
  const later = await app.call("GET", `${path}/${barn.id}`);
  assert.deepEqual([later.body.status, later.body.agentCount], ["silent", 0]);
});
