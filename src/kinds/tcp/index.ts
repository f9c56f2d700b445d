import type { Kind } from "../kind.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { explain, judge, type TcpReason } from "./judge.ts";
import {
  counters,
  isTcpMeasurement,
  listFigures,
  parts,
  type TcpMeasurement,
} from "./measurement.ts";
import {
  assertionSources,
  deadlineMs,
  fields,
  findFaults,
  mergeSettings,
  responseTimeLimits,
  type TcpRequest,
  type TcpSettings,
  toRequest,
  writeEndpoint,
} from "./request.ts";
import { speech } from "./speech.ts";
import { texts } from "./texts.ts";
import { tools } from "./tool-fields.ts";

function describeLimits({ degradedResponseTime, maxResponseTime }: TcpSettings): string {
  const most = maxResponseTime === null ? "" : ` or takes more than ${maxResponseTime} ms`;
  const failing = `is failing when it does not connect${most}`;
  if (degradedResponseTime === null) return failing;
  return `is degraded above ${degradedResponseTime} ms and ${failing.slice(3)}`;
}

/** One connection to a port: whether it is made, after how long, and what comes back. */
export const tcp: Kind<TcpSettings, TcpRequest, TcpMeasurement, TcpReason> = {
  type: "TCP",
  path: "tcp",
  analyticsPath: "tcp-checks",
  words: {
    aMonitor: "a TCP monitor",
    aCheck: "a TCP check",
    aRun: "a connection",
    verb: "connects to",
    responseTime: "response time",
    exactFigures: "counts of runs",
    names: ["tcp", "port", "connection"],
    fieldHints: {
      request: "What is connected to, and what is sent.",
      "request.hostname": "The host name or IP address to connect to.",
      "request.port": "The port to connect to.",
      "request.data": "Text to send once connected; nothing if not given.",
      "request.ipFamily": "IPv4 or IPv6; IPv4 if not given.",
      "request.assertions": "What must also hold, such as a text in the answer.",
    },
  },
  operations: {
    name: "Tcp",
    create:
      "`name`, `request.hostname` and `request.port` are enough; everything else has a " +
      "default. The first run is due within one period.",
    update: "A field that is left out keeps its value.",
    example: { request: { hostname: "127.0.0.1", port: 22 } },
  },
  speech,
  isOrdered: true,
  fields,
  responseTimeLimits,
  ownFieldNames: ["tcpCheckResult", "RESPONSE_DATA", "bytesReceived", "sendsData"],
  mergeSettings,
  findFaults,
  target: ({ request }) => writeEndpoint(request),
  deadlineMs,
  toRequest,
  texts,
  assertionSources,
  listAssertions: ({ request }) => request.assertions,
  limitFields: {},
  limits: () => ({}),
  describeLimits,
  isMeasurement: isTcpMeasurement,
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
  documentField: "tcpCheckResult",
  DocumentSchema,
  document: buildDocument,
  explainingFields: {},
  explainingFigures: () => ({}),
  listFacts: (measurement) => [
    {
      name: "connectMs",
      label: "Connection time",
      value: measurement?.connectMs ?? null,
      unit: "ms",
    },
  ],
  listExamples: () => [],
  tools,
};
