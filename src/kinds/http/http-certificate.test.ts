import assert from "node:assert/strict";
import { test } from "node:test";
import type { TlsFacts } from "../tls/tls-facts.ts";
import { findHttpCertificate } from "./http-certificate.ts";

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

test("the certificate is that of the last server, also where it stopped the run", () => {
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
