import type { Kind } from "../kind.ts";
import { noTexts } from "../texts.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { type DnsReason, explain, judge } from "./judge.ts";
import {
  counters,
  type DnsMeasurement,
  isDnsMeasurement,
  listFigures,
  parts,
} from "./measurement.ts";
import type { DnsRequest } from "./order.ts";
import {
  assertionSources,
  type DnsSettings,
  deadlineMs,
  fields,
  findFaults,
  mergeSettings,
  responseTimeLimits,
  toRequest,
  writeTarget,
} from "./request.ts";
import { speech } from "./speech.ts";
import { tools } from "./tool-fields.ts";

function describeLimits({ degradedResponseTime, maxResponseTime }: DnsSettings): string {
  const most = maxResponseTime === null ? "" : ` or takes more than ${maxResponseTime} ms`;
  const failing = `is failing when the DNS server gives no good answer${most}`;
  if (degradedResponseTime === null) return failing;
  return `is degraded above ${degradedResponseTime} ms and ${failing.slice(3)}`;
}

/** Sends one query to a DNS server and checks the answer and its time. */
export const dns: Kind<DnsSettings, DnsRequest, DnsMeasurement, DnsReason> = {
  type: "DNS",
  path: "dns",
  analyticsPath: "dns",
  words: {
    aCheck: "a DNS check",
    aRun: "a DNS query",
    verb: "queries",
    responseTime: "response time",
    exactFigures: "counts of runs",
    names: ["dns", "name", "record"],
    fieldHints: {
      request: "The query and the DNS server.",
      "request.query": "The name to query.",
      "request.recordType": "The record type, such as A or MX.",
      "request.nameServer": "The DNS server; default that of the system.",
      "request.port": "The port of the server; default 53.",
      "request.protocol": "UDP or TCP; default UDP.",
      "request.assertions": "Additional assertions, such as an address in the answer.",
    },
  },
  operations: {
    name: "Dns",
    create:
      "`name`, `request.query` and `request.recordType` are required; all other fields have " +
      "defaults. The first run starts within one period.",
    update: "An omitted field keeps its value.",
    example: { request: { query: "localhost", recordType: "A", nameServer: "127.0.0.1" } },
  },
  speech,
  isOrdered: true,
  fields,
  responseTimeLimits,
  ownFieldNames: [
    "dnsCheckResult",
    "nameServer",
    "recordType",
    "TEXT_ANSWER",
    "JSON_ANSWER",
    "ignoredAnswers",
    "queriesSent",
  ],
  mergeSettings,
  findFaults,
  target: ({ request }) => writeTarget(request),
  deadlineMs,
  toRequest,
  texts: noTexts,
  assertionSources,
  listAssertions: ({ request }) => request.assertions,
  limitFields: {},
  limits: () => ({}),
  describeLimits,
  isMeasurement: isDnsMeasurement,
  judge,
  explain,
  counters,
  parts,
  samples: { metric: "total", noun: "response time", label: "Response time" },
  figures: listFigures,
  encode,
  decode,
  figureBytes,
  readFigures,
  documentField: "dnsCheckResult",
  DocumentSchema,
  document: buildDocument,
  explainingFields: {},
  explainingFigures: () => ({}),
  listFacts: (measurement) => [
    { name: "udpMs", label: "UDP time", value: measurement?.udpMs ?? null, unit: "ms" },
    { name: "tcpMs", label: "TCP time", value: measurement?.tcpMs ?? null, unit: "ms" },
  ],
  listExamples: () => [],
  tools,
};
