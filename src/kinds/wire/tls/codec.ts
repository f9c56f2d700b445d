import type { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import {
  type CertificateFacts,
  type CertificateSummary,
  maxChainKept,
  maxNamesKept,
  maxNamesLength,
  type Staple,
  stapleStatuses,
  type TlsFacts,
} from "./tls-facts.ts";

/**
 * Encoding of TLS facts: about 60 bytes without the chain, some hundred bytes per certificate with
 * the chain.
 *
 *     u8   flags
 *     term protocol, cipher; then ALPN and the trust error, if any
 *     u8   number of certificates sent
 *     time first expiry in the chain, unless equal to the expiry of the server's own certificate
 *     u8   status of the OCSP staple, if there is one, and time of revocation
 *     sum  summary of the server's certificate; or u8 count, and each certificate in full
 *
 * A term in the list below is encoded as one byte, its index. Any other term is encoded as 0 and
 * the text, prefixed with its length as u8. New terms must be appended to the list, because stored
 * details contain the indexes. A time is encoded as five bytes of seconds.
 */
const terms = [
  "",
  "TLSv1.3",
  "TLSv1.2",
  "TLSv1.1",
  "TLSv1",
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
  "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
  "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
  "http/1.1",
  "h2",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "RSA",
  "EC",
  "Ed25519",
  "sha256WithRSAEncryption",
  "sha384WithRSAEncryption",
  "sha512WithRSAEncryption",
  "ecdsa-with-SHA256",
  "ecdsa-with-SHA384",
  "ecdsa-with-SHA512",
] as const satisfies readonly string[];
const termPlaces: ReadonlyMap<string, number> = new Map(terms.map((term, at) => [term, at]));

const fitsName = 1;
const hasAlpn = 2;
const hasTrustError = 4;
const hasStaple = 8;
const wasRevoked = 16;
const hasChain = 32;
const expiresEarlier = 64;

const isSelfIssued = 1;
const isAuthority = 2;
const mustStaple = 4;
const hasScts = 8;
const hasKeyBits = 16;

const maxTextBytes = 256;
const maxCertificateBytes = 32 + 2 * 5 + 8 * maxTextBytes;
export const maxTlsBytes =
  6 * maxTextBytes + maxChainKept * maxCertificateBytes + 3 * maxNamesLength + maxNamesKept;

export function writeTls(writer: DetailWriter, facts: TlsFacts): void {
  const { alpn, trustError, staple, chain, certificate } = facts;
  const isEarlier = facts.chainValidToMs !== certificate.validToMs;
  const revokedAtMs = staple?.revokedAtMs ?? null;
  let flags = facts.fitsName ? fitsName : 0;
  if (alpn !== null) flags |= hasAlpn;
  if (trustError !== null) flags |= hasTrustError;
  if (staple !== null) flags |= hasStaple;
  if (revokedAtMs !== null) flags |= wasRevoked;
  if (chain.length > 0) flags |= hasChain;
  if (isEarlier) flags |= expiresEarlier;
  writer.byte(flags);
  writeTerm(writer, facts.protocol);
  writeTerm(writer, facts.cipher);
  if (alpn !== null) writeTerm(writer, alpn);
  if (trustError !== null) writeTerm(writer, trustError);
  writer.byte(facts.chainLength);
  if (isEarlier) writeTime(writer, facts.chainValidToMs);
  if (staple !== null) writer.byte(stapleStatuses.indexOf(staple.status));
  if (revokedAtMs !== null) writeTime(writer, revokedAtMs);
  if (chain.length === 0) {
    writeSummary(writer, certificate);
    return;
  }
  const kept = chain.slice(0, maxChainKept);
  writer.byte(kept.length);
  for (const [place, each] of kept.entries()) {
    writeCertificate(writer, each, place === 0 ? each.names : []);
  }
}

export function readTlsDetail(reader: DetailReader): TlsFacts {
  const flags = reader.byte();
  const has = (flag: number) => (flags & flag) !== 0;
  const protocol = readTerm(reader);
  const cipher = readTerm(reader);
  const alpn = has(hasAlpn) ? readTerm(reader) : null;
  const trustError = has(hasTrustError) ? readTerm(reader) : null;
  const chainLength = reader.byte();
  const earlierMs = has(expiresEarlier) ? readTime(reader) : null;
  const staple = has(hasStaple) ? readStapleDetail(reader, has(wasRevoked)) : null;
  const count = has(hasChain) ? reader.byte() : 0;
  const chain = Array.from({ length: count }, () => readCertificateDetail(reader));
  const [own] = chain;
  const certificate = own === undefined ? readSummary(reader) : toSummary(own);
  return {
    protocol,
    cipher,
    alpn,
    certificate,
    fitsName: has(fitsName),
    trustError,
    staple,
    chainLength,
    chainValidToMs: earlierMs ?? certificate.validToMs,
    chain,
  };
}

function toSummary(facts: CertificateFacts): CertificateSummary {
  const { fingerprint, issuerName, validFromMs, validToMs } = facts;
  return { fingerprint, issuerName, validFromMs, validToMs };
}

function readStapleDetail(reader: DetailReader, isRevoked: boolean): Staple {
  const status = stapleStatuses[reader.byte()] ?? "invalid";
  return { status, revokedAtMs: isRevoked ? readTime(reader) : null };
}

function writeTerm(writer: DetailWriter, term: string): void {
  const place = termPlaces.get(term) ?? 0;
  writer.byte(place);
  if (place === 0) writer.text(term);
}

function readTerm(reader: DetailReader): string {
  const place = reader.byte();
  return place === 0 ? reader.text() : (terms[place] ?? "unknown");
}

function writeTime(writer: DetailWriter, ms: number): void {
  const seconds = Math.floor(ms / 1_000);
  writer.byte(Math.floor(seconds / 2 ** 32));
  writer.long(seconds % 2 ** 32);
}

function readTime(reader: DetailReader): number {
  const high = reader.byte();
  return (high * 2 ** 32 + reader.long()) * 1_000;
}

const fingerprintBytes = 32;

function writeSummary(writer: DetailWriter, summary: CertificateSummary): void {
  const fingerprint = Buffer.alloc(fingerprintBytes);
  fingerprint.write(summary.fingerprint, "hex");
  writer.bytes(fingerprint);
  writeTime(writer, summary.validFromMs);
  writeTime(writer, summary.validToMs);
  writer.text(summary.issuerName);
}

function readSummary(reader: DetailReader): CertificateSummary {
  return {
    fingerprint: reader.bytes(fingerprintBytes).toString("hex"),
    validFromMs: readTime(reader),
    validToMs: readTime(reader),
    issuerName: reader.text(),
  };
}

function writeCertificate(
  writer: DetailWriter,
  facts: CertificateFacts,
  names: readonly string[],
): void {
  const { keyBits } = facts;
  let flags = facts.isSelfIssued ? isSelfIssued : 0;
  if (facts.isAuthority) flags |= isAuthority;
  if (facts.mustStaple) flags |= mustStaple;
  if (facts.hasScts) flags |= hasScts;
  if (keyBits !== null) flags |= hasKeyBits;
  writeSummary(writer, facts);
  writer.byte(flags);
  writer.text(facts.subject);
  writer.text(facts.issuer);
  writer.text(facts.serial);
  writeTerm(writer, facts.keyType);
  if (keyBits !== null) writer.short(keyBits);
  writeTerm(writer, facts.signatureAlgorithm);
  writer.short(facts.nameCount);
  const keptNames = names.slice(0, maxNamesKept);
  writer.byte(keptNames.length);
  let remainingLength = maxNamesLength;
  for (const name of keptNames) {
    const kept = name.slice(0, Math.max(0, remainingLength));
    remainingLength -= kept.length;
    writer.text(kept);
  }
}

function readCertificateDetail(reader: DetailReader): CertificateFacts {
  const summary = readSummary(reader);
  const flags = reader.byte();
  const has = (flag: number) => (flags & flag) !== 0;
  return {
    ...summary,
    subject: reader.text(),
    issuer: reader.text(),
    serial: reader.text(),
    keyType: readTerm(reader),
    keyBits: has(hasKeyBits) ? reader.short() : null,
    signatureAlgorithm: readTerm(reader),
    nameCount: reader.short(),
    names: Array.from({ length: reader.byte() }, () => reader.text()),
    isSelfIssued: has(isSelfIssued),
    isAuthority: has(isAuthority),
    mustStaple: has(mustStaple),
    hasScts: has(hasScts),
  };
}
