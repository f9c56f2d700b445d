import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { connect, createServer, type TLSSocket, type TlsOptions } from "node:tls";
import {
  extension,
  type MadeCertificate,
  makeCertificate,
  makeKey,
  mustStaple,
} from "../../../../test/support/certificates/make-certificate.ts";
import { makeStaple } from "../../../../test/support/certificates/make-staple.ts";
import { createStapleReader } from "./ocsp-staple.ts";
import { readTls } from "./read-tls.ts";
import type { TlsFacts } from "./tls-facts.ts";

const root = makeCertificate({ name: "Test Root", organisation: "Tests", isAuthority: true });
const middle = makeCertificate({ name: "Test Middle", isAuthority: true, issuer: root });
const dayMs = 86_400_000;

interface Asked {
  readonly host?: string;
  readonly staple?: Buffer;
  readonly trusted?: MadeCertificate;
}

/** Connects to a server with these certificates and reads the TLS facts. */
async function connectTo(t: TestContext, options: TlsOptions, asked: Asked = {}) {
  const server = createServer(options);
  server.on("secureConnection", (socket) => socket.on("error", () => {}));
  server.on("tlsClientError", () => {});
  const { staple } = asked;
  if (staple !== undefined) {
    server.on("OCSPRequest", (_certificate, _issuer, reply) => reply(null, staple));
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const socket: TLSSocket = connect({
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    servername: "shop.example",
    ca: [(asked.trusted ?? root).cert],
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    ciphers: "DEFAULT:@SECLEVEL=0",
    requestOCSP: true,
    ALPNProtocols: ["http/1.1"],
  });
  t.after(() => socket.destroy());
  let stapleBytes: Buffer | null = null;
  socket.on("OCSPResponse", (response: Buffer | null) => {
    stapleBytes = response;
  });
  await once(socket, "secureConnect");
  const host = asked.host ?? "shop.example";
  return readTls(socket, host, createStapleReader(stapleBytes, Date.now()));
}

function assertFacts(facts: TlsFacts | null): asserts facts is TlsFacts {
  assert.ok(facts !== null);
}

const chainOf = (...made: readonly MadeCertificate[]) => ({
  cert: made.map(({ cert }) => cert).join(""),
  key: made[0]?.key ?? "",
});

test("a trusted chain is read completely", async (t) => {
  const validFromMs = Math.floor(Date.now() / 1_000) * 1_000 - dayMs;
  const validToMs = validFromMs + 40 * dayMs;
  const leaf = makeCertificate({
    name: "shop.example",
    names: ["shop.example", "*.shop.example", "192.0.2.7", "2001:db8::7"],
    issuer: middle,
    serial: Buffer.from("0abc", "hex"),
    validFromMs,
    validToMs,
    extensions: [mustStaple, extension("2b06010401d679020402", Buffer.from("0400", "hex"))],
  });
  const staple = makeStaple({ of: leaf, issuer: middle, status: "good" });
  const options = { ...chainOf(leaf, middle), ALPNProtocols: ["http/1.1"] };
  const facts = await connectTo(t, options, { staple });
  assertFacts(facts);
  const { chain, certificate, ...rest } = facts;
  assert.deepEqual(rest, {
    protocol: "TLSv1.3",
    cipher: "TLS_AES_256_GCM_SHA384",
    alpn: "http/1.1",
    fitsName: true,
    trustError: null,
    staple: { status: "good", revokedAtMs: null },
    chainLength: 2,
    chainValidToMs: validToMs,
  });
  assert.match(certificate.fingerprint, /^[0-9a-f]{64}$/);
  assert.deepEqual(chain[0], {
    ...certificate,
    issuerName: "Test Middle",
    validFromMs,
    validToMs,
    subject: "CN=shop.example",
    issuer: "CN=Test Middle",
    serial: "0abc",
    names: ["shop.example", "*.shop.example", "192.0.2.7", "2001:db8::7"],
    nameCount: 4,
    keyType: "EC",
    keyBits: 256,
    signatureAlgorithm: "ecdsa-with-SHA256",
    isSelfIssued: false,
    isAuthority: false,
    mustStaple: true,
    hasScts: true,
  });
  assert.equal(chain[1]?.issuer, "CN=Test Root, O=Tests");
  assert.equal(chain[1]?.isAuthority, true);
});

test("names match exactly or by a wildcard for one label, and never by the common name", async (t) => {
  const leaf = makeCertificate({
    name: "common.example",
    names: ["shop.example", "*.shop.example", "w*.part.example", "192.0.2.7", "2001:db8::7"],
    issuer: root,
  });
  const table: readonly (readonly [string, boolean])[] = [
    ["shop.example", true],
    ["SHOP.example", true],
    ["www.shop.example", true],
    ["a.www.shop.example", false],
    ["www.part.example", false],
    ["common.example", false],
    ["192.0.2.7", true],
    ["192.0.2.8", false],
    ["2001:db8::7", true],
    ["2001:db8:0::7", true],
    ["2001:db8::8", false],
  ];
  for (const [host, fits] of table) {
    const facts = await connectTo(t, chainOf(leaf), { host });
    assert.equal(facts?.fitsName, fits, host);
  }
});

test("an untrusted chain has a named error", async (t) => {
  const names = ["shop.example"];
  const nowMs = Date.now();
  const own = makeCertificate({ names });
  const expired = makeCertificate({ names, issuer: root, validToMs: nowMs - dayMs });
  const early = makeCertificate({ names, issuer: root, validFromMs: nowMs + dayMs });
  const strange = makeCertificate({ name: "Strange Root", isAuthority: true });
  const tableOf: readonly (readonly [string, MadeCertificate[]])[] = [
    ["DEPTH_ZERO_SELF_SIGNED_CERT", [own]],
    ["CERT_HAS_EXPIRED", [expired]],
    ["CERT_NOT_YET_VALID", [early]],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", [makeCertificate({ names, issuer: middle })]],
    ["SELF_SIGNED_CERT_IN_CHAIN", [makeCertificate({ names, issuer: strange }), strange]],
  ];
  for (const [code, made] of tableOf) {
    const facts = await connectTo(t, chainOf(...made));
    assert.equal(facts?.trustError, code);
    assert.equal(facts.chain.length, made.length);
  }
});

test("weak keys, signatures and protocols are detected", async (t) => {
  const names = ["shop.example"];
  const weak = makeCertificate({
    names,
    issuer: root,
    privateKey: makeKey("rsa-1024"),
    hash: "sha1",
  });
  const old = { maxVersion: "TLSv1.2", ciphers: "AES128-SHA:@SECLEVEL=0" } as const;
  const facts = await connectTo(t, { ...chainOf(weak), ...old });
  assertFacts(facts);
  assert.equal(facts.protocol, "TLSv1.2");
  assert.equal(facts.cipher, "TLS_RSA_WITH_AES_128_CBC_SHA");
  const [leaf] = facts.chain;
  assert.deepEqual(
    [leaf?.keyType, leaf?.keyBits, leaf?.signatureAlgorithm],
    ["RSA", 1024, "ecdsa-with-SHA1"],
  );
});

test("a staple counts only if it is signed, current and about this certificate", async (t) => {
  const leaf = makeCertificate({ names: ["shop.example"], issuer: root });
  const other = makeCertificate({ issuer: root });
  const forOcsp = extension("551d25", Buffer.from("300a06082b06010505070309", "hex"));
  const delegate = makeCertificate({ name: "OCSP", issuer: root, extensions: [forOcsp] });
  const stranger = makeCertificate({ name: "OCSP", extensions: [forOcsp] });
  const revokedAtMs = Date.UTC(2026, 9, 1, 10, 11, 12);
  const of = leaf;
  const issuer = root;
  const nowMs = Date.now();
  const good = makeStaple({ of, issuer, status: "good" });
  const tampered = Buffer.from(good);
  tampered[tampered.length - 1] = (tampered.at(-1) ?? 0) ^ 1;
  const table: readonly (readonly [string, Buffer, string])[] = [
    ["signed by the issuer", good, "good"],
    ["unknown to the responder", makeStaple({ of, issuer, status: "unknown" }), "unknown"],
    ["revoked", makeStaple({ of, issuer, status: { revokedAtMs } }), "revoked"],
    ["signed for the issuer", makeStaple({ of, issuer, signer: delegate, status: "good" }), "good"],
    ["by a stranger", makeStaple({ of, issuer, signer: stranger, status: "good" }), "invalid"],
    [
      "by one not meant for it",
      makeStaple({ of, issuer, signer: other, status: "good" }),
      "invalid",
    ],
    ["about another", makeStaple({ of: other, issuer, status: "good" }), "invalid"],
    [
      "of last month",
      makeStaple({ of, issuer, status: "good", fromMs: nowMs - 30 * dayMs }),
      "invalid",
    ],
    ["of tomorrow", makeStaple({ of, issuer, status: "good", fromMs: nowMs + dayMs }), "invalid"],
    ["tampered with", tampered, "invalid"],
    ["cut", good.subarray(0, 40), "invalid"],
    ["garbage", Buffer.alloc(300, 0x30), "invalid"],
  ];
  for (const [what, staple, status] of table) {
    const facts = await connectTo(t, chainOf(leaf, root), { staple });
    assert.equal(facts?.staple?.status, status, what);
    if (status === "revoked") assert.equal(facts.staple.revokedAtMs, revokedAtMs);
  }
  assert.equal((await connectTo(t, chainOf(leaf, root)))?.staple, null);
});
