import { findHttpCertificate, findHttpsHost } from "../http/http-certificate.ts";
import {
  httpFigureBytes,
  httpParts,
  httpSamples,
  listHttpFigures,
  readHttpFigures,
} from "../http/http-figures.ts";
import type { Kind } from "../kind.ts";
import { decode, encode, hideCredentials } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { groupDefaults } from "./group-defaults.ts";
import { type ApiReason, explain, judge } from "./judge.ts";
import { type ApiMeasurement, isApiMeasurement } from "./measurement.ts";
import {
  type ApiRequest,
  type ApiSettings,
  assertionSources,
  deadlineMs,
  findFaults,
  toRequest,
} from "./request.ts";
import { fields } from "./request-schema.ts";
import { mapSecrets, mergeSettings } from "./settings.ts";
import { speech } from "./speech.ts";
import { texts } from "./texts.ts";
import { tools } from "./tool-fields.ts";

function describeLimits({ degradedResponseTime, maxResponseTime }: ApiSettings): string {
  const most = maxResponseTime === null ? "" : ` or takes more than ${maxResponseTime} ms`;
  const failing = `is failing when an assertion fails, there is no response${most}`;
  if (degradedResponseTime === null) return failing;
  return `is degraded above ${degradedResponseTime} ms and ${failing.slice(3)}`;
}

/** Sends one HTTP request and evaluates assertions on the response. */
export const api: Kind<ApiSettings, ApiRequest, ApiMeasurement, ApiReason> = {
  type: "API",
  path: "api",
  analyticsPath: "api-checks",
  words: {
    aCheck: "an API check",
    aRun: "a request",
    verb: "requests",
    responseTime: "response time",
    exactFigures: "counts of runs",
    names: ["api", "endpoint"],
    fieldHints: {
      request: "The request to send.",
      "request.method": "GET, POST, PUT, HEAD, DELETE or PATCH.",
      "request.url": "The URL, with http:// or https://.",
      "request.followRedirects": "Whether redirects are followed; default true.",
      "request.skipSSL": "Whether to accept a certificate that is not trusted.",
      "request.ipFamily": "IPv4 or IPv6; default IPv4.",
      "request.body": "The request body.",
      "request.bodyType": "JSON, FORM, RAW, GRAPHQL or NONE.",
      "request.headers": "Request headers.",
      "request.queryParameters": "Query parameters that are added to the URL.",
      "request.assertions":
        "Assertions on the response, such as a status code or a value in the JSON body.",
      "request.basicAuth": "User name and password for basic authentication.",
    },
  },
  operations: {
    name: "Api",
    create:
      "`name`, `request.method` and `request.url` are required; all other fields have " +
      "defaults. The first run starts within one period.",
    update: "An omitted field keeps its value, and so does a secret whose mask is sent back.",
    example: { request: { method: "GET", url: "https://api.example.com/health" } },
  },
  speech,
  isOrdered: true,
  fields,
  responseTimeLimits: { degradedMs: 5_000, failingMs: 20_000, highestMs: 45_000, areShown: true },
  ownFieldNames: ["apiCheckResult", "apiCheckDefaults", "GRAPHQL", "queryParameters: KeyValue"],
  secrets: {
    mapSettings: (settings, change) => ({
      ...settings,
      request: mapSecrets(settings.request, change),
    }),
    mapRequest: mapSecrets,
  },
  groupDefaults,
  mergeSettings,
  findFaults,
  target: ({ request }) => hideCredentials(request.url),
  deadlineMs,
  toRequest,
  texts,
  clientCertificateFor: findHttpsHost,
  assertionSources,
  listAssertions: ({ request }) => request.assertions,
  limitFields: {},
  limits: () => ({}),
  describeLimits,
  isMeasurement: isApiMeasurement,
  judge,
  findCertificate: findHttpCertificate,
  explain,
  counters: [],
  parts: httpParts,
  samples: httpSamples,
  figures: listHttpFigures,
  encode,
  decode,
  figureBytes: httpFigureBytes,
  readFigures: readHttpFigures,
  documentField: "apiCheckResult",
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
  listExamples: () => [],
  tools,
};
