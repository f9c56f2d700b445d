/** Tests probes that connect over a WebSocket, and the impact of a stolen key. */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { measure } from "../../../../test/support/modules/runs.ts";
import {
  connectClient,
  findRejection,
  makeHello,
  ProbeClient,
} from "../../../../test/support/probes/probe-client.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { makeProbeKey } from "../../../app/commands.ts";
import { parseConfig } from "../../../config.ts";
import type { SignedOrder } from "../../../contract/order.ts";
import { copySignature, type Result } from "../../../contract/result.ts";
import { closeCodes } from "./probe-connection.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

interface Place {
  readonly id: string;
  readonly slugName: string;
  readonly token: string;
  readonly keyId: string;
}

let places = 0;

async function addPlace(): Promise<Place> {
  places += 1;
  const slugName = `place-${places}`;
  const body = { name: `The secret name of ${slugName}`, slugName };
  const { status, body: created, text } = await app.call("POST", "/v1/private-locations", { body });
  assert.equal(status, 201, text);
  const [key] = created.keys;
  return { id: created.id, slugName, token: key.rawKey, keyId: key.id };
}

async function addCheck({ slugName }: Place): Promise<string> {
  const request = { hostname: "192.0.2.1" };
  const body = {
    name: "The secret name of a check",
    activated: false,
    locations: [],
    privateLocations: [slugName],
    request,
  };
  const { status, body: created, text } = await app.call("POST", "/v1/checks/icmp", { body });
  assert.equal(status, 201, text);
  return created.id;
}

async function trigger(checkId: string): Promise<void> {
  app.clock.advance(1);
  const body = { target: { checkId: [checkId] } };
  const { status, text } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  assert.equal(status, 201, text);
}

const connect = (t: Parameters<typeof connectClient>[0], { token }: Place, name = "client") =>
  connectClient(t, { url: app.url, token, hello: { name } });

async function waitForOrder(client: ProbeClient, count = 1): Promise<SignedOrder> {
  await waitUntil("the probe has an order", () => client.orders.length >= count);
  return client.orders[count - 1] as SignedOrder;
}

function answer(order: SignedOrder, more: Partial<Result> = {}): Result {
  const { runId, checkId, kind, location, attempt, dueAtMs, request } = order;
  return {
    ...{ runId, checkId, kind, location, attempt, dueAtMs, request },
    ...copySignature(order),
    startedAtMs: dueAtMs + 2,
    stoppedAtMs: dueAtMs + 900,
    probeId: "ignored",
    outcome: measure(),
    ...more,
  };
}

async function countResults(checkId: string): Promise<number> {
  const text = "select count(*)::int as count from results where check_id = $1";
  return (await app.query(text, [checkId])).rows[0].count;
}

/** Waits until the numbers of rejected results match. Metrics are at most a second old. */
async function waitForRejected(expected: Readonly<Record<string, number>>): Promise<void> {
  await waitUntil(`rejected: ${JSON.stringify(expected)}`, async () => {
    const { text } = await app.call("GET", "/metrics", { key: null });
    return Object.entries(expected).every(([reason, count]) =>
      text.includes(`vedette_results_ignored_total{reason="${reason}"} ${count}\n`),
    );
  });
}

test("a connection without a key, with a wrong key or with a user key is rejected", async () => {
  assert.equal(await findRejection(app.url, {}), 401);
  for (const key of [`pl_${"0".repeat(32)}`, "nonsense", app.owner.apiKey]) {
    assert.equal(await findRejection(app.url, { authorization: `Bearer ${key}` }), 401);
  }
});

