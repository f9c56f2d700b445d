import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Value } from "typebox/value";
import { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import { maxTlsBytes, readTlsDetail, writeTls } from "./codec.ts";
import {
  type CertificateFacts,
  maxChainKept,
  maxNamesKept,
  maxNamesLength,
  stapleStatuses,
  summariseTls,
  type TlsFacts,
  TlsFactsSchema,
} from "./tls-facts.ts";

const record = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) =>
  fc.record<Model>(model, { noNullPrototype: true });
const orNull = <Of>(values: fc.Arbitrary<Of>) => fc.option(values, { nil: null });
const moment = fc.integer({ min: 0, max: 2 ** 40 - 1 }).map((seconds) => seconds * 1_000);
const term = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.constantFrom("TLSv1.3", "TLS_AES_128_GCM_SHA256", "h2", "CERT_HAS_EXPIRED", "RSA"),
);
const certificates: fc.Arbitrary<CertificateFacts> = record({
  fingerprint: fc.stringMatching(/^[0-9a-f]{64}$/),
  issuerName: fc.string({ maxLength: 60 }),
  validFromMs: moment,
  validToMs: moment,
  subject: fc.string({ maxLength: 250 }),
  issuer: fc.string({ maxLength: 250 }),
  serial: fc.stringMatching(/^[0-9a-f]{0,64}$/),
  names: fc.array(fc.domain(), { maxLength: 12 }),
  nameCount: fc.integer({ min: 0, max: 0xffff }),
  keyType: term,
  keyBits: orNull(fc.integer({ min: 0, max: 0xffff })),
  signatureAlgorithm: term,
  isSelfIssued: fc.boolean(),
  isAuthority: fc.boolean(),
  mustStaple: fc.boolean(),
  hasScts: fc.boolean(),
});

/** Connections with their whole chain. */
const wholeTls: fc.Arbitrary<TlsFacts> = record({
  protocol: term,
  cipher: term,
  alpn: orNull(term),
  fitsName: fc.boolean(),
  trustError: orNull(term),
  staple: orNull(
    record({ status: fc.constantFrom(...stapleStatuses), revokedAtMs: orNull(moment) }),
  ),
  chainLength: fc.integer({ min: 1, max: 255 }),
  chain: fc.array(certificates, { minLength: 1, maxLength: maxChainKept }),
  earlierMs: orNull(moment),
}).map(({ earlierMs, ...rest }) => {
  const { fingerprint, issuerName, validFromMs, validToMs } = rest.chain[0] as CertificateFacts;
  const certificate = { fingerprint, issuerName, validFromMs, validToMs };
  const chain = rest.chain.map((each, place) => (place === 0 ? each : { ...each, names: [] }));
  return { ...rest, chain, certificate, chainValidToMs: earlierMs ?? validToMs };
});

function store(facts: TlsFacts): { kept: TlsFacts; bytes: number } {
  const writer = new DetailWriter(maxTlsBytes);
  writeTls(writer, facts);
  const detail = writer.finish();
  return { kept: readTlsDetail(new DetailReader(detail)), bytes: detail.length };
}

test("TLS facts survive encoding, with and without the chain", () => {
  fc.assert(
    fc.property(wholeTls, (facts) => {
      assert.ok(Value.Check(TlsFactsSchema, facts));
      assert.deepEqual(store(facts).kept, facts);
      assert.deepEqual(store(summariseTls(facts)).kept, summariseTls(facts));
    }),
  );
});

const leaf: CertificateFacts = {
  fingerprint: "ab".repeat(32),
  issuerName: "R11",
  validFromMs: 1_790_000_000_000,
  validToMs: 1_797_000_000_000,
  subject: "CN=shop.example",
  issuer: "CN=R11, O=Let's Encrypt, C=US",
  serial: "03".repeat(18),
  names: ["shop.example", "www.shop.example"],
  nameCount: 2,
  keyType: "EC",
  keyBits: 256,
  signatureAlgorithm: "sha256WithRSAEncryption",
  isSelfIssued: false,
  isAuthority: false,
  mustStaple: false,
  hasScts: true,
};
const { fingerprint, issuerName, validFromMs, validToMs } = leaf;
const usual: TlsFacts = {
  protocol: "TLSv1.3",
  cipher: "TLS_AES_128_GCM_SHA256",
  alpn: "h2",
  certificate: { fingerprint, issuerName, validFromMs, validToMs },
  fitsName: true,
  trustError: null,
  staple: null,
  chainLength: 2,
  chainValidToMs: validToMs,
  chain: [leaf, { ...leaf, names: [], subject: "CN=R11, O=Let's Encrypt, C=US" }],
};

test("a typical connection is encoded compactly", () => {
  assert.equal(store(summariseTls(usual)).bytes, 51);
  assert.ok(store(usual).bytes < 450, `${store(usual).bytes} bytes`);
});

test("the largest allowed facts can be encoded", () => {
  const text = (length: number) => "€".repeat(length);
  const huge: CertificateFacts = {
    ...leaf,
    issuerName: text(60),
    subject: text(250),
    issuer: text(250),
    serial: text(64),
    keyType: text(60),
    signatureAlgorithm: text(60),
    names: Array.from({ length: maxNamesKept }, () => text(253)),
  };
  const facts: TlsFacts = {
    ...usual,
    protocol: text(60),
    cipher: text(60),
    alpn: text(60),
    trustError: text(60),
    staple: { status: "revoked", revokedAtMs: 1_000 },
    chain: Array.from({ length: maxChainKept }, () => huge),
  };
  assert.ok(Value.Check(TlsFactsSchema, facts));
  const { kept } = store(facts);
  assert.equal(kept.chain.length, maxChainKept);
  const names = kept.chain[0]?.names ?? [];
  assert.ok(names.join("").length <= maxNamesLength);
});

test("TLS facts are validated against the schema", () => {
  for (const bad of [
    { ...usual, chainLength: 0 },
    { ...usual, certificate: { ...usual.certificate, fingerprint: "XY" } },
    { ...usual, chainValidToMs: -1 },
    { ...usual, chain: Array.from({ length: 11 }, () => leaf) },
    { ...usual, chain: [{ ...leaf, names: Array.from({ length: 101 }, () => "a") }] },
    { ...usual, staple: { status: "fine", revokedAtMs: null } },
    null,
  ]) {
    assert.equal(Value.Check(TlsFactsSchema, bad), false);
  }
});
