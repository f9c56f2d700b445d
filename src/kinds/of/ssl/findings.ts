import { nameProtocol, nameSignature, writeExpiry } from "../../wire/tls/tls-document.ts";
import type { CertificateFacts, TlsFacts } from "../../wire/tls/tls-facts.ts";
import type { BaselineRule, SecurityBaseline, Severity, TlsVersion } from "./baseline.ts";
import type { SslMeasurement } from "./measurement.ts";
import { nameOf, type SslRequest } from "./request.ts";

/** A violation of a rule of the security baseline. */
interface BaselineGap {
  readonly name:
    | "protocol-too-old"
    | "key-too-small"
    | "weak-signature"
    | "weak-cipher"
    | "distrusted-authority"
    | "protocol-not-recommended"
    | "key-not-recommended"
    | "staple-missing"
    | "scts-missing";
  /** The value that violates the rule. */
  readonly found: string;
  /** Required value; `null` if the rule has no single required value. */
  readonly limit: string | null;
}

interface JudgedGap {
  readonly severity: Severity;
  readonly gap: BaselineGap;
}

type Find = (baseline: SecurityBaseline, tls: TlsFacts) => BaselineGap | null;

const finders: Readonly<Record<BaselineRule, Find>> = {
  minTLSVersion: (baseline, { protocol }) =>
    findOldProtocol("protocol-too-old", protocol, baseline.minTLSVersion.value),
  minKeySizeBits: (baseline, { chain }) =>
    findSmallKey("key-too-small", chain[0], baseline.minKeySizeBits.value),
  weakSignatureAlgorithm: (_baseline, { chain }) => findWeakSignature(chain),
  weakCipherSuite: (_baseline, { cipher }) =>
    isWeakCipher(cipher) ? { name: "weak-cipher", found: cipher, limit: null } : null,
  knownBadCA: (_baseline, { chain }) => findDistrusted(chain),
  recommendedTLSVersion: (baseline, { protocol }) =>
    findOldProtocol("protocol-not-recommended", protocol, baseline.recommendedTLSVersion.value),
  recommendedKeySizeBits: (baseline, { chain }) =>
    findSmallKey("key-not-recommended", chain[0], baseline.recommendedKeySizeBits.value),
  ocspMustStapleRespected: (_baseline, { chain, staple }) => {
    const isMissing = chain[0]?.mustStaple === true && staple?.status !== "good";
    const found = staple === null ? "no staple" : `a staple that is ${staple.status}`;
    return isMissing ? { name: "staple-missing", found, limit: null } : null;
  },
  sctPresent: (_baseline, { chain }) =>
    chain[0]?.hasScts === false ? { name: "scts-missing", found: "none", limit: null } : null,
};

function findBaselineGaps(baseline: SecurityBaseline, tls: TlsFacts): JudgedGap[] {
  return Object.entries(finders).flatMap(([rule, find]) => {
    const gap = find(baseline, tls);
    return gap === null ? [] : [{ severity: baseline[rule as BaselineRule].severity, gap }];
  });
}

const versionRanks: Readonly<Record<string, number>> = {
  SSLv3: 0,
  TLSv1: 1,
  "TLSv1.1": 2,
  "TLSv1.2": 3,
  "TLSv1.3": 4,
};

function findOldProtocol(
  name: "protocol-too-old" | "protocol-not-recommended",
  protocol: string,
  least: TlsVersion,
): BaselineGap | null {
  const rank = versionRanks[protocol] ?? 0;
  const leastRank = versionRanks[least.replace("TLS", "TLSv")] ?? 0;
  return rank < leastRank ? { name, found: nameProtocol(protocol), limit: least } : null;
}

/** Key sizes of equal strength for RSA and for elliptic curves, from NIST SP 800-57. */
const strengths: readonly (readonly [rsaBits: number, curveBits: number])[] = [
  [15_360, 512],
  [7_680, 384],
  [3_072, 256],
  [2_048, 224],
  [0, 160],
];
const largeNumberKeys: ReadonlySet<string> = new Set(["RSA", "RSA-PSS", "DSA"]);
const curveKeys: ReadonlySet<string> = new Set(["EC", "Ed25519", "Ed448"]);

function findSmallKey(
  name: "key-too-small" | "key-not-recommended",
  leaf: CertificateFacts | undefined,
  leastBits: number,
): BaselineGap | null {
  if (leaf === undefined || leaf.keyBits === null) return null;
  const { keyType, keyBits } = leaf;
  const [, curveBits] = strengths.find(([rsaBits]) => leastBits >= rsaBits) ?? [0, 160];
  const least = largeNumberKeys.has(keyType) ? leastBits : curveKeys.has(keyType) ? curveBits : 0;
  if (keyBits >= least) return null;
  return { name, found: `${keyType} ${keyBits} bits`, limit: `${least} bits` };
}

/**
 * Finds a weak signature in the chain. Ignores the signature of a root certificate, because clients
 * do not verify it.
 */
function findWeakSignature(chain: readonly CertificateFacts[]): BaselineGap | null {
  const weak = chain.find(
    ({ signatureAlgorithm, isSelfIssued }, place) =>
      (place === 0 || !isSelfIssued) && /md[245]|sha-?1(?!\d)/i.test(signatureAlgorithm),
  );
  if (weak === undefined) return null;
  const found = nameSignature(weak.signatureAlgorithm);
  return { name: "weak-signature", found, limit: null };
}

function isWeakCipher(cipher: string): boolean {
  return /NULL|EXPORT|anon|RC[24]|DES|IDEA|SEED|MD5|^TLS_(?:RSA|DH|ECDH)_/.test(cipher);
}

