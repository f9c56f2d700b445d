/** What a TLS connection showed of itself. Text of the server is clean and bounded. */

/** So many certificates of a chain are kept; `chainLength` says how many were sent. */
export const maxChainKept = 10;
/** So many names of a certificate are kept; `nameCount` says how many it has. */
export const maxNamesKept = 100;
export const maxNameLength = 253;
/** Characters of all names that are kept of a certificate. */
export const maxNamesLength = 4_000;
/** Characters of a subject or an issuer. */
export const maxSubjectLength = 250;
export const maxSerialLength = 64;
/** Characters of the names of algorithms, protocols and errors. */
export const maxTermLength = 60;

/** What every TLS connection is remembered by. */
export interface CertificateSummary {
  /** SHA-256 over the certificate: 64 hexadecimal digits in lower case. */
  readonly fingerprint: string;
  /** The name of the issuer, or its organisation: "R11", "Example CA". */
  readonly issuerName: string;
  readonly validFromMs: number;
  readonly validToMs: number;
}

export interface CertificateFacts extends CertificateSummary {
  /** "CN=shop.example, O=Shop" */
  readonly subject: string;
  readonly issuer: string;
  /** Hexadecimal digits; longer ones are cut. */
  readonly serial: string;
  /** Domain names and addresses that it is for; kept of the server's own certificate only. */
  readonly names: readonly string[];
  readonly nameCount: number;
  /** "RSA", "EC", "Ed25519" … */
  readonly keyType: string;
  /** Null: a key of that type has no size that could be compared. */
  readonly keyBits: number | null;
  /** "sha256WithRSAEncryption" */
  readonly signatureAlgorithm: string;
  /** Issuer and subject are the same. */
  readonly isSelfIssued: boolean;
  readonly isAuthority: boolean;
  /** It demands that servers staple a proof that it has not been revoked. */
  readonly mustStaple: boolean;
  /** It carries proofs that it is in public logs (SCTs). */
  readonly hasScts: boolean;
}

export const stapleStatuses = ["good", "revoked", "unknown", "invalid"] as const;

/** What the server stapled about revocation (OCSP). Nothing is looked up beyond it. */
export interface Staple {
  /** `invalid`: not readable, about another certificate, out of date, or not signed properly. */
  readonly status: (typeof stapleStatuses)[number];
  /** When it was revoked; null: it was not. */
  readonly revokedAtMs: number | null;
}

export interface TlsFacts {
  /** "TLSv1.3" */
  readonly protocol: string;
  /** By its IANA name: "TLS_AES_128_GCM_SHA256". */
  readonly cipher: string;
  /** Null: none was negotiated. */
  readonly alpn: string | null;
  readonly certificate: CertificateSummary;
  /** The certificate is for the name that was asked for. */
  readonly fitsName: boolean;
  /** Why the chain is not trusted, by OpenSSL's name: "CERT_HAS_EXPIRED". Null: it is. */
  readonly trustError: string | null;
  /** Null: none was sent. */
  readonly staple: Staple | null;
  readonly chainLength: number;
  /** When the first certificate of those that were sent expires. */
  readonly chainValidToMs: number;
  /** The server's own certificate first; empty where only the summary is kept. */
  readonly chain: readonly CertificateFacts[];
}

/** Without the chain, as a connection is kept that has nothing wrong with it. */
export function summariseTls(facts: TlsFacts): TlsFacts {
  return { ...facts, chain: [] };
}

/** For alerts on its expiry. */
export function toSeenCertificate(host: string, { certificate }: TlsFacts) {
  const { fingerprint, issuerName, validToMs } = certificate;
  return { host, fingerprint, issuer: issuerName, expiresAtMs: validToMs };
}

const dayMs = 86_400_000;

/** Whole days, rounded down: less than a day is 0, and below 0 it has expired. */
export function computeDaysLeft(validToMs: number, nowMs: number): number {
  return Math.floor((validToMs - nowMs) / dayMs);
}
