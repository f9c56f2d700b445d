/** A DNS check through the whole product. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import {
  type DnsServer,
  frame,
  replyTo,
  startDnsServer,
  writeDnsRecord,
} from "../../../../test/support/servers/dns-server.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

let app: TestApp;
/** The server's UDP answer. */
let answer = (query: Buffer): Buffer => replyTo(query, { answers: [record] });
const record = writeDnsRecord(1, [192, 0, 2, 1]);

before(async () => {
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" });
});
after(async () => {
  await app.stop();
});

type Input = Readonly<Record<string, unknown>>;

async function newCheck({ address, port }: DnsServer, input: Input, request: Input = {}) {
  const asked = { query: "www.example.com", recordType: "A", nameServer: address, port };
  const body = { frequency: 1_440, request: { ...asked, ...request }, ...input };
  const { status, body: made, text } = await app.call("POST", "/v1/checks/dns", { body });
  assert.equal(status, 201, text);
  return made.id as string;
}

async function run(checkId: string) {
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  const done = await app.call("GET", `/v2/check-sessions/${id}/completion`);
  assert.equal(done.status, 200, done.text);
  const [{ checkResultId }] = done.body.results;
  return (await app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`)).body;
}

async function askAgent(content: string): Promise<string> {
  const path = `/accounts/${app.owner.accountId}/ai/agents/stream`;
  const { body } = await app.call("POST", path, {
    body: { messages: [{ role: "user", content }] },
  });
  return String(body);
}

test("a check is created, run, returned, counted, alerted on and explained by the agent", async (t) => {
  const server = await startDnsServer(t, {
    udp: (query) => [answer(query)],
    tcp: (query, socket) => socket.end(frame(replyTo(query, { answers: [record, record] }))),
  });
  const receiver = await startHttpReceiver(t);
  const config = { name: "Hook", url: receiver.url, method: "POST" };
  await app.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config } });

  const assertions = [
    { source: "RESPONSE_CODE", property: "", comparison: "EQUALS", target: "NOERROR" },
    {
      source: "JSON_ANSWER",
      property: "$.Answer[0].data",
      comparison: "EQUALS",
      target: "192.0.2.1",
    },
  ];
  const checkId = await newCheck(server, { name: "Zone" }, { assertions });
  const result = await run(checkId);
  assert.equal(result.verdict, "passing");
  const { timings, text, json, ...response } = result.dnsCheckResult.response;
  assert.deepEqual(response, {
    query: "www.example.com",
    recordType: "A",
    nameServer: "127.0.0.1",
    resolvedIp: "127.0.0.1",
    port: server.port,
    protocol: "UDP",
    responseCode: "NOERROR",
    queriesSent: 1,
    ignoredAnswers: 0,
    bytesReceived: 49,
    isCut: false,
    error: null,
  });
  assert.deepEqual(json.Answer, [
    { name: "www.example.com.", type: "A", TTL: 300, data: "192.0.2.1" },
  ]);
  assert.match(text, /^www\.example\.com\.\t300\tIN\tA\t192\.0\.2\.1$/m);
  assert.ok(timings.udp > 0 && timings.tcp === null);
  assert.ok(Math.abs(result.responseTime - timings.total) < 0.001);

  answer = (query) => replyTo(query, { flags: 0x0200 });
  const fetched = await run(checkId);
  assert.equal(fetched.dnsCheckResult.response.protocol, "TCP");
  assert.equal(fetched.dnsCheckResult.response.json.Answer.length, 2);

  // Binary data must not prevent results from being stored.
  const odd = writeDnsRecord(16, [4, 0, 0xff, 0x1b, 0x0a]);
  answer = (query) => replyTo(query, { answers: [odd] });
  const failed = await run(checkId);
  assert.equal(failed.reasons[0].name, "assertion-failed");
  assert.equal(failed.dnsCheckResult.response.json.Answer[0].data, "\\000\\255\\027\\010");

  answer = (query) => replyTo(query, { code: 3 });
  const change = { request: { assertions: [] } };
  const changed = await app.call("PUT", `/v1/checks/dns/${checkId}`, { body: change });
  assert.equal(changed.status, 200, changed.text);
  assert.equal(changed.body.request.query, "www.example.com", "what is left out stays");
  assert.deepEqual([changed.body.degradedResponseTime, changed.body.maxResponseTime], [500, 1_000]);
  const missing = await run(checkId);
  assert.deepEqual(missing.reasons[0], {
    name: "response-code-not-noerror",
    responseCode: "NXDOMAIN",
  });
  await run(await newCheck(server, { name: "Lost" }));
  await waitUntil("the alert names the cause", () =>
    receiver.requests.some(({ body }) => String(body).includes("answered NXDOMAIN")),
  );
  const { body: status } = await app.call("GET", `/v1/check-statuses/${checkId}`);
  assert.equal(status.status, "failing");
  const badge = await app.call("GET", `/v1/badges/checks/${checkId}`, { key: null });
  assert.match(badge.text, /Zone: failing/);

  const path = `/v1/analytics/dns/${checkId}?metrics=total_p95,udp_avg,tcp_max,availability`;
  const analytics = await app.call("GET", path);
  assert.equal(analytics.status, 200, analytics.text);
  assert.ok(analytics.text.includes('"tcp_max":'));

  assert.match(await askAgent("why is Zone failing?"), /NXDOMAIN/);
  assert.match(
    await askAgent("what does Zone check and how often?"),
    /queries `127\.0\.0\.1` for `www\.example\.com \(A\)`/,
  );
});

test("a check with shouldFail passes if the name does not exist", async (t) => {
  const server = await startDnsServer(t, { udp: (query) => [replyTo(query, { code: 3 })] });
  const result = await run(await newCheck(server, { name: "Gone", shouldFail: true }));
  assert.equal(result.verdict, "passing");
});

test("invalid input is rejected with the name of the field", async () => {
  const claim = { source: "RESPONSE_CODE", property: "", comparison: "EQUALS", target: "NOERROR" };
  const table: readonly (readonly [Input, Input, string])[] = [
    [{}, { query: "" }, "request.query"],
    [{}, { query: undefined }, "request.query"],
    [{}, { query: `${"x.".repeat(50)}x` }, "request.query"],
    [{}, { query: "a b" }, "request.query"],
    [{}, { recordType: "ANY" }, "request.recordType"],
    [{}, { recordType: undefined }, "request.recordType"],
    [{}, { nameServer: "x".repeat(101) }, "request.nameServer"],
    [{}, { nameServer: "a b" }, "request.nameServer"],
    [{}, { port: 0 }, "request.port"],
    [{}, { port: 65_536 }, "request.port"],
    [{}, { protocol: "TLS" }, "request.protocol"],
    [{}, { assertions: Array.from({ length: 51 }, () => claim) }, "request.assertions"],
    [{}, { assertions: [{ ...claim, source: "LATENCY" }] }, "request.assertions.0.source"],
    [{}, { assertions: [{ ...claim, property: "(" }] }, "request.assertions.0.property"],
    [{ degradedResponseTime: -1 }, {}, "degradedResponseTime"],
    [{ maxResponseTime: 5_001 }, {}, "maxResponseTime"],
  ];
  for (const [input, request, field] of table) {
    const whole = { query: "a.example", recordType: "A", ...request };
    const body = { name: "Bad", activated: false, request: whole, ...input };
    const { status, body: error } = await app.call("POST", "/v1/checks/dns", { body });
    assert.equal(status, 400, field);
    assert.ok(error.message.startsWith(field), `${field}: ${error.message}`);
  }
  const most = { query: `${"x".repeat(63)}.${"x".repeat(36)}`, recordType: "PTR" };
  const body = { name: "Fits", activated: false, request: most, maxResponseTime: 5_000 };
  const { status, body: made, text } = await app.call("POST", "/v1/checks/dns", { body });
  assert.equal(status, 201, text);
  assert.deepEqual(made.request, {
    ...most,
    nameServer: null,
    port: 53,
    protocol: "UDP",
    ipFamily: null,
    assertions: [],
  });
});
