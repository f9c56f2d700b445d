import { Type } from "typebox";
import { toTrouble } from "../../../contract/result.ts";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { Run } from "../../kit/definition.ts";
import { roundFigure } from "../../kit/figures.ts";
import {
  CertificateSchema,
  describeCertificate,
  nameProtocol,
} from "../../wire/tls/tls-document.ts";
import { computeDaysLeft } from "../../wire/tls/tls-facts.ts";
import { type Findings, findFindings, isIncomplete } from "./findings.ts";
import { computeTotalMs, type SslMeasurement, type SslTrouble } from "./measurement.ts";
import type { SslRequest } from "./request.ts";

type SslRun = Pick<Run<SslRequest, SslMeasurement>, "request" | "startedAtMs" | "outcome">;

const Nullable = OrNull(Type.Number());
const Text = OrNull(Type.String());
const Flag = OrNull(Type.Boolean());
const grades = ["A", "B", "C", "F"] as const;
const baselineVerdicts = ["pass", "degrade", "fail"] as const;

const BaselineSchema = Type.Object({
  verdict: Described(OneOf(baselineVerdicts), "The verdict of the baseline alone.", "pass"),
  grade: Described(
    OneOf(grades),
    "A: no gaps. B: only ignored gaps. C: a gap degrades. F: a gap fails.",
    "A",
  ),
  findings: Type.Array(
    Type.Object({
      name: Type.String({
        description: "Name of the gap.",
        examples: ["protocol-not-recommended"],
      }),
      severity: Type.String({ description: "Effect on the verdict.", examples: ["ignore"] }),
      found: Type.String({ description: "The actual value.", examples: ["TLS1.2"] }),
      limit: Described(Text, "The required value; `null` if it cannot be named.", "TLS1.3"),
    }),
    { description: "Violations of the baseline." },
  ),
});

const ResponseSchema = Type.Object(
  {
    resolvedIp: Described(Text, "The connected IP address.", "192.0.2.1"),
    timings: Type.Object(
      {
        dns: Described(Nullable, "Name resolution; `null` if unknown.", 3.1),
        connection: Described(
          Nullable,
          "TCP connect; `null` if no connection was established.",
          11.8,
        ),
        handshake: Described(Nullable, "TLS handshake; `null` if it did not complete.", 24.5),
        total: Described(Nullable, "Total; `null` if the handshake did not complete.", 39.4),
      },
      { description: "Milliseconds." },
    ),
    protocol: Described(Text, "The TLS version.", "TLS1.3"),
    cipherSuite: Described(Text, "The IANA name of the cipher suite.", "TLS_AES_128_GCM_SHA256"),
    handshakeTimeMs: Described(Nullable, "Duration of the handshake in milliseconds.", 24.5),
    hostnameVerified: Described(Flag, "Whether the certificate matches the server name.", true),
    chainTrusted: Described(
      Flag,
      "Whether the chain ends in an authority that the probe trusts.",
      true,
    ),
    daysUntilExpiry: Described(
      Nullable,
      "Whole days until the certificate expires; negative if it has expired.",
      61,
    ),
    chainDaysUntilExpiry: Described(
      Nullable,
      "Whole days until the first certificate of the chain expires.",
      61,
    ),
    ocspStapled: Described(Flag, "Whether the server stapled an OCSP response.", false),
    ocspStatus: Described(
      Text,
      "Status of the OCSP staple: good, revoked, unknown or invalid; `null` if there is none.",
      null,
    ),
    chainTrustReason: Described(Text, "Why the chain is not trusted.", null),
    chainTrustDetail: Described(Text, "The OpenSSL error name.", null),
    incompleteChain: Described(
      Flag,
      "Whether the server omitted an intermediate certificate.",
      false,
    ),
    missingIntermediate: Described(Text, "The subject of the omitted certificate.", null),
    chainLength: Described(OrNull(Type.Integer()), "Number of certificates sent.", 2),
    securityBaseline: Described(OrNull(BaselineSchema), "The result of the security baseline."),
    certificate: Described(OrNull(CertificateSchema), "The server's own certificate."),
    chain: Described(
      OrNull(Type.Array(CertificateSchema)),
      "The first ten certificates in the order sent.",
    ),
  },
  { title: "SslResponse" },
);

