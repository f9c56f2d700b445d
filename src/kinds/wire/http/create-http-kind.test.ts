import assert from "node:assert/strict";
import { test } from "node:test";
import { doesHostMatch } from "../../../platform/net/host.ts";
import { api } from "../../of/api/index.ts";
import { url as urlKind } from "../../of/url/index.ts";
import type { TlsFacts } from "../tls/tls-facts.ts";
import { findHttpCertificate, findHttpsHost } from "./create-http-kind.ts";

const tls: TlsFacts = {
  protocol: "TLSv1.3",
  cipher: "TLS_AES_128_GCM_SHA256",
  alpn: null,
  certificate: { fingerprint: "ab".repeat(32), issuerName: "R11", validFromMs: 0, validToMs: 9 },
  fitsName: true,
  trustError: "CERT_HAS_EXPIRED",
  staple: null,
  chainLength: 1,
  chainValidToMs: 9,
  chain: [],
};
const seen = {
  host: "shop.example",
  fingerprint: "ab".repeat(32),
  issuer: "R11",
  expiresAtMs: 9,
};

test("the certificate is that of the last server, even if it ended the run", () => {
  const of = (found: object) =>
    findHttpCertificate({
      outcome: {
        kind: "unreachable",
        trouble: { kind: "certificate-rejected", code: "X", message: "", ...found },
      },
    });
  assert.deepEqual(of({ url: "https://shop.example:8443/path", tls }), seen);
  assert.equal(of({ url: "https://shop.example/", tls: null }), null);
  assert.equal(of({ url: "nonsense", tls }), null);
  assert.equal(of({ url: "https://shop.example/", tls: { ...tls, certificate: {} } }), null);
  assert.equal(of({}), null);
  assert.equal(findHttpCertificate({ outcome: { kind: "no-answer", message: "" } }), null);
});

test("API and URL checks look up client certificates by the same host", () => {
  assert.equal(api.clientCertificateFor, findHttpsHost);
  assert.equal(urlKind.clientCertificateFor, findHttpsHost);
  const table: readonly [url: string, host: string | null][] = [
    ["https://[2001:db8::1]/", "2001:db8::1"],
    ["https://[2001:DB8:0:0::1]:8443/path", "2001:db8::1"],
    ["https://Shop.Example:8443/", "shop.example"],
    ["http://shop.example/", null],
    ["nonsense", null],
  ];
  for (const [url, host] of table) {
    assert.deepEqual(findHttpsHost({ url }), host === null ? null : { host }, url);
  }
  const found = findHttpsHost({ url: "https://[2001:db8::1]/" });
  assert.ok(found !== null && doesHostMatch("2001:DB8::0:1", found.host));
});
