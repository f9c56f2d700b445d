import { evaluateAssertions } from "../../kit/assertions/assertion.ts";
import { createHttpKind } from "../../wire/http/create-http-kind.ts";
import { agent } from "./agent.ts";
import { decode, encode } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { isUrlMeasurement, type UrlMeasurement } from "./measurement.ts";
import {
  assertionSources,
  fields,
  findFaults,
  mergeSettings,
  texts,
  toRequest,
  type UrlRequest,
  type UrlSettings,
} from "./request.ts";

/** Kind of checks that send one GET request and check the status code and the response time. */
export const url = createHttpKind<UrlSettings, UrlRequest, UrlMeasurement>({
  type: "URL",
  analyticsPath: "url-monitors",
  fields,
  mergeSettings,
  findFaults,
  target: ({ request }) => request.url,
  toRequest,
  texts,
  assertionSources,
  isMeasurement: isUrlMeasurement,
  evaluate: ({ request: { assertions } }, _request, { status }) => ({
    assertions,
    results: evaluateAssertions(assertionSources, assertions, { status }),
  }),
  encode,
  decode,
  operations: { example: { request: { url: "http://127.0.0.1/" } } },
  DocumentSchema,
  document: buildDocument,
  failsWhen: "it does not respond as expected",
  listExamples: ({ serviceUrl }) => [
    { name: "This service over HTTP", request: { url: `${serviceUrl}/healthz` } },
  ],
  agent,
});