export const DocumentSchema = Type.Object(
  {
    tlsVersion: Described(Text, "The TLS version.", "TLS1.3"),
    cipherSuite: Described(Text, "The IANA name of the cipher suite.", "TLS_AES_128_GCM_SHA256"),
    daysUntilExpiry: Described(Nullable, "Whole days until the certificate expires.", 61),
    handshakeTimeMs: Described(Nullable, "Duration of the handshake in milliseconds.", 24.5),
    chainTrusted: Described(
      Flag,
      "Whether the chain ends in an authority that the probe trusts.",
      true,
    ),
    hostnameVerified: Described(Flag, "Whether the certificate matches the server name.", true),
    baselineVerdict: Described(Text, "The verdict of the baseline: pass, degrade or fail.", "pass"),
    baselineGrade: Described(Text, "A, B, C or F.", "A"),
    failureCategory: Described(Text, "Name of the first problem; `null` if there is none.", null),
    requestError: Described(Text, "Why the handshake failed; `null` if it succeeded.", null),
    request: Type.Object(
      {
        hostname: Type.String({
          description: "The host.",
          examples: ["shop.example"],
        }),
        port: Type.Integer({ description: "The port.", examples: [443] }),
        serverName: Type.String({
          description: "The server name (SNI).",
          examples: ["shop.example"],
        }),
        ipFamily: Type.String({ description: "The IP family.", examples: ["IPv4"] }),
      },
      { description: "The request." },
    ),
    response: Described(ResponseSchema, "The connection and its certificates."),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why there was no handshake or no measurement; `null` if there was one.",
      null,
    ),
  },
  { description: "The result of an SSL check." },
);

type SslResponse = Type.Static<typeof ResponseSchema>;

const nothing = {
  protocol: null,
  cipherSuite: null,
  handshakeTimeMs: null,
  hostnameVerified: null,
  chainTrusted: null,
  daysUntilExpiry: null,
  chainDaysUntilExpiry: null,
  ocspStapled: null,
  ocspStatus: null,
  chainTrustReason: null,
  chainTrustDetail: null,
  incompleteChain: null,
  missingIntermediate: null,
  chainLength: null,
  securityBaseline: null,
  certificate: null,
  chain: null,
} as const;

const trustNames: ReadonlySet<string> = new Set([
  "self-signed-certificate",
  "incomplete-chain",
  "untrusted-chain",
  "certificate-expired",
  "certificate-not-yet-valid",
]);

