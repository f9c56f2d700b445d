import { nameProtocol, nameSignature } from "../tls/tls-document.ts";
import type { CertificateFacts, TlsFacts } from "../tls/tls-facts.ts";
import type { BaselineRule, SecurityBaseline, Severity, TlsVersion } from "./baseline.ts";

/** A rule of the baseline that a connection violates. */
export interface BaselineGap {
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
  /** The actual value. */
  readonly found: string;
  /** The required value; `null` if it cannot be named. */
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

export function findBaselineGaps(baseline: SecurityBaseline, tls: TlsFacts): JudgedGap[] {
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

/** RSA and elliptic curve key sizes of equal strength (NIST SP 800-57). */
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

/** The signature of a root certificate on itself is not verified by clients. */
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

/** Organisations whose root certificates browsers have removed for misconduct. */
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
