import type { Kind } from "../kind.ts";
import { toSeenCertificate } from "../tls/tls-facts.ts";
import { assertionSources } from "./assertion-sources.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { explain, judge, type SslReason } from "./judge.ts";
import {
  counters,
  isSslMeasurement,
  listFigures,
  parts,
  type SslMeasurement,
} from "./measurement.ts";
import {
  clientCertificateFor,
  deadlineMs,
  fields,
  findFaults,
  mergeSettings,
  type SslRequest,
  type SslSettings,
  toRequest,
  writeTarget,
} from "./request.ts";
import { nameOf } from "./server-name.ts";
import { speech } from "./speech.ts";
import { texts } from "./texts.ts";
import { tools } from "./tool-fields.ts";

function describeLimits({ request }: SslSettings): string {
  const { alertDaysBeforeExpiry } = request.sslConfig;
  return (
    `is degraded ${alertDaysBeforeExpiry} days before the certificate expires, and failing when ` +
    "it has expired, is for another name, is not trusted or is too weak"
  );
}

/** Performs one TLS handshake and checks the certificate, its expiry and its strength. */
export const ssl: Kind<SslSettings, SslRequest, SslMeasurement, SslReason> = {
  type: "SSL",
  path: "ssl",
  analyticsPath: "ssl",
  words: {
    aCheck: "an SSL check",
    aRun: "a handshake",
    verb: "watches the certificate of",
    responseTime: "response time",
    exactFigures: "counts of runs",
    names: ["ssl", "tls", "certificate", "cert"],
    fieldHints: {
      request: "The host whose certificate is monitored.",
      "request.sslConfig": "Host, port and certificate rules.",
      "request.sslConfig.hostname": "The host name or IP address to connect to.",
      "request.sslConfig.port": "The port to connect to; default 443.",
      "request.sslConfig.alertDaysBeforeExpiry":
        "Number of days before expiry at which the check becomes degraded; default 20.",
      "request.assertions": "Additional assertions, such as the name of the issuer.",
    },
  },
  operations: {
    name: "Ssl",
    create:
      "`name` and `request.sslConfig.hostname` are required; all other fields have defaults. The " +
      "first run starts within one period.",
    update: "An omitted field keeps its value, including fields of `sslConfig`.",
    example: { request: { sslConfig: { hostname: "127.0.0.1" } } },
  },
  speech,
  isOrdered: true,
  fields,
  responseTimeLimits: { degradedMs: 3_000, failingMs: 10_000, highestMs: 30_000, areShown: true },
  ownFieldNames: [
    "sslCheckResult",
    "sslConfig",
    "sslClientCertificateId",
    "alertDaysBeforeExpiry",
    "securityBaseline",
    "handshakeMs",
  ],
  mergeSettings,
  findFaults,
  target: ({ request }) => writeTarget(request.sslConfig),
  deadlineMs,
  toRequest,
  texts,
  clientCertificateFor,
  assertionSources,
  listAssertions: ({ request }) => request.assertions,
  limitFields: {},
  limits: () => ({}),
  describeLimits,
  isMeasurement: isSslMeasurement,
  judge,
  findCertificate: ({ request, outcome }) =>
    outcome.kind === "measured"
      ? toSeenCertificate(nameOf(request), outcome.measurement.tls)
      : null,
  explain,
  counters,
  parts,
  samples: { metric: "total", noun: "response time", label: "Response time" },
  figures: listFigures,
  encode,
  decode,
  figureBytes,
  readFigures,
  documentField: "sslCheckResult",
  DocumentSchema,
  document: buildDocument,
  explainingFields: {},
  explainingFigures: () => ({}),
  listFacts: (measurement) => [
    {
      name: "daysUntilExpiry",
      label: "Days until the certificate expires",
      value: measurement?.daysLeft ?? null,
      unit: "days",
    },
    {
      name: "handshakeTimeMs",
      label: "TLS handshake time",
      value: measurement?.handshakeMs ?? null,
      unit: "ms",
    },
  ],
  listExamples: () => [],
  tools,
};
