import { createHash, type X509Certificate } from "node:crypto";
import { isIPv4 } from "node:net";
import type { TLSSocket } from "node:tls";
import { maxSubjectLength } from "../../../contract/seen-certificate.ts";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import {
  type CertificateFacts,
  maxChainKept,
  maxNameLength,
  maxNamesKept,
  maxNamesLength,
  maxSerialLength,
  maxTermLength,
  type Staple,
  type TlsFacts,
} from "./tls-facts.ts";

/** A value in DER (X.690), the encoding of certificates. Malformed input is read as `null`. */
export interface DerValue {
  readonly tag: number;
  /** Offset of the first content byte in the buffer. */
  readonly from: number;
  readonly to: number;
  /** Offset of the tag, where the value starts. The value ends at `to`. */
  readonly at: number;
}

export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const;

/** Reads the value at an offset. The value must end at or before `end`, the end of its parent. */
export function readDer(bytes: Uint8Array, at: number, end: number): DerValue | null {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || at + 2 > end) return null;
  // Multi-byte tags are rejected, because certificates and OCSP responses do not contain them.
  if ((tag & 0x1f) === 0x1f) return null;
  let from = at + 2;
  let length = first;
  if (first >= 0x80) {
    const count = first & 0x7f;
    // Count 0 means an indefinite length, which DER forbids.
    if (count === 0 || count > 4) return null;
    length = 0;
    for (let place = 0; place < count; place += 1)
      length = length * 256 + (bytes[from + place] ?? 0);
    from += count;
  }
  const to = from + length;
  return to <= end && to <= bytes.length ? { tag, from, to, at } : null;
}

/**
 * Lists the child values of a value, at most `most`; returns `null` if one of them is malformed.
 */
export function listDer(bytes: Uint8Array, parent: DerValue, most: number): DerValue[] | null {
  const found: DerValue[] = [];
  for (let at = parent.from; at < parent.to && found.length < most; ) {
    const value = readDer(bytes, at, parent.to);
    if (value === null) return null;
    found.push(value);
    at = value.to;
  }
  return found;
}

/** Returns the first child value; `null` if it does not have the expected tag. */
export function enterDer(bytes: Uint8Array, parent: DerValue | null, tag: number): DerValue | null {
  const inner = parent === null ? null : readDer(bytes, parent.from, parent.to);
  return inner?.tag === tag ? inner : null;
}

export function contentOf(bytes: Uint8Array, value: DerValue): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + value.from, value.to - value.from);
}

export function hexOf(bytes: Uint8Array, value: DerValue): string {
  return contentOf(bytes, value).toString("hex");
}

/** Object identifiers of certificate extensions, as hexadecimal bytes. */
const oids = {
  subjectAltName: "551d11",
  tlsFeature: "2b06010505070118",
  scts: "2b06010401d679020402",
} as const;

const maxExtensions = 60;
/** Maximum number of names to read. This is more than fits into the 100 kB that OpenSSL reads. */
const maxNamesRead = 20_000;

/** Cache of parsed certificates, because most runs receive the certificates of earlier runs. */
const remembered = new BoundedMap<string, CertificateFacts>(2_000);

/** Reads the facts of a certificate. Never throws, because an invalid field becomes empty. */
export function readCertificate(certificate: X509Certificate): CertificateFacts {
  const fingerprint = fingerprintOf(certificate);
  return remembered.getOrCreate(fingerprint, () => readFacts(certificate, fingerprint));
}

function fingerprintOf({ raw }: Pick<X509Certificate, "raw">): string {
  return createHash("sha256").update(raw).digest("hex");
}

function readFacts(certificate: X509Certificate, fingerprint: string): CertificateFacts {
  const read = <Value>(get: () => Value, otherwise: Value) => orElse(get, otherwise);
  const subject = read(() => certificate.subject ?? "", "");
  const issuer = read(() => certificate.issuer ?? "", "");
  const { raw } = certificate;
  const extensions = findExtensions(raw);
  const names = extensions.get(oids.subjectAltName);
  const feature = extensions.get(oids.tlsFeature);
  return {
    fingerprint,
    issuerName: nameOf(issuer),
    validFromMs: read(() => toTimeMs(certificate.validFromDate), 0),
    validToMs: read(() => toTimeMs(certificate.validToDate), 0),
    subject: flatten(subject),
    issuer: flatten(issuer),
    serial: toShortLine(read(() => certificate.serialNumber, "").toLowerCase(), maxSerialLength),
    ...readNames(raw, names),
    ...readKey(certificate),
    signatureAlgorithm: toShortLine(
      read(() => certificate.signatureAlgorithm ?? "", "") || "unknown",
      maxTermLength,
    ),
    isSelfIssued: subject === issuer,
    isAuthority: read(() => certificate.ca, false),
    mustStaple: feature !== undefined && demandsStaple(raw, feature),
    hasScts: extensions.has(oids.scts),
  };
}