test("an upgrade request on another path is handled as a normal request", async () => {
  const headers = { connection: "upgrade", upgrade: "websocket" };
  const { request } = await import("node:http");
  const status = await new Promise((resolve) => {
    const upgrade = request(`${app.url}/v1/accounts/me`, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    upgrade.end();
  });
  assert.equal(status, 401);
});

test("a probe gets its location's order, and its result is recorded under its name", async (t) => {
  const place = await addPlace();
  const client = await connect(t, place, "desk");
  const checkId = await addCheck(place);
  await trigger(checkId);
  const order = await waitForOrder(client);
  client.send({ type: "results", batch: 7, results: [answer(order)] });
  await client.waitFor("recorded");
  assert.deepEqual(client.find("recorded"), [{ type: "recorded", batch: 7 }]);
  assert.equal(await countResults(checkId), 1, "acknowledged after it was recorded");
  const { rows } = await app.query(
    "select name from results join result_probes on number = probe_number where check_id = $1",
    [checkId],
  );
  assert.equal(rows[0].name, `desk-${place.id.slice(-8)}`);
  const { body } = await app.call("GET", `/v1/private-locations/${place.id}`);
  assert.equal(body.agentCount, 1);
});

test("a probe gets orders while the database stores no heartbeats", async (t) => {
  const place = await addPlace();
  await app.query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
  await app.query("create trigger fail before insert on probes execute function fail()");
  const client = await connect(t, place);
  const checkId = await addCheck(place);
  app.clock.advance(60_000);
  await trigger(checkId);
  await waitForOrder(client);
  await app.query("drop function fail cascade");
});

test("an order contains no names, no account and no unneeded data", async (t) => {
  const place = await addPlace();
  const client = await connect(t, place);
  const checkId = await addCheck(place);
  await trigger(checkId);
  const order = await waitForOrder(client);
  assert.deepEqual(Object.keys(order).sort(), [
    ...["attempt", "checkId", "deadlineAtMs", "dueAtMs", "isPrivate", "kind", "location"],
    ...["request", "route", "runId", "startAtMs", "tag", "version"],
  ]);
  const text = JSON.stringify(client.heard);
  for (const hidden of ["secret name", app.owner.accountId, app.owner.email, "threshold"]) {
    assert.equal(text.includes(hidden), false, hidden);
  }
});

test("a stolen key neither gets nor answers orders of another location", async (t) => {
  const [mine, theirs] = [await addPlace(), await addPlace()];
  const thief = await connect(t, mine);
  const owner = await connect(t, theirs);
  const checkId = await addCheck(theirs);
  await trigger(checkId);
  const order = await waitForOrder(owner);
  assert.deepEqual(thief.orders, []);
  // The attacker knows the whole order except its tag.
  const { tag: _tag, ...untagged } = answer(order);
  const forgeries = [
    { ...untagged, tag: "x".repeat(43) },
    { ...untagged, route: mine.id, tag: "x".repeat(43) },
    // The attacker knows the tag but has no access to that route.
    answer(order),
    answer(order, { route: mine.id }),
  ];
  thief.send({ type: "results", batch: 1, results: forgeries });
  await thief.waitFor("recorded");
  await waitForRejected({ "wrong-route": 2, "forged-tag": 2 });
  assert.equal(await countResults(checkId), 0);
});

test("a run cannot be invented or answered twice", async (t) => {
  const place = await addPlace();
  const client = await connect(t, place);
  const checkId = await addCheck(place);
  await trigger(checkId);
  const order = await waitForOrder(client);
  const [later, other] = [order.dueAtMs + 60_000, randomUUIDv7()];
  const made = [answer(order, { dueAtMs: later }), answer(order, { runId: other })];
  client.send({ type: "results", batch: 1, results: [...made, answer(order, { attempt: 2 })] });
  await client.waitFor("recorded");
  await waitForRejected({ "forged-tag": 5 });
  client.send({ type: "results", batch: 2, results: [answer(order)] });
  const changed = answer(order, { outcome: { kind: "interrupted", message: "replayed" } });
  client.send({ type: "results", batch: 3, results: [changed] });
  await client.waitFor("recorded", 3);
  assert.equal(await countResults(checkId), 1);
  const { rows } = await app.query("select verdict from results where check_id = $1", [checkId]);
  assert.equal(rows[0].verdict, 1, "the first result counts");
});

test("probes with different keys that connect concurrently are all admitted", async (t) => {
  const all = await Promise.all(Array.from({ length: 8 }, () => addPlace()));
  const clients = await Promise.all(all.map((place) => connect(t, place)));
  // Each admission makes the gateway verify the keys of all connections.
  await waitUntil("all are registered", async () => {
    const { rows } = await app.query("select id from probes where route = any($1)", [
      all.map(({ id }) => id),
    ]);
    return rows.length === all.length;
  });
  assert.deepEqual(
    clients.map(({ closed }) => closed),
    clients.map(() => null),
  );
});

test("a revoked key is disconnected immediately", async (t) => {
  const place = await addPlace();
  const client = await connect(t, place);
  const path = `/v1/private-locations/${place.id}/keys/${place.keyId}`;
  assert.equal((await app.call("DELETE", path)).status, 204);
  await waitUntil("it is disconnected", () => client.closed !== null);
  assert.equal(client.closed, closeCodes.revoked);
  assert.equal(client.find("refused")[0]?.reason, "revoked");
  assert.equal(await findRejection(app.url, { authorization: `Bearer ${place.token}` }), 401);
});

test("a revoked key is disconnected even if the notification is lost", async (t) => {
  const place = await addPlace();
  const client = await connect(t, place);
  await app.query("alter table probe_keys disable trigger probe_keys_changed");
  t.after(() => app.query("alter table probe_keys enable trigger probe_keys_changed"));
  await app.query("delete from probe_keys where id = $1", [place.keyId]);
  await waitUntil("it is disconnected", () => client.closed !== null);
  assert.equal(client.closed, closeCodes.revoked);
});

test("open orders of a disconnected probe go to another one", async (t) => {
  const place = await addPlace();
  const first = await connect(t, place, "first");
  const checkId = await addCheck(place);
  await trigger(checkId);
  const order = await waitForOrder(first);
  first.socket.terminate();
  const second = await connect(t, place, "second");
  assert.equal((await waitForOrder(second)).runId, order.runId);
});

test("a stopping probe gets no further orders, and its goodbye is processed", async (t) => {
  const place = await addPlace();
  const client = await connect(t, place);
  client.send({ type: "hello", hello: makeHello({ maxOpen: 0 }) });
  await client.waitFor("welcome", 2);
  await trigger(await addCheck(place));
  client.send({ type: "farewell", farewell: { version: 1, reason: "it stops" } });
  await waitUntil("it is disconnected", () => client.closed !== null);
  assert.equal(client.closed, 1000);
  assert.deepEqual(client.orders, []);
  const gone = async () =>
    (await app.query("select 1 from probes where route = $1", [place.id])).rowCount === 0;
  await waitUntil("its row is deleted", gone);
});

test("names of probes must be unique, and a reconnecting probe replaces itself", async (t) => {
  const place = await addPlace();
  const instanceId = randomUUIDv7();
  const { token } = place;
  const first = await connectClient(t, { url: app.url, token, hello: { instanceId } });
  const other = new ProbeClient(app.url, token);
  t.after(() => other.socket.terminate());
  other.socket.on("open", () => other.send({ type: "hello", hello: makeHello() }));
  await waitUntil("it is rejected", () => other.closed !== null);
  assert.equal(other.find("refused")[0]?.reason, "name-taken");
  assert.equal(first.closed, null);
  await connectClient(t, { url: app.url, token, hello: { instanceId } });
  await waitUntil("the old connection is closed", () => first.closed !== null);
  assert.equal(first.closed, closeCodes.replaced);
});

test("a malformed message closes the link, and an incompatible version gets advice", async (t) => {
  const { token } = await addPlace();
  const say = async (...frames: unknown[]) => {
    const client = new ProbeClient(app.url, token);
    t.after(() => client.socket.terminate());
    client.socket.on("open", () => {
      for (const frame of frames) client.send(frame);
    });
    await waitUntil("it is disconnected", () => client.closed !== null);
    return { code: client.closed, word: client.find("refused")[0] };
  };
  assert.equal((await say("{")).code, 1007);
  assert.equal((await say({ type: "results", batch: 1, results: [] })).word?.reason, "no-hello");
  assert.equal((await say({ type: "hello", hello: {} })).word?.reason, "malformed");
  const tooNew = await say({ type: "hello", hello: makeHello({ version: 9 }) });
  assert.equal(tooNew.word?.reason, "probe-too-new");
  assert.match(tooNew.word?.message ?? "", /Upgrade the server/);
});

test("a key of the operator serves a public location, for the checks of every account", async (t) => {
  const config = parseConfig({ DATABASE_URL: app.databaseUrl, DATA_DIR: app.dataDir });
  await assert.rejects(makeProbeKey(config, "Nowhere!"), /--region eu-west-1/);
  const [token = ""] = /vp_[0-9a-f]{32}/.exec(await makeProbeKey(config, "eu-west-1")) ?? [];
  const client = await connectClient(t, { url: app.url, token });
  const request = { hostname: "192.0.2.1" };
  const body = { name: "Abroad", activated: false, locations: ["eu-west-1"], request };
  const { body: check } = await app.call("POST", "/v1/checks/icmp", { body });
  await trigger(check.id);
  const order = await waitForOrder(client);
  assert.deepEqual([order.route, order.location], ["eu-west-1", "eu-west-1"]);
});

test("the clock skew of a probe is stored and shown", async (t) => {
  const place = await addPlace();
  await connectClient(t, {
    url: app.url,
    token: place.token,
    hello: { clockSkewMs: 125_000.4, spoolDepth: 3 },
  });
  const read = async () =>
    (await app.query("select clock_skew_ms, spool_depth from probes where route = $1", [place.id]))
      .rows[0];
  await waitUntil("it is stored", async () => (await read()) !== undefined);
  assert.deepEqual(await read(), { clock_skew_ms: 125_000.4, spool_depth: 3 });
  const { body } = await app.call("GET", `/v1/private-locations/${place.id}`);
  const [probe] = body.probes;
  assert.deepEqual([probe.clockSkewMs, probe.isClockWrong], [125_000, true]);
});
