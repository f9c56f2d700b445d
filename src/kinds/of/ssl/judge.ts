import { evaluateAssertions } from "../../kit/assertions/assertion.ts";
import type { Run } from "../../kit/definition.ts";
import {
  findFailedAssertions,
  findSlowness,
  type Judgement,
  judgeByReasons,
  judgeOutcome,
} from "../../kit/verdict.ts";
import { writeDay } from "../../wire/tls/tls-facts.ts";
import { buildAsserted } from "./document.ts";
import { findFindings, type SslFinding, writeCertificateExpiry } from "./findings.ts";
import { computeTotalMs, type SslMeasurement, type SslTrouble } from "./measurement.ts";
import type { SslRequest, SslSettings } from "./request.ts";
import { assertionSources } from "./request.ts";

const troubleReasons = {
  unresolved: "name-not-resolved",
  denied: "address-denied",
  refused: "connection-refused",
  unreachable: "host-unreachable",
  "timed-out": "connection-timed-out",
  reset: "connection-reset",
  failed: "connection-failed",
  "handshake-timed-out": "handshake-timed-out",
  "handshake-refused": "handshake-refused",
  "handshake-closed": "handshake-closed",
  "not-tls": "not-tls",
  "no-certificate": "no-certificate",
  "handshake-failed": "handshake-failed",
} as const satisfies Readonly<Record<SslTrouble["kind"], string>>;

type TroubleReason = (typeof troubleReasons)[SslTrouble["kind"]];

const troubles = { names: troubleReasons, fallback: "connection-failed" };

export type SslReason =
  | { readonly name: TroubleReason; readonly code: string; readonly message: string }
  | SslFinding;

type SslRun = Run<SslRequest, SslMeasurement>;

/** Judges a run. The verdict is the worst that applies: failing, then degraded, then passing. */
export function judge(settings: SslSettings, run: SslRun): Judgement {
  return judgeOutcome(run.outcome, troubles, (measured) => judgeMeasured(settings, run, measured));
}

function judgeMeasured(settings: SslSettings, run: SslRun, measurement: SslMeasurement): Judgement {
  const findings = findFindings(run.request, measurement, run.startedAtMs);
  const totalMs = computeTotalMs(measurement);
  const failures = [
    ...findings.failing,
    ...findSlowness("response-time-above-max", totalMs, settings.maxResponseTime),
    ...listFailedAssertions(settings, run),
  ];
  const { degradedResponseTime } = settings;
  const flaws = [
    ...findings.degraded,
    ...findSlowness("response-time-above-degraded", totalMs, degradedResponseTime),
  ];
  return judgeByReasons(failures, flaws);
}

function listFailedAssertions({ request }: SslSettings, run: SslRun) {
  if (request.assertions.length === 0) return [];
  const results = evaluateAssertions(assertionSources, request.assertions, buildAsserted(run));
  return findFailedAssertions(request.assertions, results);
}

export function explain(reason: SslReason): string {
  switch (reason.name) {
    case "certificate-expired":
    case "certificate-expires-soon":
      return writeCertificateExpiry(reason);
    case "certificate-not-yet-valid":
      return `the certificate of ${reason.host} is not valid before ${writeDay(reason.validFromMs)}`;
    case "wrong-name":
      return explainName(reason.host, reason.names);
    case "self-signed-certificate":
      return `the certificate of ${reason.host} is self-signed`;
    case "incomplete-chain":
      return `${reason.host} does not send the certificate of ${reason.issuer}, or that authority is not trusted`;
    case "untrusted-chain":
      return explainDistrust(reason.host, reason.code, reason.issuer);
    case "certificate-revoked":
      return `the certificate of ${reason.host} was revoked${reason.atMs === null ? "" : ` on ${writeDay(reason.atMs)}`}`;
    default:
      return "found" in reason ? explainGap(reason) : explainTrouble(reason);
  }
}

function explainName(host: string, names: readonly string[]): string {
  if (names.length === 0) return `the certificate names no host, so it is not for ${host}`;
  return `the certificate is for ${names.join(", ")}, not for ${host}`;
}

function explainDistrust(host: string, code: string, issuer: string): string {
  if (code === "CERT_HAS_EXPIRED") return `a certificate of the chain of ${host} has expired`;
  if (code === "CERT_NOT_YET_VALID")
    return `a certificate of the chain of ${host} is not valid yet`;
  return `the issuer ${issuer} of the certificate of ${host} is not trusted (${code})`;
}

function explainGap(gap: Extract<SslReason, { readonly found: string }>): string {
  const { name, found, limit } = gap;
  switch (name) {
    case "protocol-too-old":
      return `the connection uses ${found}, older than ${limit}`;
    case "protocol-not-recommended":
      return `the connection uses ${found}; ${limit} is recommended`;
    case "key-too-small":
      return `the key of the certificate is too small: ${found}, below ${limit}`;
    case "key-not-recommended":
      return `the key of the certificate has ${found}; ${limit} are recommended`;
    case "weak-signature":
      return `a certificate has a weak signature (${found})`;
    case "weak-cipher":
      return `the connection uses the weak cipher suite ${found}`;
    case "distrusted-authority":
      return `the certificate was issued by ${found}, which browsers no longer trust`;
    case "staple-missing":
      return `the certificate requires OCSP stapling, but the server sent ${found}`;
    default:
      return "the certificate has no proof of certificate transparency (SCT)";
  }
}

function explainTrouble(reason: Extract<SslReason, { readonly message: string }>): string {
  const { name, code, message } = reason;
  if (name === "name-not-resolved") return `the name could not be resolved (${code}): ${message}`;
  if (name === "address-denied") return `the probe may not connect to it: ${message}`;
  const isMade = /^(?:handshake|not-tls|no-certificate)/.test(name);
  const what = isMade ? "the TLS handshake failed" : "the connection failed";
  return `${what} (${code}): ${message}`;
}
