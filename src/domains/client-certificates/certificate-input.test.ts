import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { integer, octets, oid, sequence } from "../../../test/support/certificates/der-writer.ts";
import { makeCertificate, makeKey } from "../../../test/support/certificates/make-certificate.ts";
import { type CertificateInput, decideCertificate } from "./certificate-input.ts";
import { findLargestInteger } from "./der-integers.ts";

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

test("a certificate and its key are sound, with a chain and authorities or without", () => {
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

test("the key may be in the same text, and is not kept with the certificate", () => {
  const { certificate, key } = sound({ cert: made.key + made.cert, key: "" });
  assert.equal(certificate, made.cert);
  assert.equal(key, made.key);
});

test("an encrypted key of either form is opened once", () => {
  const options = { format: "pem", cipher: "aes-256-cbc", passphrase } as const;
  for (const type of ["pkcs8", "sec1"] as const) {
    const key = made.privateKey.export({ ...options, type }).toString();
    assert.equal(sound({ key, passphrase }).key, made.key);
    assert.equal(faultOf({ key }), "passphrase must be given: the key is encrypted");
    assert.equal(faultOf({ key, passphrase: "x" }), "passphrase does not open the key");
  }
});

test("a host is a name, an address or a star and a domain", () => {
  for (const host of ["API.Example.com", "192.0.2.1", "2001:db8::1", "*.example.com"]) {
    assert.equal(sound({ host }).host, host.toLowerCase());
  }
  for (const host of ["", "*", "*.", "a b", "https://a.example", "a.example:443", "*.192.0.2.1"]) {
    assert.match(faultOf({ host }), /^host is not a valid host: /, host);
  }
  assert.match(faultOf({ host: "a.*.example" }), /^host is not a valid host: /);
});

test("what does not fit together or cannot be read is refused by name", () => {
  assert.equal(faultOf({ cert: "hello" }), "cert must hold a certificate in PEM");
  const broken = writePem("CERTIFICATE", Buffer.from("nonsense"));
  assert.equal(faultOf({ cert: broken }), "cert holds a certificate that cannot be read");
  assert.equal(faultOf({ ca: broken }), "ca holds a certificate that cannot be read");
  assert.equal(faultOf({ ca: "hello" }), "ca must hold certificates in PEM");
  assert.equal(faultOf({ cert: made.cert.repeat(21) }), "cert must hold at most 20 certificates");
  assert.equal(faultOf({ key: "hello" }), "key must hold a private key in PEM");
  assert.equal(faultOf({ key: undefined }), "key must hold a private key in PEM");
  assert.equal(faultOf({ key: made.key + made.key }), "key must hold one private key");
  assert.equal(faultOf({ key: authority.key }), "key does not belong to the certificate");
  const nonsense = writePem("PRIVATE KEY", Buffer.from("nonsense"));
  assert.equal(faultOf({ key: nonsense }), "key holds a private key that cannot be read");
  const unended = made.key.slice(0, -30);
  assert.equal(faultOf({ key: unended }), "key must hold a private key in PEM");
});

test("keys that TLS cannot use are refused", () => {
  const other = generateKeyPairSync("x25519").privateKey.export({ type: "pkcs8", format: "pem" });
  assert.match(faultOf({ key: other.toString() }), /^key must be an RSA, EC or Edwards key/);
  const short = makeCertificate({ privateKey: makeKey("rsa-1024") });
  assert.match(faultOf({ cert: short.cert, key: short.key }), /^cert cannot be used for TLS \(ERR/);
});

/** As openssl would write it, but hashed absurdly often. */
function encryptedKey(iterations: Buffer): string {
  const hashing = sequence(
    oid("2a864886f70d01050c"),
    sequence(octets(Buffer.alloc(8)), integer(iterations)),
  );
  const cipher = sequence(oid("60864801650304012a"), octets(Buffer.alloc(16)));
  const algorithm = sequence(oid("2a864886f70d01050d"), sequence(hashing, cipher));
  return writePem("ENCRYPTED PRIVATE KEY", sequence(algorithm, octets(Buffer.alloc(64))));
}

test("a key whose passphrase takes for ever to try is refused at once", () => {
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
