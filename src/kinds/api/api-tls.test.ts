/** API checks over HTTPS, with certificates that are made here. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type ApiChecks, claim, startApiChecks } from "../../../test/support/apps/api-checks.ts";
import { makeCertificate } from "../../../test/support/certificates/make-certificate.ts";

let checks: ApiChecks;
before(async () => {
  checks = await startApiChecks();
});
after(async () => {
  await checks.stop();
});

test("a certificate that nobody trusts is the reason, unless skipSSL is set", async (t) => {
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
