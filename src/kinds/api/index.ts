import { hostOf } from "../../platform/outbound-guard.ts";
import { findHttpCertificate } from "../http/http-certificate.ts";
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
  const failing = `is failing when an assertion fails, no answer comes${most}`;
  if (degradedResponseTime === null) return failing;
  return `is degraded above ${degradedResponseTime} ms and ${failing.slice(3)}`;
}

function findHost({ url }: ApiRequest) {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" ? { host: hostOf(parsed) } : null;
}

/** One request to an API: its answer, its times, and whether what is claimed of them holds. */
export const api: Kind<ApiSettings, ApiRequest, ApiMeasurement, ApiReason> = {
  type: "API",
  path: "api",
  analyticsPath: "api-checks",
  words: {
    aMonitor: "an API check",
    aCheck: "an API check",
    aRun: "a request",
    verb: "asks",
    responseTime: "response time",
    exactFigures: "counts of runs",
    names: ["api", "endpoint"],
    fieldHints: {
      request: "What is asked for.",
      "request.method": "GET, POST, PUT, HEAD, DELETE or PATCH.",
      "request.url": "The address, with http:// or https://.",
      "request.followRedirects": "Whether redirects are followed; true if not given.",
      "request.skipSSL": "True: a certificate that is not trusted is accepted.",
      "request.ipFamily": "IPv4 or IPv6; IPv4 if not given.",
      "request.body": "What is sent.",
      "request.bodyType": "JSON, FORM, RAW, GRAPHQL or NONE.",
      "request.headers": "Header fields of the request.",
      "request.queryParameters": "Parameters that are added to the address.",
      "request.assertions": "What must hold, such as a status or a value in the JSON of the body.",
      "request.basicAuth": "A user's name and password.",
    },
  },
  operations: {
    name: "Api",
    create:
      "`name`, `request.method` and `request.url` are enough; everything else has a default. " +
      "The first run is due within one period.",
    update:
      "A field that is left out keeps its value, and so does a secret whose mask is sent back.",
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
  clientCertificateFor: findHost,
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
      label: "Time to the first byte",
      value: measurement?.phases.firstByteMs ?? null,
      unit: "ms",
    },
  ],
  listExamples: () => [],
  tools,
};
