import { Type } from "typebox";
import { maxSubjectLength, type SeenCertificate } from "../../../contract/seen-certificate.ts";
import type { ChangeText } from "../../kit/secrets.ts";

/** Latest time whose year has four digits. */
export const maxDateMs = Date.UTC(9999, 11, 31, 23, 59, 59);

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Formats a date such as "22 November 2026". */
export function writeDay(ms: number): string {
  const date = new Date(Math.min(ms, maxDateMs));
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/**
 * Facts about a TLS connection. Texts from the server are formatted as one line of limited length.
 */

/** Maximum number of stored certificates. `chainLength` counts all certificates of the chain. */
export const maxChainKept = 10;
/** Maximum number of stored names of a certificate. `nameCount` is the number of all names. */
export const maxNamesKept = 100;
export const maxNameLength = 253;
/** Maximum total length of the stored names of a certificate. */
export const maxNamesLength = 4_000;
export const maxSerialLength = 64;
/** Maximum length of the names of algorithms, protocols and errors. */
export const maxTermLength = 60;

/** The facts about a server's certificate that are stored for every TLS connection. */
export interface CertificateSummary {
  /** SHA-256 of the certificate as 64 lower-case hexadecimal digits. */
  readonly fingerprint: string;
  /**
   * Common name of the issuer, such as "R11". If there is none, its organisation, such as "Example
   * CA".
   */
  readonly issuerName: string;
  readonly validFromMs: number;
  readonly validToMs: number;
}

export interface CertificateFacts extends CertificateSummary {
  /** Subject of the certificate, such as "CN=shop.example, O=Shop". */
  readonly subject: string;
  readonly issuer: string;
  /** Serial number in hexadecimal digits, truncated if too long. */
  readonly serial: string;
  /** Domain names and IP addresses. Stored for the server's own certificate only. */
  readonly names: readonly string[];
  readonly nameCount: number;
  /** Type of the public key, such as "RSA", "EC" or "Ed25519". */
  readonly keyType: string;
  /** Size of the public key in bits; `null` if it is unknown or not comparable. */
  readonly keyBits: number | null;
  /** Signature algorithm by OpenSSL's name, such as "sha256WithRSAEncryption". */
  readonly signatureAlgorithm: string;
  /** Whether issuer and subject are equal. */
  readonly isSelfIssued: boolean;
  readonly isAuthority: boolean;
  /** Whether the certificate requires OCSP stapling. */
  readonly mustStaple: boolean;
  /** Whether the certificate contains signed certificate timestamps. */
  readonly hasScts: boolean;
}

export const stapleStatuses = ["good", "revoked", "unknown", "invalid"] as const;

/** Result of the stapled OCSP response, the only revocation check of this service. */
export interface Staple {
  /**
   * `invalid` if the response is unreadable, expired, not properly signed or about another
   * certificate.
   */
  readonly status: (typeof stapleStatuses)[number];
  /** Time of the revocation; `null` if the certificate was not revoked or the time is invalid. */
  readonly revokedAtMs: number | null;
}

export interface TlsFacts {
  /** Negotiated protocol version, such as "TLSv1.3". */
  readonly protocol: string;
  /** IANA name of the cipher suite, such as "TLS_AES_128_GCM_SHA256". */
  readonly cipher: string;
  /** Application protocol negotiated by ALPN; `null` if none was negotiated. */
  readonly alpn: string | null;
  readonly certificate: CertificateSummary;
  /** Whether the certificate matches the server name. */
  readonly fitsName: boolean;
  /** OpenSSL's name of the trust error, such as "CERT_HAS_EXPIRED"; `null` for a trusted chain. */
  readonly trustError: string | null;
  /** Result of the stapled OCSP response; `null` if the server stapled none. */
  readonly staple: Staple | null;
  readonly chainLength: number;
  /** Earliest expiry among the first `maxChainKept` certificates that the server sent. */
  readonly chainValidToMs: number;
  /**
   * Certificates that the server sent, at most `maxChainKept`, beginning with the server's own
   * certificate. Empty if only `certificate` is stored.
   */
  readonly chain: readonly CertificateFacts[];
}

/** Returns the facts without the chain, for results that need only the server's own certificate. */
export function summariseTls(facts: TlsFacts): TlsFacts {
  return { ...facts, chain: [] };
}

export function toSeenCertificate(host: string, { certificate }: TlsFacts): SeenCertificate {
  const { fingerprint, issuerName, validToMs } = certificate;
  return { host, fingerprint, issuer: issuerName, expiresAtMs: validToMs };
}

const dayMs = 86_400_000;

/** Returns the days until expiry, rounded down. The number is negative after expiry. */
export function computeDaysLeft(validToMs: number, nowMs: number): number {
  return Math.floor((validToMs - nowMs) / dayMs);
}

const TimeMs = Type.Integer({ minimum: 0, maximum: 2 ** 40 * 1_000 });
const Term = Type.String({ maxLength: maxTermLength });
const OrNone = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const summary = {
  fingerprint: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  issuerName: Term,
  validFromMs: TimeMs,
  validToMs: TimeMs,
};

const Certificate = Type.Object({
  ...summary,
  subject: Type.String({ maxLength: maxSubjectLength }),
  issuer: Type.String({ maxLength: maxSubjectLength }),
  serial: Type.String({ maxLength: maxSerialLength }),
  names: Type.Array(Type.String({ maxLength: maxNameLength }), { maxItems: maxNamesKept }),
  nameCount: Type.Integer({ minimum: 0, maximum: 0xffff }),
  keyType: Term,
  keyBits: OrNone(Type.Integer({ minimum: 0, maximum: 0xffff })),
  signatureAlgorithm: Term,
  isSelfIssued: Type.Boolean(),
  isAuthority: Type.Boolean(),
  mustStaple: Type.Boolean(),
  hasScts: Type.Boolean(),
});

/** Schema of TLS facts in the measurements that probes send. */
export const TlsFactsSchema = Type.Object({
  protocol: Term,
  cipher: Term,
  alpn: OrNone(Term),
  certificate: Type.Object(summary),
  fitsName: Type.Boolean(),
  trustError: OrNone(Term),
  staple: OrNone(
    Type.Object({
      status: Type.Enum([...stapleStatuses]),
      revokedAtMs: OrNone(TimeMs),
    }),
  ),
  chainLength: Type.Integer({ minimum: 1, maximum: 0xff }),
  chainValidToMs: TimeMs,
  chain: Type.Array(Certificate, { maxItems: maxChainKept }),
});

function mapCertificate(facts: CertificateFacts, change: ChangeText): CertificateFacts {
  return {
    ...facts,
    issuerName: change(facts.issuerName),
    subject: change(facts.subject),
    issuer: change(facts.issuer),
    names: facts.names.map(change),
  };
}

/** Applies `change` to each text that names a host or a certificate authority. */
export function mapTlsTexts(tls: TlsFacts, change: ChangeText): TlsFacts {
  const { certificate, chain } = tls;
  return {
    ...tls,
    certificate: { ...certificate, issuerName: change(certificate.issuerName) },
    chain: chain.map((each) => mapCertificate(each, change)),
  };
}
