/** The certificate of the domain that a browser check watches. The runner is replaced. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer as createPlainServer } from "node:net";
import { after, before, test } from "node:test";
import { createServer } from "node:tls";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { triggerRun } from "../../../../test/support/apps/trigger.ts";
import { makeCertificate } from "../../../../test/support/certificates/make-certificate.ts";
import { startScriptedApp } from "../../../../test/support/scripts/scripted-app.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { parseDomain } from "./domain.ts";

const dayMs = 86_400_000;
let app: TestApp;
before(async () => {
  ({ app } = await startScriptedApp({ PROBE_DENY: "127.0.0.9" }));
});
after(() => app.stop());

async function create(sslCheckDomain: string | null) {
  const script = "1";
  const body = { name: "Shop", frequency: 1_440, script, sslCheckDomain };
  return app.call("POST", "/v1/checks/browser", { body });
}

async function readCertificate(sslCheckDomain: string | null) {
  const { status, body, text } = await create(sslCheckDomain);
  assert.equal(status, 201, text);
  const { body: result } = await triggerRun(app, body.id);
  assert.equal(result.verdict, "passing");
  return result.browserCheckResult.certificate;
}

test("a domain is a host with an optional port", () => {
  const both = ["IPv4", "IPv6"];
  for (const [text, expected] of [
    ["shop.example.com", { hostname: "shop.example.com", port: 443, families: both }],
    ["Shop.example.com:8443", { hostname: "shop.example.com", port: 8443, families: both }],
    ["127.0.0.1", { hostname: "127.0.0.1", port: 443, families: ["IPv4"] }],
    ["[::1]:8443", { hostname: "::1", port: 8443, families: ["IPv6"] }],
    ["::1", { hostname: "::1", port: 443, families: ["IPv6"] }],
  ] as const) {
    assert.deepEqual(parseDomain(text), expected, text);
  }
  for (const text of [
    "https://shop.example.com",
    "shop.example.com/",
    "a b",
    "shop:0",
    "shop:70000",
  ])
    assert.ok("reason" in parseDomain(text), text);
});

test("channels are notified before the certificate of the domain expires", async (t) => {
  const validToMs = app.clock.now().getTime() + 5 * dayMs;
  const leaf = makeCertificate({ name: "Shop CA", names: ["localhost"], validToMs });
  const server = createServer({ cert: leaf.cert, key: leaf.key }, (socket) => {
    socket.on("error", () => {});
    socket.end();
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const domain = `localhost:${(server.address() as AddressInfo).port}`;

  const config = { address: "ops@example.com" };
  const channel = { type: "EMAIL", config, sslExpiry: true, autoSubscribe: true };
  const made = await app.call("POST", "/v1/alert-channels", { body: channel });
  assert.equal(made.status, 201, made.text);
  const certificate = await readCertificate(` ${domain} `);
  assert.deepEqual(
    [certificate.host, certificate.issuer, certificate.error],
    [domain, "Shop CA", null],
  );
  assert.equal(Math.abs(Date.parse(certificate.expiresAt) - validToMs) < 1_000, true);
  await waitUntil("there is an alert about the certificate", async () => {
    const { body } = await app.call("GET", "/v1/check-alerts");
    return body.some(({ alertType }: { alertType: string }) => alertType === "ALERT_SSL");
  });
});

test("a certificate that cannot be read is explained and changes no verdict", async (t) => {
  const server = createPlainServer((socket) => socket.on("error", () => {}).end("hello\n"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  for (const [domain, error] of [
    [`127.0.0.1:${port}`, /does not speak TLS/],
    ["127.0.0.9:443", /PROBE_DENY/],
    ["127.0.0.1:1", /refused the connection/],
  ] as const) {
    const certificate = await readCertificate(domain);
    assert.match(certificate.error, error);
    assert.deepEqual([certificate.host, certificate.expiresAt], [domain, null]);
  }
  assert.equal(await readCertificate(""), null);
});

test("an invalid domain is rejected, and null removes one", async () => {
  const { status, text } = await create("https://shop.example.com/");
  assert.equal(status, 400, text);
  assert.match(text, /sslCheckDomain/);
  const { body: made } = await create("shop.example.com");
  assert.equal(made.sslCheckDomain, "shop.example.com");
  const path = `/v1/checks/browser/${made.id}`;
  const change = async (body: object) =>
    (await app.call("PUT", path, { body })).body.sslCheckDomain;
  assert.equal(await change({ name: "Shop 2" }), "shop.example.com");
  assert.equal(await change({ sslCheckDomain: null }), null);
});