function orElse<Value>(get: () => Value, otherwise: Value): Value {
  try {
    return get();
  } catch {
    return otherwise;
  }
}

/** Latest time that fits into the storage format: five bytes of seconds. */
const maxTimeMs = (2 ** 40 - 1) * 1_000;

/** Converts a date to milliseconds. An invalid date, or a date before 1970, becomes 0. */
function toTimeMs(date: Date): number {
  const ms = date.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), maxTimeMs);
}

/**
 * Formats a subject or issuer in one line, with the most specific attribute first. Node returns one
 * attribute per line in the opposite order.
 */
function flatten(name: string): string {
  const parts = name.slice(0, 4 * maxSubjectLength).split("\n");
  return toShortLine(parts.reverse().join(", "), maxSubjectLength);
}

function nameOf(issuer: string): string {
  const lines = issuer.slice(0, 4 * maxSubjectLength).split("\n");
  const find = (key: string) => lines.findLast((line) => line.startsWith(key))?.slice(key.length);
  return toShortLine(find("CN=") ?? find("O=") ?? issuer, maxTermLength);
}

const keyTypes: Readonly<Record<string, string>> = {
  rsa: "RSA",
  "rsa-pss": "RSA-PSS",
  dsa: "DSA",
  ec: "EC",
  ed25519: "Ed25519",
  ed448: "Ed448",
};
const curveBits: Readonly<Record<string, number>> = {
  prime256v1: 256,
  secp224r1: 224,
  secp256k1: 256,
  secp384r1: 384,
  secp521r1: 521,
  brainpoolP256r1: 256,
  brainpoolP384r1: 384,
  brainpoolP512r1: 512,
};
const fixedBits: Readonly<Record<string, number>> = { ed25519: 256, ed448: 456 };

function readKey(certificate: X509Certificate): Pick<CertificateFacts, "keyType" | "keyBits"> {
  try {
    const { asymmetricKeyType: type = "unknown", asymmetricKeyDetails } = certificate.publicKey;
    const { modulusLength, namedCurve = "" } = asymmetricKeyDetails ?? {};
    const keyBits = modulusLength ?? curveBits[namedCurve] ?? fixedBits[type] ?? null;
    const keyType = keyTypes[type] ?? type.toUpperCase();
    return {
      keyType: toShortLine(keyType, maxTermLength),
      keyBits: keyBits === null ? null : Math.min(keyBits, 0xffff),
    };
  } catch {
    return { keyType: "unknown", keyBits: null };
  }
}

/** Returns the content of each certificate extension by object identifier. */
function findExtensions(raw: Uint8Array): ReadonlyMap<string, DerValue> {
  const found = new Map<string, DerValue>();
  const whole = readDer(raw, 0, raw.length);
  const signed = enterDer(raw, whole, derTags.sequence);
  const fields = signed === null ? null : listDer(raw, signed, 12);
  const list = fields?.find(({ tag }) => tag === 0xa3);
  const sequence = enterDer(raw, list ?? null, derTags.sequence);
  const extensions = sequence === null ? null : listDer(raw, sequence, maxExtensions);
  for (const extension of extensions ?? []) {
    const parts = listDer(raw, extension, 3) ?? [];
    const [id] = parts;
    const octets = parts.at(-1);
    if (id?.tag !== derTags.oid || octets?.tag !== derTags.octetString) continue;
    found.set(hexOf(raw, id), octets);
  }
  return found;
}

/** Returns whether TLS feature 5 (`status_request`) is present, which requires OCSP stapling. */
function demandsStaple(raw: Uint8Array, octets: DerValue): boolean {
  const sequence = enterDer(raw, octets, derTags.sequence);
  const features = sequence === null ? null : listDer(raw, sequence, 10);
  return features?.some((feature) => hexOf(raw, feature) === "05") ?? false;
}

const dnsName = 0x82;
const ipAddress = 0x87;

