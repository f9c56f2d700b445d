/** API checks over HTTPS, with certificates created by the test. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { after, before, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { type ApiChecks, claim, startApiChecks } from "../../../../test/support/apps/api-checks.ts";
import { makeCertificate } from "../../../../test/support/certificates/make-certificate.ts";

let checks: ApiChecks;
before(async () => {
  checks = await startApiChecks();
});
after(async () => {
  await checks.stop();
});

test("an untrusted certificate fails the run unless skipSSL is set", async (t) => {
  const { cert, key } = makeCertificate({ name: "here.example", names: ["127.0.0.1"] });
  const server = createServer({ cert, key }, (_request, response) => {
    response.end("safe");
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const rejected = await checks.run(await checks.create({ name: "Strict" }, { url }));
  assert.equal(rejected.verdict, "failing");
  assert.equal(rejected.reasons[0].name, "certificate-rejected");
  assert.equal(rejected.apiCheckResult.response, null);
  assert.equal(rejected.apiCheckResult.certificate.issuerCN, "here.example");
  assert.notEqual(rejected.apiCheckResult.certificate.trustError, null);

  const assertions = [claim("TEXT_BODY", "EQUALS", "safe")];
  const lax = { url, skipSSL: true, assertions };
  const accepted = await checks.run(await checks.create({ name: "Lax" }, lax));
  assert.equal(accepted.verdict, "passing", JSON.stringify(accepted));
  assert.match(accepted.apiCheckResult.certificate.tlsVersion, /^TLS1\.[23]$/);
  assert.ok(accepted.apiCheckResult.response.timingPhases.tls > 0);
});

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === "::1");

for (const host of ["127.0.0.1", "::1"]) {
  const skip = host === "::1" && !hasIpv6 && "needs ::1";
  test(`a check of ${host} presents the client certificate of that host`, { skip }, async (t) => {
    const { cert, key } = makeCertificate({ name: "here.example", names: [host] });
    const options = { cert, key, requestCert: true, rejectUnauthorized: false };
    const server = createServer(options, ({ socket }, response) => {
      response.end(String((socket as TLSSocket).getPeerCertificate().subject?.CN));
    }).listen(0, host);
    t.after(() => server.close());
    await once(server, "listening");
    const client = makeCertificate({ name: "client.example" });
    const body = { host, cert: client.cert, key: client.key };
    const made = await checks.app.call("POST", "/v1/client-certificates", { body });
    assert.equal(made.status, 201, made.text);
    const isIpv6 = host.includes(":");
    const { port } = server.address() as AddressInfo;
    const request = {
      url: `https://${isIpv6 ? `[${host}]` : host}:${port}/`,
      ipFamily: isIpv6 ? "IPv6" : "IPv4",
      skipSSL: true,
      assertions: [claim("TEXT_BODY", "EQUALS", "client.example")],
    };
    const result = await checks.run(await checks.create({ name: `mTLS ${host}` }, request));
    assert.equal(result.verdict, "passing", JSON.stringify(result));
  });
}
