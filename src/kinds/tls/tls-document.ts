import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, OrNull } from "../../platform/http/schema.ts";
import { maxDateMs, writeDay } from "./tls-day.ts";
import { type CertificateFacts, computeDaysLeft, type TlsFacts } from "./tls-facts.ts";

const Text = (description: string, example: string) =>
  Type.String({ description, examples: [example] });
const Flag = (description: string, example = false) =>
  Type.Boolean({ description, examples: [example] });

/** A certificate as the API shows it, and as assertions read it. */
export const CertificateSchema = Type.Object(
  {
    subjectCN: Text("The common name of its subject.", "shop.example.com"),
    subject: Text("Its whole subject.", "CN=shop.example.com"),
    issuerCN: Text("The common name of its issuer, or the organisation.", "R11"),
    issuer: Text("Its whole issuer.", "CN=R11, O=Let's Encrypt, C=US"),
    serialNumber: Text("Its serial number in hexadecimal digits.", "03a1b2c3"),
    fingerprintSha256: Text("SHA-256 over the certificate.", "ab".repeat(32)),
    validFrom: Described(DateTime, "From when it is valid."),
    validTo: Described(DateTime, "When it expires."),
    daysUntilExpiry: Type.Integer({
      description: "Whole days from the run until it expires; negative: it has expired.",
      examples: [61],
    }),
    keyAlgorithm: Text("The type of its key.", "ECDSA"),
    keySizeBits: Described(
      OrNull(Type.Integer()),
      "The size of its key; null: keys of its type have none that compares.",
      256,
    ),
    signatureAlgorithm: Text("How it is signed.", "SHA256-RSA"),
    sans: Type.Array(Type.String(), {
      description:
        "The names and addresses that it is for: the first hundred. Of the server's own certificate only.",
      examples: [["shop.example.com"]],
    }),
    sanCount: Type.Integer({ description: "How many names it has.", examples: [1] }),
    selfSigned: Flag("Subject and issuer are the same."),
    isCA: Flag("It is of an authority."),
    mustStaple: Flag("It demands a stapled proof that it has not been revoked."),
    sctPresent: Flag("It carries proof that it is in public logs.", true),
  },
  { title: "TlsCertificate" },
);

const keyNames: Readonly<Record<string, string>> = { EC: "ECDSA" };

/** "sha256WithRSAEncryption" is "SHA256-RSA", and "ecdsa-with-SHA384" is "ECDSA-SHA384". */
export function nameSignature(algorithm: string): string {
  const [, hash] = /^(\w+?)WithRSAEncryption$/i.exec(algorithm) ?? [];
  if (hash !== undefined) return `${hash.toUpperCase()}-RSA`;
  const [, key, digest] = /^(ecdsa|dsa)[-_]with[-_](\w+)$/i.exec(algorithm) ?? [];
  if (key !== undefined && digest !== undefined) return `${key}-${digest}`.toUpperCase();
  return algorithm === "ED25519" ? "Ed25519" : algorithm;
}

/** "TLSv1.3" is "TLS1.3", and "TLSv1" is "TLS1.0". */
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

/** What is shown of a connection whose certificates are not the matter. */
export const TlsSummarySchema = Type.Object(
  {
    tlsVersion: Text("The version of TLS.", "TLS1.3"),
    cipherSuite: Text("By its IANA name.", "TLS_AES_128_GCM_SHA256"),
    issuerCN: Text("Who signed the server's certificate.", "R11"),
    fingerprintSha256: Text("SHA-256 over that certificate.", "ab".repeat(32)),
    validFrom: Described(DateTime, "From when it is valid."),
    validTo: Described(DateTime, "When it expires."),
    daysUntilExpiry: Type.Integer({
      description: "Whole days from the run until it expires; negative: it has expired.",
      examples: [61],
    }),
    hostnameVerified: Flag("It is for the host that was asked for.", true),
    trustError: Described(
      OrNull(Type.String()),
      "Why the chain is not trusted, by OpenSSL's name; null: it is.",
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

/** "expires in 6 days (on 22 November 2026)", "expired on 22 November 2026". */
export function writeExpiry(validToMs: number, nowMs: number): string {
  const days = computeDaysLeft(validToMs, nowMs);
  const day = writeDay(validToMs);
  if (validToMs <= nowMs) return `expired on ${day}`;
  if (days === 0) return `expires within a day (on ${day})`;
  return `expires in ${days} ${days === 1 ? "day" : "days"} (on ${day})`;
}
