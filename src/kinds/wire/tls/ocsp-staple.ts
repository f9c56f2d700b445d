import { type KeyObject, verify, X509Certificate } from "node:crypto";
import {
  contentOf,
  type DerValue,
  derTags,
  enterDer,
  hexOf,
  listDer,
  readDer,
  type StapleReader,
} from "./read-tls.ts";
import type { Staple } from "./tls-facts.ts";

/** Parses a GeneralizedTime in the form that OCSP uses, such as 20261122101112Z. */
function readGeneralizedTime(bytes: Uint8Array, value: DerValue | undefined): number | null {
  if (value?.tag !== derTags.generalizedTime) return null;
  const text = contentOf(bytes, value).toString("latin1");
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(text) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}

interface StapleReadOptions {
  readonly certificate: X509Certificate;
  /** The issuer's certificate, which verifies the signature; undefined if the server sent none. */
  readonly issuer: X509Certificate | undefined;
  readonly nowMs: number;
}

const invalid: Staple = { status: "invalid", revokedAtMs: null };
const maxStapleBytes = 64 * 1_024;
const basicResponse = "2b0601050507300101";
/** Tolerated difference between this machine's clock and the clock of the OCSP responder. */
const clockSlackMs = 5 * 60_000;

/**
 * Returns a reader for the OCSP response that a server stapled; `null` if the server stapled none.
 */
export function createStapleReader(bytes: Uint8Array | null, nowMs: number): StapleReader | null {
  return bytes && ((certificate, issuer) => readStaple(bytes, { certificate, issuer, nowMs }));
}

/**
 * Validates and reads an OCSP response (RFC 6960) about one certificate. The response must be
 * signed by the certificate's issuer or by a signer that the issuer delegated to.
 */
export function readStaple(bytes: Uint8Array, options: StapleReadOptions): Staple {
  try {
    return parseStaple(bytes, options) ?? invalid;
  } catch {
    return invalid;
  }
}

function parseStaple(bytes: Uint8Array, options: StapleReadOptions): Staple | null {
  if (bytes.length > maxStapleBytes) return null;
  const basic = findBasicResponse(bytes);
  if (basic === null) return null;
  const [data, algorithm, signature, extra] = listDer(bytes, basic, 4) ?? [];
  if (data?.tag !== derTags.sequence || algorithm === undefined || signature === undefined) {
    return null;
  }
  const signed = {
    bytes: bytes.subarray(data.at, data.to),
    hash: hashOf(hexOf(bytes, enterDer(bytes, algorithm, derTags.oid) ?? algorithm)),
    // The first byte of a DER bit string is skipped, because it contains the number of unused bits.
    signature: contentOf(bytes, signature).subarray(1),
  };
  const keys = listSigners(bytes, extra, options.issuer);
  if (!keys.some((key) => isSignedBy(signed, key))) return null;
  return findStatus(bytes, data, options);
}

/** Finds the response in OCSPResponse { status 0, [0] { id, octets of BasicOCSPResponse } }. */
function findBasicResponse(bytes: Uint8Array): DerValue | null {
  const whole = readDer(bytes, 0, bytes.length);
  const [status, wrapper] = (whole && listDer(bytes, whole, 2)) ?? [];
  if (status === undefined || hexOf(bytes, status) !== "00") return null;
  const [id, octets] =
    listDer(bytes, enterDer(bytes, wrapper ?? null, derTags.sequence) ?? status, 2) ?? [];
  if (id === undefined || hexOf(bytes, id) !== basicResponse) return null;
  return enterDer(bytes, octets ?? null, derTags.sequence);
}

const hashes: Readonly<Record<string, string | null>> = {
  "2a864886f70d010105": "sha1",
  "2a864886f70d01010b": "sha256",
  "2a864886f70d01010c": "sha384",
  "2a864886f70d01010d": "sha512",
  "2a8648ce3d040302": "sha256",
  "2a8648ce3d040303": "sha384",
  "2a8648ce3d040304": "sha512",
  "2b6570": null,
};

function hashOf(oid: string): string | null {
  const hash = hashes[oid];
  if (hash === undefined) throw new Error("The staple has an unsupported signature algorithm.");
  return hash;
}

function isSignedBy(
  signed: { readonly bytes: Uint8Array; readonly hash: string | null; readonly signature: Buffer },
  key: KeyObject,
): boolean {
  try {
    return verify(signed.hash, signed.bytes, key, signed.signature);
  } catch {
    return false;
  }
}

/** Returns the public keys of the issuer and of the signers that the issuer has delegated to. */
function listSigners(
  bytes: Uint8Array,
  extra: DerValue | undefined,
  issuer: X509Certificate | undefined,
): KeyObject[] {
  if (issuer === undefined) return [];
  const sequence = extra?.tag === 0xa0 ? enterDer(bytes, extra, derTags.sequence) : null;
  const delegates = ((sequence && listDer(bytes, sequence, 3)) ?? [])
    .map(({ at, to }) => new X509Certificate(bytes.subarray(at, to)))
    .filter(({ keyUsage }) => (keyUsage ?? []).includes("1.3.6.1.5.5.7.3.9"))
    .filter((delegate) => delegate.checkIssued(issuer) && delegate.verify(issuer.publicKey));
  return [issuer.publicKey, ...delegates.map(({ publicKey }) => publicKey)];
}

const maxResponses = 50;

/** Finds the status in ResponseData { [0] version?, responder, produced, responses … }. */
function findStatus(bytes: Uint8Array, data: DerValue, options: StapleReadOptions): Staple | null {
  const fields = listDer(bytes, data, 6) ?? [];
  const responses = fields.find(({ tag }) => tag === derTags.sequence);
  const serial = BigInt(`0x${options.certificate.serialNumber}`);
  for (const single of (responses && listDer(bytes, responses, maxResponses)) ?? []) {
    const [id, status, thisUpdate, nextUpdate] = listDer(bytes, single, 5) ?? [];
    const [, , , serialValue] = (id && listDer(bytes, id, 4)) ?? [];
    if (status === undefined || serialValue === undefined) continue;
    if (BigInt(`0x${hexOf(bytes, serialValue)}`) !== serial) continue;
    return isCurrent(bytes, thisUpdate, nextUpdate, options.nowMs)
      ? readStatus(bytes, status)
      : null;
  }
  return null;
}

function isCurrent(
  bytes: Uint8Array,
  thisUpdate: DerValue | undefined,
  nextUpdate: DerValue | undefined,
  nowMs: number,
): boolean {
  const fromMs = readGeneralizedTime(bytes, thisUpdate);
  const isBounded = nextUpdate?.tag === 0xa0;
  const inner = isBounded ? enterDer(bytes, nextUpdate, derTags.generalizedTime) : null;
  const untilMs = readGeneralizedTime(bytes, inner ?? undefined);
  if (fromMs === null || fromMs > nowMs + clockSlackMs) return false;
  return isBounded ? untilMs !== null && untilMs >= nowMs - clockSlackMs : true;
}

function readStatus(bytes: Uint8Array, status: DerValue): Staple {
  if (status.tag === 0x80) return { status: "good", revokedAtMs: null };
  if (status.tag === 0x82) return { status: "unknown", revokedAtMs: null };
  if (status.tag !== 0xa1) return invalid;
  const at = enterDer(bytes, status, derTags.generalizedTime);
  return { status: "revoked", revokedAtMs: readGeneralizedTime(bytes, at ?? undefined) };
}
