import { writeExpiry } from "../tls/tls-document.ts";
import type { CertificateFacts, TlsFacts } from "../tls/tls-facts.ts";
import { type BaselineGap, findBaselineGaps } from "./baseline-gaps.ts";
import type { SslMeasurement } from "./measurement.ts";
import type { SslRequest } from "./request.ts";
import { nameOf } from "./request.ts";

/** A problem of a certificate or its connection. `host` is the server name. */
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
  /** Findings without effect on the verdict. */
  readonly ignored: readonly SslFinding[];
}

const maxNamesKept = 3;

/** Finds the problems of a certificate. Verdicts, documents and sentences are derived from it. */
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
  // The finding about the expiry date is more precise.
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
 * True if the chain does not end in a self-issued certificate and the next issuer is unknown here.
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
