/** A URL check through the whole product. */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import zlib from "node:zlib";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

let app: TestApp;
let server: http.Server;
let base: string;
/** The server's response at `/`. */
let answer: { status: number; headers?: http.OutgoingHttpHeaders; body: string | Buffer };

before(async () => {
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" });
  server = http.createServer((request, reply) => {
    if (request.url === "/moved") {
      reply.writeHead(301, { location: "/" }).end();
      return;
    }
    reply.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  await app.stop();
  server.close();
});

type Input = Readonly<Record<string, unknown>>;

async function newCheck(input: Input, request: Input = {}): Promise<string> {
  const body = { frequency: 1_440, request: { url: `${base}/`, ...request }, ...input };
  const { status, body: made, text } = await app.call("POST", "/v1/checks/url", { body });
  assert.equal(status, 201, text);
  return made.id;
}

async function run(checkId: string) {
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  const ended = await app.call("GET", `/v2/check-sessions/${id}/completion`);
  assert.equal(ended.status, 200, ended.text);
  const [{ checkResultId }] = ended.body.results;
  return (await app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`)).body;
}

async function askAgent(content: string): Promise<string> {
  const path = `/accounts/${app.owner.accountId}/ai/agents/stream`;
  const { body } = await app.call("POST", path, {
    body: { messages: [{ role: "user", content }] },
  });
  return String(body);
}

const statusIs = (comparison: string, target: string) => [
  { source: "STATUS_CODE", property: "", comparison, target },
];

test("a check is created, run, returned, counted, alerted on and explained", async (t) => {
  const receiver = await startHttpReceiver(t);
  const channel = { type: "WEBHOOK", config: { name: "Hook", url: receiver.url, method: "POST" } };
  const subscribed = await app.call("POST", "/v1/alert-channels", { body: channel });
  assert.equal(subscribed.status, 201, subscribed.text);

  answer = { status: 200, headers: { "x-secret": "hidden" }, body: "fine" };
  const checkId = await newCheck({ name: "Shop" }, { url: `${base}/moved` });
  const shown = await app.call("GET", `/v1/checks/${checkId}`);
  assert.deepEqual(shown.body.request, {
    method: "GET",
    url: `${base}/moved`,
    followRedirects: true,
    skipSSL: false,
    ipFamily: "IPv4",
    assertions: [],
  });
  assert.deepEqual([shown.body.degradedResponseTime, shown.body.maxResponseTime], [3_000, 5_000]);

  const result = await run(checkId);
  assert.equal(result.verdict, "passing", JSON.stringify(result.reasons));
  const { timingPhases, redirects, ...response } = result.urlCheckResult.response;
  assert.deepEqual(response, {
    url: `${base}/`,
    ipFamily: "IPv4",
    resolvedIp: "127.0.0.1",
    status: 200,
    statusText: "OK",
    httpVersion: "1.1",
    headers: null,
    body: null,
    bodyFault: null,
    isBodyCut: false,
    bytesReceived: 4,
    bodyEnd: "complete",
    certificate: null,
    error: null,
  });
  assert.deepEqual([redirects.length, redirects[0].status], [1, 301]);
  const { wait, dns, tcp, firstByte, download, total } = timingPhases;
  assert.ok(Math.abs(total - (wait + dns + tcp + firstByte + download)) < 0.1);
  assert.ok(Math.abs(result.responseTime - total) < 0.1);

  const stays = { request: { followRedirects: false, assertions: statusIs("EQUALS", "200") } };
  const changed = await app.call("PUT", `/v1/checks/url/${checkId}`, { body: stays });
  assert.equal(changed.status, 200, changed.text);
  assert.equal(changed.body.request.url, `${base}/moved`, "what is left out stays");
  const moved = await run(checkId);
  assert.equal(moved.verdict, "failing");
  assert.equal(moved.reasons[0].name, "assertion-failed");

  const metrics = "responseTime_avg,wait_avg,dns_avg,tcp_p95,tls_max,firstByte_p99,download_min";
  const path = `/v1/analytics/url-monitors/${checkId}?metrics=${metrics},availability`;
  const analytics = await app.call("GET", path);
  assert.equal(analytics.status, 200, analytics.text);
  assert.ok(analytics.text.includes('"firstByte_p99":'));
  const badge = await app.call("GET", `/v1/badges/checks/${checkId}`, { key: null });
  assert.match(badge.text, /Shop: failing/);
  assert.match(await askAgent("what does Shop check and how often?"), /requests `http:/);
  await waitUntil("the alert came", () => receiver.requests.length > 0);
});

test("a status of 400 or above fails, and the response is kept", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { name: "Hook 2", url: receiver.url, method: "POST" };
  await app.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config } });
  answer = {
    status: 503,
    headers: { "content-encoding": "gzip", "x-trace": "7" },
    body: zlib.gzipSync(`out\0 of order ${"x".repeat(20_000)}`),
  };
  const checkId = await newCheck({ name: "Till" });
  const failed = await run(checkId);
  assert.equal(failed.verdict, "failing");
  assert.equal(failed.reasons[0].name, "error-status");
  const { response } = failed.urlCheckResult;
  assert.equal(response.headers["x-trace"], "7");
  assert.ok(response.body.startsWith("out\0 of order xxx"));
  assert.equal(response.body.length, 16_384);
  assert.equal(response.isBodyCut, true);
  await waitUntil("the alert came", () => receiver.requests.length > 0);
  const text = receiver.requests.map(({ body }) => String(body)).join("\n");
  assert.match(text, /status code was 503 Service Unavailable, expected below 400/);
  assert.match(await askAgent("why is Till failing?"), /503/);

  const wanted = { request: { assertions: statusIs("GREATER_THAN", "499") } };
  await app.call("PUT", `/v1/checks/url/${checkId}`, { body: wanted });
  assert.equal(
    (await run(checkId)).verdict,
    "passing",
    "an assertion says what the status must be",
  );
  const upsideDown = { shouldFail: true, request: { assertions: [] } };
  await app.call("PUT", `/v1/checks/url/${checkId}`, { body: upsideDown });
  assert.equal((await run(checkId)).verdict, "passing", "it fails, as this check expects");
});

