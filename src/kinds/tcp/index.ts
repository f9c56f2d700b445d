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

/** Opens one connection to a port and checks the time and the response. */
export const tcp: Kind<TcpSettings, TcpRequest, TcpMeasurement, TcpReason> = {
  type: "TCP",
  path: "tcp",
  analyticsPath: "tcp-checks",
  words: {
    aCheck: "a TCP check",
    aRun: "a connection",
    verb: "connects to",
    responseTime: "response time",
    exactFigures: "counts of runs",
    names: ["tcp", "port", "connection"],
    fieldHints: {
      request: "The host to connect to and the data to send.",
      "request.hostname": "The host name or IP address to connect to.",
      "request.port": "The port to connect to.",
      "request.data": "Text to send once connected; default none.",
      "request.ipFamily": "IPv4 or IPv6; default IPv4.",
      "request.assertions": "Additional assertions, such as a text in the response.",
    },
  },
  operations: {
    name: "Tcp",
    create:
      "`name`, `request.hostname` and `request.port` are required; all other fields have " +
      "defaults. The first run starts within one period.",
    update: "An omitted field keeps its value.",
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
