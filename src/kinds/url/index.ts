import { hostOf } from "../../platform/outbound-guard.ts";
import { findHttpCertificate } from "../http/http-certificate.ts";
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
  const failing = `is failing when it does not answer as expected${most}`;
  if (degradedResponseTime === null) return failing;
  return `is degraded above ${degradedResponseTime} ms and ${failing.slice(3)}`;
}

function findHost({ url }: UrlRequest): { readonly host: string } | null {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" ? { host: hostOf(parsed) } : null;
}

/** One GET request: whether the answer has the expected status, and after how long. */
export const url: Kind<UrlSettings, UrlRequest, UrlMeasurement, UrlReason> = {
  type: "URL",
  path: "url",
  analyticsPath: "url-monitors",
  words: {
    aMonitor: "a URL monitor",
    aCheck: "a URL check",
    aRun: "a request",
    verb: "asks for",
    responseTime: "response time",
    exactFigures: "counts of runs",
    names: ["url", "website", "site", "http", "https"],
    fieldHints: {
      request: "What is asked for.",
      "request.url": "The address to ask for, with http:// or https://.",
      "request.followRedirects": "Whether redirects are followed; true if not given.",
      "request.skipSSL": "Whether a certificate that is not trusted is accepted.",
      "request.ipFamily": "IPv4 or IPv6; IPv4 if not given.",
      "request.assertions": "What the status must be; below 400 if not given.",
    },
  },
  operations: {
    name: "Url",
    create:
      "`name` and `request.url` are enough; everything else has a default. The first run is due " +
      "within one period.",
    update: "A field that is left out keeps its value.",
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
  clientCertificateFor: findHost,
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
      label: "Time to the first byte",
      value: measurement?.phases.firstByteMs ?? null,
      unit: "ms",
    },
  ],
  listExamples: ({ serviceUrl }) => [
    { name: "This service over HTTP", request: { url: `${serviceUrl}/healthz` } },
  ],
  tools,
};
