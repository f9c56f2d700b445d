import { createKind } from "../../kit/create-kind.ts";
import { agent } from "./agent.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { type DnsReason, explain, judge } from "./judge.ts";
import { type DnsMeasurement, isDnsMeasurement, listFigures, parts } from "./measurement.ts";
import type { DnsRequest } from "./request.ts";
import {
  assertionSources,
  type DnsSettings,
  deadlineMs,
  defaultPort,
  fields,
  findFaults,
  mergeSettings,
  responseTimeLimits,
  toRequest,
  writeTarget,
} from "./request.ts";

/**
 * Kind of checks that send one query to a DNS server and check the answer and the response time.
 */
export const dns = createKind<DnsSettings, DnsRequest, DnsMeasurement, DnsReason>({
  type: "DNS",
  fields,
  responseTimeLimits,
  ownFieldNames: [
    "nameServer",
    "recordType",
    "TEXT_ANSWER",
    "JSON_ANSWER",
    "ignoredAnswers",
    "queriesSent",
  ],
  mergeSettings,
  showSettings: ({ request }) => ({
    request: { ...request, ipFamily: request.ipFamily ?? null },
  }),
  // Existing clients reject a port without a name server, so the default port is left out if there
  // is no name server. Existing clients do not support `ipFamily`, so `ipFamily` is left out unless
  // a user has set it.
  writeAsCode: ({ request: { port, ipFamily, ...rest }, ...settings }) => ({
    ...settings,
    request: {
      ...rest,
      ...((rest.nameServer || port !== defaultPort) && { port }),
      ...(ipFamily && { ipFamily }),
    },
  }),
  findFaults,
  target: ({ request }) => writeTarget(request),
  deadlineMs,
  toRequest,
  families: {},
  pathTarget: ({ nameServer: hostname, port, protocol, ipFamily: family }) => {
    // Without a configured server, the destination is the DNS server of the probe's system, which
    // only the probe knows.
    if (hostname === null) return null;
    const ipFamily = family === "IPv6" || hostname.includes(":") ? "IPv6" : "IPv4";
    return { hostname, port, protocol, ipFamily };
  },
  assertionSources,
  isMeasurement: isDnsMeasurement,
  judge,
  parts,
  figures: listFigures,
  encode,
  decode,
  figureBytes,
  readFigures,
  words: { aRun: "a DNS query", verb: "queries" },
  operations: {
    example: { request: { query: "localhost", recordType: "A", nameServer: "127.0.0.1" } },
  },
  DocumentSchema,
  document: buildDocument,
  explain,
  failsWhen: "the DNS server gives no good answer",
  listFacts: (measurement) => [
    { name: "udpMs", label: "UDP time", value: measurement?.udpMs ?? null, unit: "ms" },
    { name: "tcpMs", label: "TCP time", value: measurement?.tcpMs ?? null, unit: "ms" },
  ],
  agent,
});