/** Organisations whose root certificates were removed from browsers because of misconduct. */
const distrusted: readonly string[] = [
  "DigiNotar",
  "WoSign CA Limited",
  "StartCom Ltd.",
  "China Internet Network Information Center",
  "CNNIC",
  "TrustCor Systems",
  "Symantec Corporation",
  "VeriSign, Inc.",
  "GeoTrust Inc.",
  "thawte, Inc.",
  "Certinomis",
  "PROCERT",
  "AC Camerfirma",
  "E-Tugra",
  "E-Tuğra",
];

function findDistrusted(chain: readonly CertificateFacts[]): BaselineGap | null {
  const organisations = chain.map(({ issuer }) => {
    const [, organisation = ""] = /(?:^|, )O=((?:\\.|[^,\\])*)/.exec(issuer) ?? [];
    return organisation.replaceAll("\\", "");
  });
  const found = organisations.find((organisation) =>
    distrusted.some((name) => organisation.startsWith(name)),
  );
  return found === undefined ? null : { name: "distrusted-authority", found, limit: null };
}

/**
 * A problem of a certificate or of its connection. `host` is the name that the certificate must
 * match.
 */
export type SslFinding =
  | {
      readonly name:
        | "certificate-expired"
        | "certificate-not-yet-valid"
        | "certificate-expires-soon";
      readonly host: string;
      readonly validFromMs: number;
      readonly validToMs: number;
      readonly daysLeft: number;
      readonly atMs: number;
      readonly issuer: string;
    }
  | { readonly name: "wrong-name"; readonly host: string; readonly names: readonly string[] }
  | {
      readonly name: "self-signed-certificate" | "incomplete-chain" | "untrusted-chain";
      readonly host: string;
      readonly code: string;
      readonly issuer: string;
    }
  | { readonly name: "certificate-revoked"; readonly host: string; readonly atMs: number | null }
  | BaselineGap;

export interface Findings {
  readonly failing: readonly SslFinding[];
  readonly degraded: readonly SslFinding[];
  /** Violations of rules whose severity is `ignore`. */
  readonly ignored: readonly SslFinding[];
}

const maxNamesKept = 3;

/** Finds the problems of a certificate and its connection, by their effect on the verdict. */
export function findFindings(
  request: SslRequest,
  { tls, daysLeft }: SslMeasurement,
  atMs: number,
): Findings {
  const host = nameOf(request);
  const gaps = request.baseline.enabled ? findBaselineGaps(request.baseline, tls) : [];
  const soon = findExpiry(host, tls, daysLeft, atMs);
  const isSoon = soon?.name === "certificate-expires-soon";
  const isWithin = daysLeft < request.alertDaysBeforeExpiry;
  const of = (severity: string) =>
    gaps.filter((gap) => gap.severity === severity).map(({ gap }) => gap);
  return {
    failing: [
      ...(soon === null || isSoon ? [] : [soon]),
      ...findDistrust(request, tls, soon),
      ...findWrongName(host, tls),
      ...findRevocation(host, tls),
      ...of("fail"),
    ],
    degraded: [...(soon !== null && isSoon && isWithin ? [soon] : []), ...of("degrade")],
    ignored: of("ignore"),
  };
}

function findExpiry(
  host: string,
  tls: TlsFacts,
  daysLeft: number,
  atMs: number,
): SslFinding | null {
  const { validFromMs, validToMs, issuerName: issuer } = tls.certificate;
  const about = { host, validFromMs, validToMs, daysLeft, atMs, issuer };
  if (validToMs <= atMs) return { name: "certificate-expired", ...about };
  if (validFromMs > atMs) return { name: "certificate-not-yet-valid", ...about };
  return { name: "certificate-expires-soon", ...about };
}

const timeErrors: ReadonlySet<string> = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);
const missingIssuerErrors: ReadonlySet<string> = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

function findDistrust(
  request: SslRequest,
  { trustError: code, chain, certificate }: TlsFacts,
  expiry: SslFinding | null,
): SslFinding[] {
  if (code === null || request.skipChainValidation) return [];
  // A trust error about dates is left out, because the finding about the expiry is more precise.
  if (timeErrors.has(code) && expiry?.name !== "certificate-expires-soon") return [];
  const host = nameOf(request);
  if (code === "DEPTH_ZERO_SELF_SIGNED_CERT") {
    return [{ name: "self-signed-certificate", host, code, issuer: certificate.issuerName }];
  }
  const issuer = chain.at(-1)?.issuerName ?? certificate.issuerName;
  const name = isIncomplete(code, chain) ? "incomplete-chain" : "untrusted-chain";
  return [{ name, host, code, issuer }];
}

/**
 * Returns whether the server sent an incomplete chain. Such a chain does not end in a self-issued
 * certificate, and the issuer of its last certificate is unknown on this machine.
 */
export function isIncomplete(code: string | null, chain: readonly CertificateFacts[]): boolean {
  return code !== null && missingIssuerErrors.has(code) && chain.at(-1)?.isSelfIssued === false;
}

function findWrongName(host: string, { fitsName, chain }: TlsFacts): SslFinding[] {
  if (fitsName) return [];
  return [{ name: "wrong-name", host, names: chain[0]?.names.slice(0, maxNamesKept) ?? [] }];
}

function findRevocation(host: string, { staple }: TlsFacts): SslFinding[] {
  if (staple?.status !== "revoked") return [];
  return [{ name: "certificate-revoked", host, atMs: staple.revokedAtMs }];
}

export function writeCertificateExpiry(finding: {
  readonly host: string;
  readonly validToMs: number;
  readonly atMs: number;
}): string {
  return `the certificate of ${finding.host} ${writeExpiry(finding.validToMs, finding.atMs)}`;
}
