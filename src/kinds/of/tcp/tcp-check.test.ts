/** A TCP check through the whole product, together with one of another kind. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

let app: TestApp;
let server: Server;
let port: number;
/** The server's response. */
let answer: string | Buffer = "+PONG\r\n";

before(async () => {
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" });
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => socket.end(answer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
after(async () => {
  await app.stop();
  server.close();
});

type Input = Readonly<Record<string, unknown>>;

async function newCheck(input: Input, request: Input = {}): Promise<string> {
  const whole = { hostname: "127.0.0.1", port, ...request };
  const body = { frequency: 1_440, request: whole, ...input };
  const { status, body: made, text } = await app.call("POST", "/v1/checks/tcp", { body });
  assert.equal(status, 201, text);
  return made.id;
}

async function run(checkId: string) {
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  const {
    status,
    body: session,
    text,
  } = await app.call("GET", `/v2/check-sessions/${id}/completion`);
  assert.equal(status, 200, text);
  const [{ checkResultId }] = session.results;
  return (await app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`)).body;
}

const contains = (target: string) => [
  { source: "RESPONSE_DATA", property: "", comparison: "CONTAINS", target },
];

async function askAgent(content: string): Promise<string> {
  const path = `/accounts/${app.owner.accountId}/ai/agents/stream`;
  const { body } = await app.call("POST", path, {
    body: { messages: [{ role: "user", content }] },
  });
  return String(body);
}

test("a check is created, run, returned, counted, alerted on and listed with another kind", async (t) => {
  const receiver = await startHttpReceiver(t);
  const channel = { type: "WEBHOOK", config: { name: "Hook", url: receiver.url, method: "POST" } };
  const subscribed = await app.call("POST", "/v1/alert-channels", { body: channel });
  assert.equal(subscribed.status, 201, subscribed.text);

  const checkId = await newCheck({ name: "Cache" }, { data: "PING", assertions: contains("PONG") });
  const pingBody = { name: "Ping", activated: false, request: { hostname: "127.0.0.1" } };
  const ping = await app.call("POST", "/v1/checks/icmp", { body: pingBody });

  const result = await run(checkId);
  assert.equal(result.verdict, "passing");
  const { timings, ...response } = result.tcpCheckResult.response;
  assert.deepEqual(response, {
    hostname: "127.0.0.1",
    port,
    ipFamily: "IPv4",
    resolvedIp: "127.0.0.1",
    answer: "received",
    bytesSent: 4,
    bytesReceived: 7,
    data: "+PONG\r\n",
    isCut: false,
    error: null,
  });
  const parts = timings.dns + timings.connection + timings.data;
  assert.ok(timings.connection > 0 && Math.abs(timings.total - parts) < 0.001);
  assert.ok(Math.abs(result.responseTime - timings.total) < 0.001);

  // Binary data must not prevent results from being stored.
  answer = Buffer.from([0, 0xff, 0x0a]);
  const failed = await run(checkId);
  assert.equal(failed.verdict, "failing");
  assert.equal(failed.reasons[0].name, "assertion-failed");
  assert.equal(failed.tcpCheckResult.response.data, "\0\u{fffd}\n");

  const change = { request: { port: 1, assertions: [] } };
  const changed = await app.call("PUT", `/v1/checks/tcp/${checkId}`, { body: change });
  assert.equal(changed.status, 200, changed.text);
  assert.equal(changed.body.request.data, "PING", "what is left out stays");
  assert.deepEqual(
    [changed.body.degradedResponseTime, changed.body.maxResponseTime],
    [3_000, 5_000],
  );
  const goneId = await newCheck({ name: "Vault" }, { port: 1 });
  const refused = await run(goneId);
  assert.equal(refused.reasons[0].name, "connection-refused");

  const { body: status } = await app.call("GET", `/v1/check-statuses/${goneId}`);
  assert.equal(status.status, "failing");
  await waitUntil("the alert came", () => receiver.requests.length > 0);

  const metrics = "total_avg,dns_avg,connection_p95,data_max,availability";
  const analytics = await app.call("GET", `/v1/analytics/tcp-checks/${checkId}?metrics=${metrics}`);
  assert.equal(analytics.status, 200, analytics.text);
  assert.ok(analytics.text.includes('"connection_p95":'));
  assert.equal(
    (await app.call("GET", `/v1/analytics/icmp/${checkId}?metrics=availability`)).status,
    404,
  );

  const badge = await app.call("GET", `/v1/badges/checks/${goneId}`, { key: null });
  assert.match(badge.text, /Vault: failing/);
  const { body: listed } = await app.call("GET", "/v1/checks");
  const types = listed.map(({ id, checkType }: Record<string, string>) => [id, checkType]);
  assert.deepEqual(
    new Map(types),
    new Map([
      [checkId, "TCP"],
      [goneId, "TCP"],
      [ping.body.id, "ICMP"],
    ]),
  );
  const onlyTcp = await app.call("GET", "/v1/checks?checkType=TCP");
  const found = onlyTcp.body.map(({ id }: { id: string }) => id);
  assert.deepEqual(found.sort(), [checkId, goneId].sort());

  assert.match(await askAgent("why is Vault failing?"), /refused/);
  assert.match(
    await askAgent("what does Vault check and how often?"),
    /connects to `127\.0\.0\.1:1`/,
  );
});

const degradedAlerts = {
  escalationType: "RUN_BASED",
  runBasedEscalation: { failedRunThreshold: 1 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
};

test("a refused connection is alerted on with the cause", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { name: "Hook 2", url: receiver.url, method: "POST" };
  await app.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config } });
  await run(await newCheck({ name: "Nobody" }, { port: 1 }));
  await waitUntil("the alert came", () => receiver.requests.length > 0);
  const text = receiver.requests.map(({ body }) => String(body)).join("\n");
  assert.match(text, /The connection failed \(ECONNREFUSED\)/);
});

test("a check of both families names the one that fails, everywhere", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { name: "Hook 3", url: receiver.url, method: "POST" };
  const channel = { type: "WEBHOOK", sendDegraded: true, config };
  await app.call("POST", "/v1/alert-channels", { body: channel });
  const name = "Twin";
  const checkId = await newCheck(
    { name, alertSettings: degradedAlerts },
    { hostname: "localhost" },
  );
  const change = { request: { ipFamily: "BOTH" } };
  const changed = await app.call("PUT", `/v1/checks/tcp/${checkId}`, { body: change });
  assert.equal(changed.body.request.ipFamily, "BOTH", changed.text);

  const result = await run(checkId);
  assert.equal(result.verdict, "degraded");
  assert.deepEqual(result.reasons[0], {
    ...{ name: "one-family-fails", failing: "IPv6", working: "IPv4" },
  });
  assert.match(result.explanation, /^IPv6 fails, IPv4 works; over IPv6, the connection failed/);
  const { response, families } = result.tcpCheckResult;
  assert.deepEqual([response.ipFamily, response.error], ["IPv4", null], "the one measured");
  assert.equal(families.IPv4.response.resolvedIp, "127.0.0.1");
  assert.equal(families.IPv6.response.error.code, "ECONNREFUSED");
  assert.equal(families.IPv4.responseTime, response.timings.total);
  assert.equal(families.IPv6.responseTime, null);
  const { body: status } = await app.call("GET", `/v1/check-statuses/${checkId}`);
  assert.equal(status.status, "degraded");
  await waitUntil("the alert came", () => receiver.requests.length > 0);
  assert.match(String(receiver.requests[0]?.body), /IPv6 fails, IPv4 works/);
  assert.match(await askAgent("why is Twin degraded?"), /IPv6 fails, IPv4 works/);
  assert.match(await askAgent("what does Twin check?"), /over IPv4 and IPv6/);

  app.clock.advance(1_000);
  const metrics = "total_avg,connection_avg,availability";
  const analytics = await app.call("GET", `/v1/analytics/tcp-checks/${checkId}?metrics=${metrics}`);
  assert.equal(analytics.status, 200, analytics.text);
  assert.match(analytics.text, /"connection_avg":\d/, "figures are those of IPv4");
  const exported = await app.call("GET", "/v1/projects/export");
  assert.equal(exported.status, 200, exported.text);
  assert.match(exported.text, /"ipFamily":"BOTH"/);
});

test("invalid input is rejected with the name of the field", async () => {
  const assertion = contains("x")[0];
  const table: readonly (readonly [Input, Input, string])[] = [
    [{}, { port: 0 }, "request.port"],
    [{}, { port: 65_536 }, "request.port"],
    [{}, { port: 1.5 }, "request.port"],
    [{}, { port: undefined }, "request.port"],
    [{}, { hostname: "" }, "request.hostname"],
    [{}, { hostname: "x".repeat(2_049) }, "request.hostname"],
    [{}, { hostname: "tcp://a.example" }, "request.hostname"],
    [{}, { hostname: "a.example:22" }, "request.hostname"],
    [{}, { hostname: "::1" }, "request.ipFamily"],
    [{}, { ipFamily: "IPv5" }, "request.ipFamily"],
    [{}, { data: "x".repeat(4_097) }, "request.data"],
    [{}, { assertions: Array.from({ length: 51 }, () => assertion) }, "request.assertions"],
    [{}, { assertions: [{ ...assertion, source: "LATENCY" }] }, "request.assertions.0.source"],
    [{}, { assertions: [{ ...assertion, property: "(" }] }, "request.assertions.0.property"],
    [{}, { assertions: [{ ...assertion, regex: "(a)\\1" }] }, "request.assertions.0.regex"],
    [{ degradedResponseTime: -1 }, {}, "degradedResponseTime"],
    [{ maxResponseTime: 45_001 }, {}, "maxResponseTime"],
  ];
  for (const [input, request, field] of table) {
    const whole = { hostname: "127.0.0.1", port: 80, ...request };
    const body = { name: "Bad", activated: false, request: whole, ...input };
    const { status, body: error } = await app.call("POST", "/v1/checks/tcp", { body });
    assert.equal(status, 400, field);
    assert.ok(error.message.startsWith(field), `${field}: ${error.message}`);
  }
  const fits = { degradedResponseTime: 0, maxResponseTime: 45_000, name: "Fits" };
  await newCheck(fits, { port: 65_535, data: "x".repeat(4_096), ipFamily: "IPv4" });
  await newCheck({ name: "No limits", degradedResponseTime: null, maxResponseTime: null });
});
