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

/** One question to a DNS server: whether it answers, after how long, and what. */
export const dns: Kind<DnsSettings, DnsRequest, DnsMeasurement, DnsReason> = {
  type: "DNS",
  path: "dns",
  analyticsPath: "dns",
  words: {
    aMonitor: "a DNS monitor",
    aCheck: "a DNS check",
    aRun: "a DNS query",
    verb: "asks for",
    responseTime: "response time",
    exactFigures: "counts of runs",
    names: ["dns", "name", "record"],
    fieldHints: {
      request: "What is asked for, and which server is asked.",
      "request.query": "The name to ask for.",
      "request.recordType": "The type of the records, such as A or MX.",
      "request.nameServer": "The server to ask; that of the system if not given.",
      "request.port": "The port of the server; 53 if not given.",
      "request.protocol": "UDP or TCP; UDP if not given.",
      "request.assertions": "What must also hold, such as an address in the answer.",
    },
  },
  operations: {
    name: "Dns",
    create:
      "`name`, `request.query` and `request.recordType` are enough; everything else has a " +
      "default. The first run is due within one period.",
    update: "A field that is left out keeps its value.",
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
    { name: "udpMs", label: "Time by UDP", value: measurement?.udpMs ?? null, unit: "ms" },
    { name: "tcpMs", label: "Time by TCP", value: measurement?.tcpMs ?? null, unit: "ms" },
  ],
  listExamples: () => [],
  tools,
};
