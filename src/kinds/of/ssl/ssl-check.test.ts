/** An SSL check through the whole product. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { createServer, type Server } from "node:tls";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { makeCertificate } from "../../../../test/support/certificates/make-certificate.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { TestClock } from "../../../../test/support/time/clock.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

const dayMs = 86_400_000;
const root = makeCertificate({ name: "Test Root", isAuthority: true });

let app: TestApp;
let server: Server;
let port: number;

function show(validToMs: number, names: readonly string[] = ["shop.example"]): void {
  const { cert, key } = makeCertificate({ names, issuer: root, validToMs });
  server.setSecureContext({ cert, key });
}

before(async () => {
  // Probes judge certificates by the real clock, so the test clock must not lag behind it.
  const clock = new TestClock(new Date().toISOString());
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" }, { clock });
  server = createServer({}, (socket) => socket.on("error", () => {}));
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
after(async () => {
  await app.stop();
  server.close();
});

type Input = Readonly<Record<string, unknown>>;

function writeConfig(config: Input = {}): Input {
  return { hostname: "127.0.0.1", port, serverName: "shop.example", ...config };
}

async function newCheck(input: Input, config: Input = {}, request: Input = {}): Promise<string> {
  const sslConfig = writeConfig({ skipChainValidation: true, ...config });
  const body = { frequency: 1_440, request: { sslConfig, ...request }, ...input };
  const { status, body: made, text } = await app.call("POST", "/v1/checks/ssl", { body });
  assert.equal(status, 201, text);
  return made.id;
}

async function run(checkId: string) {
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  const path = `/v2/check-sessions/${id}/completion`;
  const { status, body: session, text } = await app.call("GET", path);
  assert.equal(status, 200, text);
  const [{ checkResultId }] = session.results;
  return (await app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`)).body;
}

async function askAgent(content: string): Promise<string> {
  const path = `/accounts/${app.owner.accountId}/ai/agents/stream`;
  const messages = [{ role: "user", content }];
  return String((await app.call("POST", path, { body: { messages } })).body);
}

test("a check is created, run, returned, counted, changed and alerted on with the cause", async (t) => {
  const receiver = await startHttpReceiver(t);
  const channel = { type: "WEBHOOK", config: { name: "Hook", url: receiver.url, method: "POST" } };
  const subscribed = await app.call("POST", "/v1/alert-channels", { body: channel });
  assert.equal(subscribed.status, 201, subscribed.text);

  show(Date.now() + 60.5 * dayMs);
  const assertions = [
    {
      source: "CERTIFICATE",
      property: "daysUntilExpiry",
      comparison: "GREATER_THAN",
      target: "30",
    },
  ];
  const checkId = await newCheck({ name: "Shop" }, {}, { assertions });
  const result = await run(checkId);
  assert.equal(result.verdict, "passing", JSON.stringify(result.reasons));
  const { sslCheckResult } = result;
  assert.equal(sslCheckResult.daysUntilExpiry, 60);
  assert.equal(sslCheckResult.hostnameVerified, true);
  assert.equal(sslCheckResult.chainTrusted, false, "nobody trusts the test's authority");
  assert.equal(sslCheckResult.response.incompleteChain, true);
  assert.equal(sslCheckResult.response.missingIntermediate, "Test Root");
  assert.deepEqual(sslCheckResult.response.certificate.sans, ["shop.example"]);
  const { timings } = sslCheckResult.response;
  const sum = timings.dns + timings.connection + timings.handshake;
  assert.ok(timings.handshake > 0 && Math.abs(timings.total - sum) < 0.01);
  assert.ok(Math.abs(result.responseTime - timings.total) < 0.01);

  const change = { request: { sslConfig: { skipChainValidation: false } } };
  const changed = await app.call("PUT", `/v1/checks/ssl/${checkId}`, { body: change });
  assert.equal(changed.status, 200, changed.text);
  assert.equal(changed.body.request.sslConfig.port, port, "what is left out stays");
  assert.deepEqual(changed.body.request.assertions.length, 1);
  assert.deepEqual(
    [changed.body.degradedResponseTime, changed.body.maxResponseTime],
    [3_000, 10_000],
  );
  const untrusted = await run(checkId);
  assert.equal(untrusted.verdict, "failing");
  assert.equal(untrusted.reasons[0].name, "incomplete-chain");

  show(Date.now() - dayMs);
  const expiredId = await newCheck({ name: "Old shop" });
  const expired = await run(expiredId);
  assert.equal(expired.reasons[0].name, "certificate-expired");
  const told = () => receiver.requests.map(({ body }) => String(body)).join("\n");
  await waitUntil("the alert came", () => told().includes("Old shop"));
  assert.match(told(), /The certificate of shop\.example expired on/);

  const metrics = "handshakeTimeMs_p95,daysUntilExpiry,total_avg,availability";
  const analytics = await app.call("GET", `/v1/analytics/ssl/${checkId}?metrics=${metrics}`);
  assert.equal(analytics.status, 200, analytics.text);
  assert.equal(analytics.body.metadata.daysUntilExpiry.unit, "days");
  const badge = await app.call("GET", `/v1/badges/checks/${expiredId}`, { key: null });
  assert.match(badge.text, /Old shop: failing/);
  assert.match(await askAgent("why is Old shop failing?"), /expired/);
  assert.match(
    await askAgent("what does Old shop check and how often?"),
    /watches the certificate of/,
  );
});

test("invalid input is rejected with the name of the field", async () => {
  const claim = { source: "CERTIFICATE", property: "isCA", comparison: "EQUALS", target: "true" };
  const table: readonly (readonly [Input, Input, Input, string])[] = [
    [{}, { hostname: undefined }, {}, "request.sslConfig.hostname"],
    [{}, { hostname: "" }, {}, "request.sslConfig.hostname"],
    [{}, { hostname: "x".repeat(2_049) }, {}, "request.sslConfig.hostname"],
    [{}, { hostname: "a\u0001b" }, {}, "request.sslConfig.hostname"],
    [{}, { hostname: "https://a.example" }, {}, "request.sslConfig.hostname"],
    [{}, { port: 0 }, {}, "request.sslConfig.port"],
    [{}, { port: 65_536 }, {}, "request.sslConfig.port"],
    [{}, { serverName: "x".repeat(2_049) }, {}, "request.sslConfig.serverName"],
    [{}, { serverName: "a b" }, {}, "request.sslConfig.serverName"],
    [{}, { ipFamily: "IPv5" }, {}, "request.sslConfig.ipFamily"],
    [{}, { skipChainValidation: "maybe" }, {}, "request.sslConfig.skipChainValidation"],
    [{}, { handshakeTimeoutMs: 999 }, {}, "request.sslConfig.handshakeTimeoutMs"],
    [{}, { handshakeTimeoutMs: 30_001 }, {}, "request.sslConfig.handshakeTimeoutMs"],
    [{}, { alertDaysBeforeExpiry: 0 }, {}, "request.sslConfig.alertDaysBeforeExpiry"],
    [{}, { alertDaysBeforeExpiry: 366 }, {}, "request.sslConfig.alertDaysBeforeExpiry"],
    [
      {},
      { securityBaseline: { minKeySizeBits: { value: 1_023 } } },
      {},
      "request.sslConfig.securityBaseline.minKeySizeBits.value",
    ],
    [
      {},
      { securityBaseline: { sctPresent: { severity: "shout" } } },
      {},
      "request.sslConfig.securityBaseline.sctPresent.severity",
    ],
    [{}, { clientCertificateMode: "never" }, {}, "request.sslConfig.clientCertificateMode"],
    [{}, { clientCertificateMode: "explicit" }, {}, "request.sslClientCertificateId"],
    [{}, {}, { sslClientCertificateId: "x" }, "request.sslClientCertificateId"],
    [{}, {}, { assertions: [{ ...claim, source: "LATENCY" }] }, "request.assertions.0.source"],
    [{}, {}, { assertions: [{ ...claim, property: "x" }] }, "request.assertions.0.property"],
    [{ degradedResponseTime: -1 }, {}, {}, "degradedResponseTime"],
    [{ maxResponseTime: 30_001 }, {}, {}, "maxResponseTime"],
  ];
  for (const [input, config, request, field] of table) {
    const whole = { sslConfig: writeConfig(config), ...request };
    const body = { name: "Bad", activated: false, request: whole, ...input };
    const { status, body: error } = await app.call("POST", "/v1/checks/ssl", { body });
    assert.equal(status, 400, field);
    assert.ok(error.message.startsWith(field), `${field}: ${error.message}`);
  }
  const fits = { handshakeTimeoutMs: 30_000, alertDaysBeforeExpiry: 365, serverName: "" };
  const checkId = await newCheck({ name: "Fits", activated: false }, fits);
  const { body } = await app.call("GET", `/v1/checks/${checkId}`);
  assert.equal(body.request.sslConfig.serverName, null);
  assert.equal(body.request.sslConfig.securityBaseline.minTLSVersion.severity, "fail");
});
