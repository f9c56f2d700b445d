import { createKind } from "../../kit/create-kind.ts";
import { toTcpTarget } from "../../kit/paths/path.ts";
import { toSeenCertificate } from "../../wire/tls/tls-facts.ts";
import { agent } from "./agent.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { explain, judge, type SslReason } from "./judge.ts";
import { isSslMeasurement, listFigures, parts, type SslMeasurement } from "./measurement.ts";
import {
  assertionSources,
  clientCertificateFor,
  deadlineMs,
  fields,
  findFaults,
  mergeSettings,
  nameOf,
  type SslRequest,
  type SslSettings,
  texts,
  toRequest,
  writeTarget,
} from "./request.ts";

function describeLimits({ request }: SslSettings): string {
  const { alertDaysBeforeExpiry } = request.sslConfig;
  return (
    `is degraded ${alertDaysBeforeExpiry} days before the certificate expires, and failing when ` +
    "it has expired, is for another name, is not trusted or is too weak"
  );
}

/** Kind of checks that verify the certificate, its expiry and the strength of a TLS connection. */
export const ssl = createKind<SslSettings, SslRequest, SslMeasurement, SslReason>({
  type: "SSL",
  fields,
  responseTimeLimits: { degradedMs: 3_000, failingMs: 10_000, highestMs: 30_000, areShown: true },
  ownFieldNames: [
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
  pathTarget: toTcpTarget,
  assertionSources,
  isMeasurement: isSslMeasurement,
  judge,
  findCertificate: ({ request, outcome }) =>
    outcome.kind === "measured"
      ? toSeenCertificate(nameOf(request), outcome.measurement.tls)
      : null,
  parts,
  figures: listFigures,
  encode,
  decode,
  figureBytes,
  readFigures,
  words: { aCheck: "an SSL check", aRun: "a handshake", verb: "watches the certificate of" },
  operations: {
    update: "An omitted field keeps its value, including fields of `sslConfig`.",
    example: { request: { sslConfig: { hostname: "127.0.0.1" } } },
  },
  DocumentSchema,
  document: buildDocument,
  explain,
  describeLimits,
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
  agent,
});
