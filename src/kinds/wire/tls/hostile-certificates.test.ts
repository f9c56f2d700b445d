/** Malicious and malformed certificates: what is read of them is bounded and clean. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { connect, createServer } from "node:tls";
import fc from "fast-check";
import { Value } from "typebox/value";
import { der, sequence } from "../../../../test/support/certificates/der-writer.ts";
import {
  type CertificateInput,
  encodeName,
  extension,
  type MadeCertificate,
  makeCertificate,
  makeKey,
} from "../../../../test/support/certificates/make-certificate.ts";
import { DetailWriter } from "../../kit/detail-bytes.ts";
import { maxTlsBytes, writeTls } from "./codec.ts";
import { readStaple } from "./ocsp-staple.ts";
import { isForHost, readCertificate, readTls } from "./read-tls.ts";
import {
  maxChainKept,
  maxNamesKept,
  maxNamesLength,
  type TlsFacts,
  TlsFactsSchema,
} from "./tls-facts.ts";

const privateKey = makeKey();
const invisible = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u;

function read(input: CertificateInput) {
  const { certificate } = makeCertificate({ privateKey, ...input });
  const facts = readCertificate(new X509Certificate(certificate));
  const { fingerprint, issuerName, validFromMs, validToMs } = facts;
  const tls: TlsFacts = {
    protocol: "TLSv1.3",
    cipher: "TLS_AES_128_GCM_SHA256",
    alpn: null,
    certificate: { fingerprint, issuerName, validFromMs, validToMs },
    fitsName: true,
    trustError: null,
    staple: null,
    chainLength: 1,
    chainValidToMs: validToMs,
    chain: [facts],
  };
  assert.ok(Value.Check(TlsFactsSchema, tls), JSON.stringify(Value.Errors(TlsFactsSchema, tls)));
  writeTls(new DetailWriter(maxTlsBytes), tls);
  const said = [facts.subject, facts.issuer, facts.serial, facts.issuerName, ...facts.names];
  for (const text of said) assert.doesNotMatch(text, invisible);
  return facts;
}

test("some of a thousand names are kept, and all are counted", () => {
  const names = Array.from({ length: 1_000 }, (_, place) => `host-${place}.example`);
  const facts = read({ names });
  assert.equal(facts.nameCount, 1_000);
  assert.deepEqual(facts.names, names.slice(0, maxNamesKept));
  const long = read({ names: names.map((name) => `${"x".repeat(5_000)}.${name}`).slice(0, 200) });
  assert.ok(long.names.join("").length <= maxNamesLength);
  assert.equal(long.nameCount, 200);
});

test("names with control characters, NULs and direction marks are cleaned and match no host", () => {
  const names = ["shop.example\0.evil.example", "a\nb.example", "\x1b[31m.example", "é.example"];
  const made = makeCertificate({ privateKey, names });
  const facts = read({ names });
  assert.deepEqual(facts.names.length, 4);
  const certificate = new X509Certificate(made.certificate);
  for (const host of ["shop.example", "a", "b.example", "", "\0", "x".repeat(5_000)]) {
    assert.equal(isForHost(certificate, host), false, JSON.stringify(host));
  }
});

test("huge and malformed fields are truncated or empty", () => {
  const text = (value: string) => der(0x0c, Buffer.from(value));
  assert.ok(read({ name: "x".repeat(60_000) }).subject.length <= 250);
  assert.ok(read({ name: "line\nbreak\r\n\0\u202eevil" }).subject.startsWith("CN="));
  assert.equal(read({ serial: Buffer.alloc(8_000, 0x7f) }).serial.length, 64);
  const many = Array.from({ length: 300 }, () => ["550403", text("y".repeat(60))] as const);
  assert.ok(read({ subject: encodeName(...many) }).subject.length <= 250);
  assert.equal(read({ subject: sequence() }).subject, "");
  const latest = read({ validToMs: Date.UTC(9999, 11, 31, 23, 59, 59) });
  assert.equal(latest.validToMs, Date.UTC(9999, 11, 31, 23, 59, 59));
  assert.equal(read({ validFromMs: Date.UTC(1950, 0, 1) }).validFromMs, 0);
  const broken = extension("551d11", Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0x82]));
  assert.deepEqual(read({ extensions: [broken] }).names, []);
  const crowd = Array.from({ length: 500 }, (_, place) =>
    extension(`2a0304${(place % 100).toString(16).padStart(2, "0")}`, Buffer.alloc(20)),
  );
  assert.equal(read({ extensions: crowd }).hasScts, false);
});

test("any bytes in place of a staple are parsed without an error", () => {
  const made = makeCertificate({ privateKey });
  const certificate = new X509Certificate(made.certificate);
  const asked = { certificate, issuer: certificate, nowMs: 0 };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      assert.equal(readStaple(bytes, asked).status, "invalid");
    }),
  );
});

test("a chain of a hundred is counted, and its beginning is kept", async (t) => {
  const chain: MadeCertificate[] = [];
  for (let place = 0; place < 100; place += 1) {
    const issuer = chain[0];
    const name = place === 99 ? "shop.example" : `CA ${place}`;
    const input = { name, privateKey, isAuthority: place < 99, names: ["shop.example"] };
    chain.unshift(makeCertificate(issuer === undefined ? input : { ...input, issuer }));
  }
  const cert = chain.map((made) => made.cert).join("");
  const server = createServer({ cert, key: chain[0]?.key ?? "" }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  t.after(() => socket.destroy());
  await once(socket, "secureConnect");
  const facts = readTls(socket, "shop.example");
  assert.equal(facts?.chainLength, 100);
  assert.equal(facts.chain.length, maxChainKept);
  assert.ok(Value.Check(TlsFactsSchema, facts));
});
