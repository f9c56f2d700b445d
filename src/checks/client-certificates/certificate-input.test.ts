import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { integer, octets, oid, sequence } from "../../../test/support/certificates/der-writer.ts";
import { makeCertificate, makeKey } from "../../../test/support/certificates/make-certificate.ts";
import {
  type CertificateInput,
  decideCertificate,
  findLargestInteger,
} from "./certificate-input.ts";

const authority = makeCertificate({ name: "CA", isAuthority: true });
const made = makeCertificate({ name: "client", issuer: authority });
const passphrase = "open sesame";
const input: CertificateInput = { host: "api.example.com", cert: made.cert, key: made.key };

function sound(changed: Partial<CertificateInput> = {}) {
  const decision = decideCertificate({ ...input, ...changed });
  assert.ok(decision.kind === "sound", JSON.stringify(decision));
  return decision.certificate;
}

function faultOf(changed: Partial<CertificateInput>): string {
  const decision = decideCertificate({ ...input, ...changed });
  assert.ok(decision.kind === "fault");
  return `${decision.fault.key} ${decision.fault.rule}`;
}

function writePem(label: string, bytes: Buffer): string {
  return `-----BEGIN ${label}-----\n${bytes.toString("base64")}\n-----END ${label}-----\n`;
}

test("a certificate and its key are valid with and without chain and authorities", () => {
  assert.deepEqual(sound(), {
    host: "api.example.com",
    certificate: made.cert,
    ca: null,
    key: made.key,
  });
  const chain = `text before\n${made.cert}\r\n${authority.cert}`;
  const whole = sound({ cert: chain, ca: authority.cert });
  assert.equal(whole.certificate, made.cert + authority.cert);
  assert.equal(whole.ca, authority.cert);
  assert.equal(sound({ ca: "" }).ca, null);
});

test("the key may be in the same text, and is not stored with the certificate", () => {
  const { certificate, key } = sound({ cert: made.key + made.cert, key: "" });
  assert.equal(certificate, made.cert);
  assert.equal(key, made.key);
});

test("an encrypted key of either format is decrypted", () => {
  const options = { format: "pem", cipher: "aes-256-cbc", passphrase } as const;
  for (const type of ["pkcs8", "sec1"] as const) {
    const key = made.privateKey.export({ ...options, type }).toString();
    assert.equal(sound({ key, passphrase }).key, made.key);
    assert.equal(faultOf({ key }), "passphrase is required because the key is encrypted");
    assert.equal(faultOf({ key, passphrase: "x" }), "passphrase does not decrypt the key");
  }
});

test("a host is a name, an address or a wildcard domain", () => {
  for (const host of ["API.Example.com", "192.0.2.1", "2001:db8::1", "*.example.com"]) {
    assert.equal(sound({ host }).host, host.toLowerCase());
  }
  for (const host of ["", "*", "*.", "a b", "https://a.example", "a.example:443", "*.192.0.2.1"]) {
    assert.match(faultOf({ host }), /^host is not a valid host: /, host);
  }
  assert.match(faultOf({ host: "a.*.example" }), /^host is not a valid host: /);
});

test("mismatched and invalid parts are rejected with the field name", () => {
  assert.equal(faultOf({ cert: "hello" }), "cert must contain a certificate in PEM");
  const broken = writePem("CERTIFICATE", Buffer.from("nonsense"));
  assert.equal(faultOf({ cert: broken }), "cert contains an invalid certificate");
  assert.equal(faultOf({ ca: broken }), "ca contains an invalid certificate");
  assert.equal(faultOf({ ca: "hello" }), "ca must contain certificates in PEM");
  assert.equal(
    faultOf({ cert: made.cert.repeat(21) }),
    "cert must contain at most 20 certificates",
  );
  assert.equal(faultOf({ key: "hello" }), "key must contain a private key in PEM");
  assert.equal(faultOf({ key: undefined }), "key must contain a private key in PEM");
  assert.equal(faultOf({ key: made.key + made.key }), "key must contain exactly one private key");
  assert.equal(faultOf({ key: authority.key }), "key does not belong to the certificate");
  const nonsense = writePem("PRIVATE KEY", Buffer.from("nonsense"));
  assert.equal(faultOf({ key: nonsense }), "key contains an invalid private key");
  const unended = made.key.slice(0, -30);
  assert.equal(faultOf({ key: unended }), "key must contain a private key in PEM");
});

test("keys that TLS cannot use are rejected", () => {
  const other = generateKeyPairSync("x25519").privateKey.export({ type: "pkcs8", format: "pem" });
  assert.match(faultOf({ key: other.toString() }), /^key must be an RSA, EC or Edwards key/);
  const short = makeCertificate({ privateKey: makeKey("rsa-1024") });
  assert.match(faultOf({ cert: short.cert, key: short.key }), /^cert cannot be used for TLS \(ERR/);
});

/** An encrypted key as openssl writes it, but with a huge number of hash iterations. */
function encryptedKey(iterations: Buffer): string {
  const hashing = sequence(
    oid("2a864886f70d01050c"),
    sequence(octets(Buffer.alloc(8)), integer(iterations)),
  );
  const cipher = sequence(oid("60864801650304012a"), octets(Buffer.alloc(16)));
  const algorithm = sequence(oid("2a864886f70d01050d"), sequence(hashing, cipher));
  return writePem("ENCRYPTED PRIVATE KEY", sequence(algorithm, octets(Buffer.alloc(64))));
}

test("a key with too many hash iterations is rejected immediately", () => {
  const key = encryptedKey(Buffer.from("7fffffff", "hex"));
  assert.equal(
    faultOf({ key, passphrase }),
    "key must be encrypted with at most 1000000 iterations",
  );
  assert.equal(findLargestInteger(encryptedKey(Buffer.from("0800", "hex"))), 2_048);
  const usual = made.privateKey.export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase,
  });
  assert.ok(findLargestInteger(usual.toString()) >= 1_000);
  for (const bytes of ["", "30", "3080", "308400ffffff", "30".repeat(500)]) {
    const text = writePem("ENCRYPTED PRIVATE KEY", Buffer.from(bytes, "hex"));
    assert.ok(findLargestInteger(text) >= 0);
    assert.match(faultOf({ key: text, passphrase }), /^(key|passphrase) /);
  }
});
