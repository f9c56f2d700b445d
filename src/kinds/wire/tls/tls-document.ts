import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, OrNull } from "../../../platform/http/schema.ts";
import {
  type CertificateFacts,
  computeDaysLeft,
  maxDateMs,
  type TlsFacts,
  writeDay,
} from "./tls-facts.ts";

const Text = (description: string, example: string) =>
  Type.String({ description, examples: [example] });
const Flag = (description: string, example = false) =>
  Type.Boolean({ description, examples: [example] });

/** Schema of a certificate in the API and in assertions. */
export const CertificateSchema = Type.Object(
  {
    subjectCN: Text("Common name of the subject.", "shop.example.com"),
    subject: Text("Full subject.", "CN=shop.example.com"),
    issuerCN: Text("Common name of the issuer, or its organisation.", "R11"),
    issuer: Text("Full issuer.", "CN=R11, O=Let's Encrypt, C=US"),
    serialNumber: Text("Serial number in hexadecimal.", "03a1b2c3"),
    fingerprintSha256: Text("SHA-256 of the certificate.", "ab".repeat(32)),
    validFrom: Described(DateTime, "Start of validity."),
    validTo: Described(DateTime, "End of validity."),
    daysUntilExpiry: Type.Integer({
      description: "Whole days from the run until it expires; negative if it has expired.",
      examples: [61],
    }),
    keyAlgorithm: Text("Key type.", "ECDSA"),
    keySizeBits: Described(
      OrNull(Type.Integer()),
      "Key size in bits; `null` if keys of its type have no comparable size.",
      256,
    ),
    signatureAlgorithm: Text("Signature algorithm.", "SHA256-RSA"),
    sans: Type.Array(Type.String(), {
      description:
        "The first 100 subject alternative names; for the server's own certificate only.",
      examples: [["shop.example.com"]],
    }),
    sanCount: Type.Integer({ description: "Number of subject alternative names.", examples: [1] }),
    selfSigned: Flag("Whether subject and issuer are equal."),
    isCA: Flag("Whether it belongs to a certificate authority."),
    mustStaple: Flag("Whether it requires OCSP stapling."),
    sctPresent: Flag("Whether it contains signed certificate timestamps.", true),
  },
  { title: "TlsCertificate" },
);

const keyNames: Readonly<Record<string, string>> = { EC: "ECDSA" };

/**
 * Formats the name of a signature algorithm: "sha256WithRSAEncryption" becomes "SHA256-RSA" and
 * "ecdsa-with-SHA384" becomes "ECDSA-SHA384".
 */
export function nameSignature(algorithm: string): string {
  const [, hash] = /^(\w+?)WithRSAEncryption$/i.exec(algorithm) ?? [];
  if (hash !== undefined) return `${hash.toUpperCase()}-RSA`;
  const [, key, digest] = /^(ecdsa|dsa)[-_]with[-_](\w+)$/i.exec(algorithm) ?? [];
  if (key !== undefined && digest !== undefined) return `${key}-${digest}`.toUpperCase();
  return algorithm === "ED25519" ? "Ed25519" : algorithm;
}

/** Formats a protocol version: "TLSv1.3" becomes "TLS1.3" and "TLSv1" becomes "TLS1.0". */
export function nameProtocol(protocol: string): string {
  return protocol === "TLSv1" ? "TLS1.0" : protocol.replace("TLSv", "TLS");
}

function readCommonName(subject: string): string {
  const [, name = ""] = /(?:^|, )CN=((?:\\.|[^,\\])*)/.exec(subject) ?? [];
  return name;
}

export function describeCertificate(
  facts: CertificateFacts,
  nowMs: number,
): Type.Static<typeof CertificateSchema> {
  return {
    subjectCN: readCommonName(facts.subject),
    subject: facts.subject,
    issuerCN: facts.issuerName,
    issuer: facts.issuer,
    serialNumber: facts.serial,
    fingerprintSha256: facts.fingerprint,
    validFrom: formatDateTime(new Date(Math.min(facts.validFromMs, maxDateMs))),
    validTo: formatDateTime(new Date(Math.min(facts.validToMs, maxDateMs))),
    daysUntilExpiry: computeDaysLeft(facts.validToMs, nowMs),
    keyAlgorithm: keyNames[facts.keyType] ?? facts.keyType,
    keySizeBits: facts.keyBits,
    signatureAlgorithm: nameSignature(facts.signatureAlgorithm),
    sans: [...facts.names],
    sanCount: facts.nameCount,
    selfSigned: facts.isSelfIssued,
    isCA: facts.isAuthority,
    mustStaple: facts.mustStaple,
    sctPresent: facts.hasScts,
  };
}

/** Schema of a summary of TLS facts, for kinds that do not examine certificates. */
export const TlsSummarySchema = Type.Object(
  {
    tlsVersion: Text("The TLS version.", "TLS1.3"),
    cipherSuite: Text("IANA name of the cipher suite.", "TLS_AES_128_GCM_SHA256"),
    issuerCN: Text("Common name of the issuer of the server's certificate.", "R11"),
    fingerprintSha256: Text("SHA-256 of the server's certificate.", "ab".repeat(32)),
    validFrom: Described(DateTime, "Start of validity."),
    validTo: Described(DateTime, "End of validity."),
    daysUntilExpiry: Type.Integer({
      description: "Whole days from the run until it expires; negative if it has expired.",
      examples: [61],
    }),
    hostnameVerified: Flag("Whether the certificate matches the host.", true),
    trustError: Described(
      OrNull(Type.String()),
      "OpenSSL's name of the trust error; `null` if the chain is trusted.",
      null,
    ),
  },
  { title: "TlsSummary" },
);

export function describeTls(facts: TlsFacts, nowMs: number): Type.Static<typeof TlsSummarySchema> {
  const { fingerprint, issuerName, validFromMs, validToMs } = facts.certificate;
  return {
    tlsVersion: nameProtocol(facts.protocol),
    cipherSuite: facts.cipher,
    issuerCN: issuerName,
    fingerprintSha256: fingerprint,
    validFrom: formatDateTime(new Date(Math.min(validFromMs, maxDateMs))),
    validTo: formatDateTime(new Date(Math.min(validToMs, maxDateMs))),
    daysUntilExpiry: computeDaysLeft(validToMs, nowMs),
    hostnameVerified: facts.fitsName,
    trustError: facts.trustError,
  };
}

/**
 * Formats an expiry, such as "expires in 6 days (on 22 November 2026)" or "expired on 22 November
 * 2026".
 */
export function writeExpiry(validToMs: number, nowMs: number): string {
  const days = computeDaysLeft(validToMs, nowMs);
  const day = writeDay(validToMs);
  if (validToMs <= nowMs) return `expired on ${day}`;
  if (days === 0) return `expires within a day (on ${day})`;
  return `expires in ${days} ${days === 1 ? "day" : "days"} (on ${day})`;
}
