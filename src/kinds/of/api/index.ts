import { clipText } from "../../../platform/text/clip.ts";
import type { AssertionResult } from "../../kit/assertions/assertion.ts";
import { clipValue } from "../../kit/assertions/assertion-message.ts";
import { maxBodyBytes } from "../../kit/scripts/request.ts";
import { createHttpKind } from "../../wire/http/create-http-kind.ts";
import { agent } from "./agent.ts";
import { decode, encode } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { groupDefaults } from "./group-defaults.ts";
import { type ApiMeasurement, isApiMeasurement } from "./measurement.ts";
import {
  type ApiRequest,
  type ApiSettings,
  assertionSources,
  findFaults,
  toRequest,
} from "./request.ts";
import { fields } from "./request-schema.ts";
import { findScriptReasons, hideCredentials } from "./script-runs.ts";
import { createSnippets, scriptsMs } from "./scripts.ts";
import { mapSecrets, mergeSettings } from "./settings.ts";
import { texts } from "./texts.ts";

const maxMessageLength = 500;

/**
 * Returns the assertion results that the probe reported. The server cannot evaluate assertions
 * itself, because only the probe has the whole body.
 */
function readResults(
  _settings: ApiSettings,
  { assertions }: ApiRequest,
  measurement: ApiMeasurement,
) {
  return {
    assertions,
    results: assertions.map((_assertion, index) => tidyResult(measurement.results[index])),
    failures: findScriptReasons(measurement.scripts),
  };
}

/**
 * Limits the size of a failed assertion's result, because probes are not trusted. A missing result
 * counts as failed.
 */
function tidyResult(result: AssertionResult | undefined): AssertionResult {
  if (result === undefined) {
    return { passed: false, actual: null, message: "The probe did not evaluate this assertion" };
  }
  if (result.passed) return result;
  const { actual, message } = result;
  return {
    passed: false,
    actual: clipValue(actual),
    message: clipText(message, maxMessageLength),
  };
}

/** Kind of checks that send one HTTP request and evaluate assertions on the response. */
export const api = createHttpKind<ApiSettings, ApiRequest, ApiMeasurement>({
  type: "API",
  analyticsPath: "api-checks",
  fields,
  responseTimeLimits: { degradedMs: 5_000, failingMs: 20_000, highestMs: 45_000, areShown: true },
  ownFieldNames: ["apiCheckDefaults", "GRAPHQL", "queryParameters: KeyValue"],
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
  toRequest,
  extraMs: scriptsMs,
  maxBodyBytes,
  runsScripts: ({ scripts }) => scripts !== undefined,
  snippets: createSnippets(),
  texts,
  assertionSources,
  isMeasurement: isApiMeasurement,
  evaluate: readResults,
  encode,
  decode,
  operations: {
    update: "An omitted field keeps its value, and so does a secret whose mask is sent back.",
    example: { request: { method: "GET", url: "https://api.example.com/health" } },
  },
  DocumentSchema,
  document: buildDocument,
  failsWhen: "an assertion fails, there is no response",
  agent,
});
