import { findHttpCertificate, findHttpsHost } from "../http/http-certificate.ts";
import {
  httpFigureBytes,
  httpParts,
  httpSamples,
  listHttpFigures,
  readHttpFigures,
} from "../http/http-figures.ts";
import { explainHttp } from "../http/http-judge.ts";
import type { Kind } from "../kind.ts";
import { decode, encode } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { judge, type UrlReason } from "./judge.ts";
import { isUrlMeasurement, type UrlMeasurement } from "./measurement.ts";
import {
  assertionSources,
  deadlineMs,
  fields,
  findFaults,
  mergeSettings,
  toRequest,
  type UrlRequest,
  type UrlSettings,
} from "./request.ts";
import { speech } from "./speech.ts";
import { texts } from "./texts.ts";
import { tools } from "./tool-fields.ts";

function describeLimits({ degradedResponseTime, maxResponseTime }: UrlSettings): string {
  const most = maxResponseTime === null ? "" : ` or takes more than ${maxResponseTime} ms`;
  const failing = `is failing when it does not respond as expected${most}`;
  if (degradedResponseTime === null) return failing;
  return `is degraded above ${degradedResponseTime} ms and ${failing.slice(3)}`;
}

/** Sends one GET request and checks its status code and response time. */
export const url: Kind<UrlSettings, UrlRequest, UrlMeasurement, UrlReason> = {
  type: "URL",
  path: "url",
  analyticsPath: "url-monitors",
  words: {
    aCheck: "a URL check",
    aRun: "a request",
    verb: "requests",
    responseTime: "response time",
    exactFigures: "counts of runs",
    names: ["url", "website", "site", "http", "https"],
    fieldHints: {
      request: "The request to send.",
      "request.url": "The URL, with http:// or https://.",
      "request.followRedirects": "Whether redirects are followed; default true.",
      "request.skipSSL": "Whether to accept a certificate that is not trusted.",
      "request.ipFamily": "IPv4 or IPv6; default IPv4.",
      "request.assertions": "Assertions on the status code; default below 400.",
    },
  },
  operations: {
    name: "Url",
    create:
      "`name` and `request.url` are required; all other fields have defaults. The first run starts " +
      "within one period.",
    update: "An omitted field keeps its value.",
    example: { request: { url: "http://127.0.0.1/" } },
  },
  speech,
  isOrdered: true,
  fields,
  responseTimeLimits: { degradedMs: 3_000, failingMs: 5_000, highestMs: 45_000, areShown: true },
  ownFieldNames: ["urlCheckResult"],
  mergeSettings,
  findFaults,
  target: ({ request }) => request.url,
  deadlineMs,
  toRequest,
  texts,
  clientCertificateFor: findHttpsHost,
  assertionSources,
  listAssertions: ({ request }) => request.assertions,
  limitFields: {},
  limits: () => ({}),
  describeLimits,
  isMeasurement: isUrlMeasurement,
  judge,
  findCertificate: findHttpCertificate,
  explain: explainHttp,
  counters: [],
  parts: httpParts,
  samples: httpSamples,
  figures: listHttpFigures,
  encode,
  decode,
  figureBytes: httpFigureBytes,
  readFigures: readHttpFigures,
  documentField: "urlCheckResult",
  DocumentSchema,
  document: buildDocument,
  explainingFields: {},
  explainingFigures: () => ({}),
  listFacts: (measurement) => [
    {
      name: "firstByteMs",
      label: "Time to first byte",
      value: measurement?.phases.firstByteMs ?? null,
      unit: "ms",
    },
  ],
  listExamples: ({ serviceUrl }) => [
    { name: "This service over HTTP", request: { url: `${serviceUrl}/healthz` } },
  ],
  tools,
};