function readNames(
  raw: Uint8Array,
  octets: DerValue | undefined,
): Pick<CertificateFacts, "names" | "nameCount"> {
  const sequence = enterDer(raw, octets ?? null, derTags.sequence);
  const all = sequence === null ? null : listDer(raw, sequence, maxNamesRead);
  const usable = (all ?? []).filter(({ tag }) => tag === dnsName || tag === ipAddress);
  const names: string[] = [];
  let remainingLength = maxNamesLength;
  for (const value of usable.slice(0, maxNamesKept)) {
    const content = contentOf(raw, value).subarray(0, 4 * maxNameLength);
    const isAddress = value.tag === ipAddress;
    const name = isAddress ? writeAddress(content) : content.toString("latin1");
    const shown = toShortLine(name, maxNameLength);
    remainingLength -= shown.length;
    if (remainingLength < 0) break;
    names.push(shown);
  }
  return { names, nameCount: usable.length };
}

function writeAddress(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) return "";
  const groups = bytes.toString("hex").match(/.{4}/g) ?? [];
  return URL.parse(`http://[${groups.join(":")}]`)?.hostname.slice(1, -1) ?? "";
}

/**
 * Returns whether a certificate matches a host by RFC 9525. Only subject alternative names count,
 * not the common name. A wildcard stands for one whole label.
 */
export function isForHost(certificate: X509Certificate, host: string): boolean {
  const isAddress = host.includes(":") || isIPv4(host);
  return orElse(() => {
    if (isAddress) return certificate.checkIP(host) !== undefined;
    const rules = {
      subject: "never",
      partialWildcards: false,
      multiLabelWildcards: false,
    } as const;
    return certificate.checkHost(host, rules) !== undefined;
  }, false);
}

/** Reads the OCSP response that the server stapled to its certificate (`ocsp-staple.ts`). */
export type StapleReader = (
  certificate: X509Certificate,
  /** Certificate of the issuer; undefined if the server did not send one. */
  issuer: X509Certificate | undefined,
) => Staple;

/** Maximum number of certificates of a chain to read. OpenSSL itself stops at 100 kB. */
const maxChainRead = 200;

/**
 * Reads the facts of a completed handshake; returns `null` if the server presented no certificate.
 *
 * The socket must have been created with `rejectUnauthorized: false` and `checkServerIdentity: ()
 * => undefined`. `host` is the name that the certificate must match, or an address if there is no
 * server name.
 */
export function readTls(
  socket: TLSSocket,
  host: string,
  toStaple: StapleReader | null = null,
): TlsFacts | null {
  const sent = listChain(socket.getPeerX509Certificate());
  const [leaf] = sent;
  if (leaf === undefined) return null;
  const chain = sent.slice(0, maxChainKept).map((certificate, place) => {
    const facts = readCertificate(certificate);
    return place === 0 ? facts : { ...facts, names: [] };
  });
  const [own] = chain;
  if (own === undefined) return null;
  const { fingerprint, issuerName, validFromMs, validToMs } = own;
  const { standardName, name } = socket.getCipher() ?? { standardName: "", name: "" };
  const issuer = toStaple && sent.find((other) => leaf.checkIssued(other));
  return {
    protocol: toTerm(socket.getProtocol() ?? "unknown"),
    cipher: toTerm(standardName || name),
    alpn: typeof socket.alpnProtocol === "string" ? toTerm(socket.alpnProtocol) : null,
    certificate: { fingerprint, issuerName, validFromMs, validToMs },
    fitsName: isForHost(leaf, host),
    trustError: socket.authorized ? null : toTerm(readTrustError(socket)),
    staple: toStaple?.(leaf, issuer ?? undefined) ?? null,
    chainLength: sent.length,
    chainValidToMs: Math.min(...chain.map((certificate) => certificate.validToMs)),
    chain,
  };
}

function listChain(leaf: X509Certificate | undefined): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = leaf;
  while (next !== undefined && chain.length < maxChainRead) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

/**
 * Returns OpenSSL's name of the trust error. Node declares `authorizationError` as an Error, but
 * its value is this name.
 */
function readTrustError({ authorizationError }: TLSSocket): string {
  const error: unknown = authorizationError;
  if (typeof error === "string") return error;
  const hasCode = typeof error === "object" && error !== null && "code" in error;
  return hasCode ? String(error.code) : "UNKNOWN";
}

function toTerm(text: string): string {
  return toShortLine(text, maxTermLength);
}