/** Builds the response document. Every outcome has the same fields. */
export function buildResponse({ request, startedAtMs, outcome }: SslRun): SslResponse {
  if (outcome.kind !== "measured") {
    const trouble = outcome.kind === "unreachable" ? (outcome.trouble as SslTrouble) : null;
    const { resolvedIp = null, dnsMs = null, connectMs = null } = trouble ?? {};
    const timings = { dns: dnsMs, connection: connectMs, handshake: null, total: null };
    return { resolvedIp, timings, ...nothing };
  }
  const { measurement } = outcome;
  const { tls } = measurement;
  const { chain, staple, trustError } = tls;
  const [leaf] = chain;
  const findings = findFindings(request, measurement, startedAtMs);
  const incompleteChain = isIncomplete(trustError, chain);
  const distrust = findings.failing.find(({ name }) => trustNames.has(name));
  const handshake = roundFigure(measurement.handshakeMs);
  return {
    resolvedIp: measurement.resolvedIp,
    timings: {
      dns: roundFigure(measurement.dnsMs),
      connection: roundFigure(measurement.connectMs),
      handshake,
      total: roundFigure(computeTotalMs(measurement)),
    },
    protocol: nameProtocol(tls.protocol),
    cipherSuite: tls.cipher,
    handshakeTimeMs: handshake,
    hostnameVerified: tls.fitsName,
    chainTrusted: trustError === null,
    daysUntilExpiry: measurement.daysLeft,
    chainDaysUntilExpiry: computeDaysLeft(tls.chainValidToMs, startedAtMs),
    ocspStapled: staple !== null,
    ocspStatus: staple?.status ?? null,
    chainTrustReason: trustError === null ? null : (distrust?.name ?? "not-judged"),
    chainTrustDetail: trustError,
    incompleteChain,
    missingIntermediate: incompleteChain ? (chain.at(-1)?.issuerName ?? null) : null,
    chainLength: tls.chainLength,
    securityBaseline: request.baseline.enabled ? describeBaseline(findings) : null,
    certificate: leaf === undefined ? null : describeCertificate(leaf, startedAtMs),
    chain: chain.map((each) => describeCertificate(each, startedAtMs)),
  };
}

function describeBaseline({ failing, degraded, ignored }: Findings) {
  const severitiesOf = [
    ["fail", failing],
    ["degrade", degraded],
    ["ignore", ignored],
  ] as const;
  const findings = severitiesOf.flatMap(([severity, found]) =>
    found.flatMap((one) =>
      "found" in one
        ? [{ name: one.name, severity: String(severity), found: one.found, limit: one.limit }]
        : [],
    ),
  );
  const has = (severity: string) => findings.some((one) => one.severity === severity);
  if (has("fail")) return { verdict: "fail" as const, grade: "F" as const, findings };
  if (has("degrade")) return { verdict: "degrade" as const, grade: "C" as const, findings };
  const grade = findings.length > 0 ? ("B" as const) : ("A" as const);
  return { verdict: "pass" as const, grade, findings };
}

/** Builds the document that assertions read. */
export function buildAsserted(run: SslRun): object {
  const response = buildResponse(run);
  const { certificate, chain } = response;
  return {
    response,
    responseTimeMs: response.timings.total,
    certificate: certificate && {
      ...certificate,
      issuerFingerprintSha256: chain?.[1]?.fingerprintSha256,
    },
    connection: {
      tlsVersion: response.protocol,
      cipherSuite: response.cipherSuite,
      hostnameVerified: response.hostnameVerified,
      chainTrusted: response.chainTrusted,
      ocspStapled: response.ocspStapled,
      ocspStatus: response.ocspStatus,
      resolvedIp: response.resolvedIp,
    },
  };
}

function findCategory({ request, startedAtMs, outcome }: SslRun): string | null {
  if (outcome.kind !== "measured") return toTrouble(outcome)?.kind ?? null;
  const { failing, degraded } = findFindings(request, outcome.measurement, startedAtMs);
  return [...failing, ...degraded][0]?.name ?? null;
}

export function buildDocument(run: SslRun): Type.Static<typeof DocumentSchema> {
  const { request, outcome } = run;
  const response = buildResponse(run);
  const error = toTrouble(outcome);
  return {
    tlsVersion: response.protocol,
    cipherSuite: response.cipherSuite,
    daysUntilExpiry: response.daysUntilExpiry,
    handshakeTimeMs: response.handshakeTimeMs,
    chainTrusted: response.chainTrusted,
    hostnameVerified: response.hostnameVerified,
    baselineVerdict: response.securityBaseline?.verdict ?? null,
    baselineGrade: response.securityBaseline?.grade ?? null,
    failureCategory: findCategory(run),
    requestError: error?.message ?? null,
    request: {
      hostname: request.hostname,
      port: request.port,
      serverName: request.serverName ?? request.hostname,
      ipFamily: request.ipFamily,
    },
    response,
    error,
  };
}
