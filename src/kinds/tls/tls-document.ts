import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, OrNull } from "../../platform/http/schema.ts";
import { type CertificateFacts, computeDaysLeft } from "./tls-facts.ts";

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

/** The last date with four digits for its year. */
const maxDateMs = Date.UTC(9999, 11, 31, 23, 59, 59);

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

/** As sentences have it: "22 November 2026". */
export function writeDay(ms: number): string {
  const date = new Date(Math.min(ms, maxDateMs));
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** "expires in 6 days (on 22 November 2026)", "expired on 22 November 2026". */
export function writeExpiry(validToMs: number, nowMs: number): string {
  const days = computeDaysLeft(validToMs, nowMs);
  const day = writeDay(validToMs);
  if (validToMs <= nowMs) return `expired on ${day}`;
  if (days === 0) return `expires within a day (on ${day})`;
  return `expires in ${days} ${days === 1 ? "day" : "days"} (on ${day})`;
}
