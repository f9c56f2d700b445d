/** The dialect of existing clients and that of the contract, on the same actions. */
import assert from "node:assert/strict";
import { request as startRequest } from "node:http";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

type Body = Record<string, unknown>;

interface Dialect {
  readonly account: string;
  readonly list: string;
  readonly createdAt: RegExp;
}

const dialects: Readonly<Record<string, Dialect>> = {
  contract: { account: "x-service-account", list: "tag", createdAt: /^\d{4}-\d\d-\d\d$/ },
  clients: {
    account: "x-checkly-account",
    list: "tag[]",
    createdAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  },
};

const nobody = "00000000-0000-4000-8000-000000000000";
const icmp = { name: "Router", tags: ["lab", "edge"], request: { hostname: "192.0.2.1" } };
const ownerAccount = () => app.owner.accountId;
const asClient = () => ({ "x-checkly-account": ownerAccount() });

for (const [name, dialect] of Object.entries(dialects)) {
  describe(`in the dialect of ${name}`, () => {
    const call = (method: string, path: string, body?: Body) =>
      app.call(method, path, {
        headers: { [dialect.account]: ownerAccount() },
        ...(body && { body }),
      });

    test("the same actions create, list, change and delete a check", async () => {
      const created = await call("POST", "/v1/checks/icmp", icmp);
      assert.equal(created.status, 201);
      assert.match(created.body.created_at, dialect.createdAt);
      const { id } = created.body;
      const tagged = `${dialect.list}=lab&${dialect.list}=edge`;
      const listed = await call("GET", `/v1/checks?${tagged}`);
      assert.deepEqual(
        listed.body.map((check: Body) => check.id),
        [id],
      );
      assert.match(listed.body[0].created_at, dialect.createdAt);
      const none = await call("GET", `/v1/checks?${dialect.list}=none`);
      assert.deepEqual(none.body, []);
      const change = { name: "Switch", heartbeat: {}, script: "" };
      const changed = await call("PUT", `/v1/checks/icmp/${id}?autoAssignAlerts=false`, change);
      assert.equal(changed.status, 200);
      assert.equal(changed.body.name, "Switch");
      const removed = await call("DELETE", `/v1/checks/${id}`);
      assert.deepEqual([removed.status, removed.text], [204, ""]);
    });

    test("an unknown account is forbidden, and an invalid one is a fault of the header", async () => {
      const headers = { [dialect.account]: nobody };
      assert.equal((await app.call("GET", "/v1/checks", { headers })).status, 403);
      const invalid = { [dialect.account]: "me" };
      assert.equal((await app.call("GET", "/v1/checks", { headers: invalid })).status, 400);
    });

    test("services, pages and incidents have the dates of the dialect", async () => {
      const service = (await call("POST", "/v1/status-pages/services", { name: "API" })).body;
      const incident = await call("POST", "/v1/status-pages/incidents", {
        name: "Down",
        severity: "MAJOR",
        services: [{ id: service.id }],
        incidentUpdates: [{ description: "Looking", status: "INVESTIGATING" }],
      });
      const url = `page-of-${name}`;
      const cards = [{ name: "Core", services: [{ id: service.id }] }];
      const page = (await call("POST", "/v1/status-pages", { name: "Page", url, cards })).body;
      const dates = [
        service.created_at,
        incident.body.created_at,
        incident.body.services[0].created_at,
        incident.body.incidentUpdates[0].created_at,
        page.created_at,
        page.cards[0].created_at,
        page.cards[0].services[0].created_at,
      ];
      for (const date of dates) assert.match(date, dialect.createdAt);
    });
  });
}

test("both dialects show the same fields of a check", async () => {
  const { id } = (await app.call("POST", "/v1/checks/icmp", { body: icmp })).body;
  const own = (await app.call("GET", `/v1/checks/${id}`)).body;
  const { headers, body } = await app.call("GET", `/v1/checks/${id}`, { headers: asClient() });
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(body.created_at.slice(0, 10), own.created_at);
  for (const [field, value] of Object.entries(own)) {
    if (field !== "created_at") assert.deepEqual(body[field], value, field);
  }
});

test("an ICMP check is updated without heartbeat and script, which keep their values", async () => {
  const { id } = (await app.call("POST", "/v1/checks/icmp", { body: icmp })).body;
  const full = { heartbeat: { period: 1 }, script: "mine" };
  await app.call("PUT", `/v1/checks/icmp/${id}`, { body: full });
  const body = { name: "Switch" };
  const headers = asClient();
  const changed = await app.call("PUT", `/v1/checks/icmp/${id}`, { headers, body });
  assert.equal(changed.status, 200);
  const { rows } = await app.query("select private_settings from checks where id = $1", [id]);
  assert.deepEqual(rows[0].private_settings.script, "mine");
  assert.deepEqual(rows[0].private_settings.heartbeat, { period: 1 });
  assert.equal((await app.call("PUT", `/v1/checks/icmp/${id}`, { body })).status, 400);
  const wrong = { headers, body: { script: 1 } };
  assert.equal((await app.call("PUT", `/v1/checks/icmp/${id}`, wrong)).status, 400);
});

test("a switched-off check needs no location", async () => {
  const headers = asClient();
  const created = await app.call("POST", "/v1/checks/icmp", { headers, body: icmp });
  const path = `/v1/checks/icmp/${created.body.id}`;
  const off = { activated: false, locations: [] };
  assert.equal((await app.call("PUT", path, { headers, body: off })).status, 200);
  const on = { activated: true, locations: [] };
  assert.equal((await app.call("PUT", path, { headers, body: on })).status, 400);
});

test("a path may have a prefix", async () => {
  const headers = asClient();
  assert.equal((await app.call("GET", "/monitoring/eu/v1/checks", { headers })).status, 200);
  assert.equal((await app.call("GET", "/monitoring/v1/checks")).status, 404);
  assert.equal((await app.call("GET", "/v1/v1/checks", { headers })).status, 404);
});

/** Sends bytes in chunks without a length, as the command line does. */
function sendChunks(headers: Record<string, string>, chunks: Iterable<Buffer>): Promise<number> {
  const url = new URL("/v1/checks/icmp", app.url);
  const usual = { authorization: `Bearer ${app.owner.apiKey}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = startRequest(url, { method: "POST", headers: { ...usual, ...headers } });
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
  });
}

test("bodies are decompressed, within the limit of a body", async () => {
  const gzip = { ...asClient(), "content-encoding": "gzip" };
  const body = gzipSync(JSON.stringify(icmp));
  assert.equal(await sendChunks(gzip, [body.subarray(0, 20), body.subarray(20)]), 201);
  assert.equal(await sendChunks({ ...gzip, "content-length": `${body.length}` }, [body]), 201);
  assert.equal(await sendChunks(gzip, [body.subarray(0, 20)]), 400);
  assert.equal(await sendChunks(gzip, [Buffer.from("{}")]), 400);
  assert.equal(await sendChunks({ "content-encoding": "gzip" }, [body]), 415);
  assert.equal(await sendChunks({ ...asClient(), "content-encoding": "br" }, [body]), 415);
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
  assert.ok(bomb.length < 100_000);
  assert.equal(await sendChunks(gzip, [bomb]), 413);
});

test("a POST without a body may have the content type of a form", async () => {
  const headers = { ...asClient(), "content-type": "application/x-www-form-urlencoded" };
  const answer = await app.call("POST", `/v1/check-sessions/${nobody}/cancel`, { headers });
  assert.notEqual(answer.status, 415);
});