test("an unresolved name and a denied address are reported as such", async () => {
  const gone = await run(await newCheck({ name: "Gone" }, { url: "http://127.0.0.1:1/" }));
  assert.equal(gone.reasons[0].name, "connection-refused");
  assert.equal(gone.urlCheckResult.response.error.phase, "connect");
  const metadata = { url: "http://169.254.169.254/latest/" };
  const denied = await run(await newCheck({ name: "Metadata" }, metadata));
  assert.equal(denied.reasons[0].name, "address-denied");
  assert.equal(denied.urlCheckResult.response.resolvedIp, "169.254.169.254");
});

test("invalid input is rejected with the name of the field", async () => {
  const [assertion] = statusIs("EQUALS", "200");
  const table: readonly (readonly [Input, Input, string])[] = [
    [{}, { url: undefined }, "request.url"],
    [{}, { url: "" }, "request.url"],
    [{}, { url: `http://a.example/${"x".repeat(2_048)}` }, "request.url"],
    [{}, { url: "a.example" }, "request.url"],
    [{}, { url: "ftp://a.example/" }, "request.url"],
    [{}, { url: "http://user:secret@a.example/" }, "request.url"],
    [{}, { url: "http://[::1]/" }, "request.ipFamily"],
    [{}, { method: "POST" }, "request.method"],
    [{}, { ipFamily: "IPv5" }, "request.ipFamily"],
    [{}, { followRedirects: "yes" }, "request.followRedirects"],
    [{}, { skipSSL: 1 }, "request.skipSSL"],
    [{}, { assertions: Array.from({ length: 51 }, () => assertion) }, "request.assertions"],
    [{}, { assertions: [{ ...assertion, source: "HEADERS" }] }, "request.assertions.0.source"],
    [
      {},
      { assertions: [{ ...assertion, comparison: "CONTAINS" }] },
      "request.assertions.0.comparison",
    ],
    [{}, { assertions: [{ ...assertion, target: "ok" }] }, "request.assertions.0.target"],
    [{ degradedResponseTime: -1 }, {}, "degradedResponseTime"],
    [{ maxResponseTime: 45_001 }, {}, "maxResponseTime"],
  ];
  for (const [input, request, field] of table) {
    const whole = { url: "http://127.0.0.1/", ...request };
    const body = { name: "Bad", activated: false, request: whole, ...input };
    const { status, body: error } = await app.call("POST", "/v1/checks/url", { body });
    assert.equal(status, 400, field);
    assert.ok(error.message.startsWith(field), `${field}: ${error.message}`);
  }
  const long = { url: `http://a.example/${"x".repeat(2_031)}` };
  await newCheck({ name: "Fits", activated: false, maxResponseTime: 45_000 }, long);
});
