/** A secret variable in every part of a request, and a server that echoes everything. */
import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { startTestApp, type TestApp } from "./support/apps/app.ts";
import { createKey } from "./support/apps/cast.ts";
import { type HttpReceiver, startHttpReceiver } from "./support/servers/http-receiver.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const secret = "hush-hush-0815";
let app: TestApp;
let echo: HttpReceiver;
let hook: HttpReceiver;
let reader: string;

before(async () => {
  app = await startTestApp({ LOG_LEVEL: "trace", OUTBOUND_ALLOW_PRIVATE: "true" });
  reader = (await createKey(app, "READ_ONLY")).key;
});
after(() => app.stop());

async function startServers(t: TestContext): Promise<void> {
  echo = await startHttpReceiver(t);
  hook = await startHttpReceiver(t);
  echo.respond = ({ path, headers, body }) => {
    // A redirect shows the request, and leads to a URL that repeats it.
    if (path.startsWith("/first")) {
      return { status: 302, headers: { location: `/second${path.slice(6)}` } };
    }
    const whole = JSON.stringify({ path, headers, body });
    const repeated = [whole, encodeURIComponent(whole), Buffer.from(whole).toString("base64")];
    return {
      headers: { "x-path": encodeURI(path), "x-auth": headers.authorization ?? "" },
      body: repeated.join("\n"),
    };
  };
}

type Body = Readonly<Record<string, unknown>>;

async function post(path: string, body: Body) {
  const answer = await app.call("POST", path, { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function run(checkId: string) {
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  const { body: session } = await app.call("GET", `/v2/check-sessions/${id}/completion`);
  const [{ checkResultId }] = session.results;
  return (await app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`)).body;
}

const impossible = [
  { source: "TEXT_BODY", property: "", comparison: "CONTAINS", target: "never there" },
  { source: "HEADERS", property: "x-auth", comparison: "EQUALS", target: "never" },
];

const forms = [
  secret,
  Buffer.from(secret).toString("hex"),
  Buffer.from(secret).toString("base64").slice(0, -3),
  Buffer.from(`ann:${secret}`).toString("base64").slice(6, -3),
];

function assertClean(text: string, where: string): void {
  for (const form of forms) {
    const at = text.toLowerCase().indexOf(form.toLowerCase());
    assert.ok(at < 0, `${form} in ${where}: ${text.slice(Math.max(0, at - 80), at + 80)}`);
  }
}

async function assertCleanEverywhere(checkId: string): Promise<void> {
  const { rows: tables } = await app.query(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
    [],
  );
  for (const { name } of tables) {
    const { rows } = await app.query(`select one::text as text from "${name}" as one`, []);
    for (const { text } of rows) assertClean(text, `table ${name}`);
  }
  assertClean(app.logText(), "the log");
  const paths = [
    `/v1/check-results/${checkId}`,
    `/v1/checks/${checkId}`,
    "/v1/checks",
    "/v1/check-statuses",
    "/v1/check-alerts",
    "/v1/alert-notifications",
    "/v1/audit-log?limit=100",
    "/v1/variables?limit=100",
    "/v1/prometheus",
    "/dashboards/wall-of-echo?expand=1",
    "/openapi.json",
    "/metrics",
  ];
  for (const path of paths) assertClean((await app.call("GET", path, { key: reader })).text, path);
  const agent = `/accounts/${app.owner.accountId}/ai/agents/stream`;
  for (const content of ["What is failing and why?", "Show the last result of Echo"]) {
    const messages = [{ role: "user", content }];
    assertClean((await app.call("POST", agent, { body: { messages } })).text, "the agent");
  }
  for (const { body } of hook.requests) assertClean(body, "an alert");
}

test("a secret used as the host of a check is in no result", async (t) => {
  await startServers(t);
  const { hostname, port } = new URL(echo.url);
  const values = {
    HOST_OF_ECHO: hostname,
    ADDRESS_OF_ECHO: echo.url,
    PLACE_OF_ECHO: `${hostname}:${port}`,
  };
  for (const [key, value] of Object.entries(values)) {
    await post("/v1/variables", { key, value, secret: true });
  }
  const requests: Readonly<Record<string, Body>> = {
    url: { url: "{{ADDRESS_OF_ECHO}}/first/x" },
    api: { method: "GET", url: "{{ADDRESS_OF_ECHO}}/first/x", assertions: impossible },
    tcp: { hostname: "{{HOST_OF_ECHO}}", port: Number(port) },
  };
  for (const [kind, request] of Object.entries(requests)) {
    const check = { name: `Hidden host by ${kind}`, activated: false, request };
    const { id } = await post(`/v1/checks/${kind}`, check);
    const result = JSON.stringify(await run(id));
    assert.ok(!result.includes(hostname), `${kind}: ${result}`);
    const { text } = await app.call("GET", `/v1/check-results/${id}`, { key: reader });
    assert.ok(!text.includes(hostname), `${kind}: ${text}`);
  }
});

const kinds: Readonly<Record<string, () => Body>> = {
  url: () => ({ url: `${echo.url}/first/{{SECRET}}?q={{SECRET}}` }),
  api: () => ({
    method: "POST",
    url: `${echo.url}/first/{{SECRET}}`,
    bodyType: "JSON",
    body: '{"token":"{{SECRET}}"}',
    headers: [{ key: "X-Token", value: "Bearer {{SECRET}}" }],
    queryParameters: [{ key: "token", value: "{{SECRET}}" }],
    basicAuth: { username: "ann", password: "{{SECRET}}" },
    assertions: impossible,
  }),
};

test("a secret reaches the server and cannot be read afterwards", async (t) => {
  await startServers(t);
  await post("/v1/variables", { key: "SECRET", value: secret, secret: true });
  await post("/v1/alert-channels", {
    type: "WEBHOOK",
    autoSubscribe: true,
    config: { name: "Hook", url: hook.url, method: "POST" },
  });
  await post("/v1/dashboards", { header: "Wall", customUrl: "wall-of-echo", isPrivate: false });
  for (const [kind, makeRequest] of Object.entries(kinds)) {
    const request = makeRequest();
    const check = await post(`/v1/checks/${kind}`, { name: "Echo", frequency: 1_440, request });
    const before = echo.requests.length;
    const result = await run(check.id);
    const [first] = echo.requests.slice(before);
    assert.ok(first?.path.includes(secret), JSON.stringify(result));
    assertClean(JSON.stringify(result), `the result of ${kind}`);
    assert.match(JSON.stringify(result), /\*{8}/, "the response is masked");
    if (kind === "api") {
      assert.match(JSON.stringify(result), /\{\{SECRET\}\}/, "the request is shown as written");
      const { headers, body, path } = first ?? assert.fail();
      const password = Buffer.from(`ann:${secret}`).toString("base64");
      assert.equal(headers.authorization, `Basic ${password}`);
      assert.equal(headers["x-token"], `Bearer ${secret}`);
      assert.deepEqual(JSON.parse(body), { token: secret });
      assert.match(path, new RegExp(`token=${secret}`));
      assert.equal(result.verdict, "failing");
      await waitUntil("the alert arrives", () => hook.requests.length > 0);
    }
    await assertCleanEverywhere(check.id);
  }
});
