import { createHttpKind } from "../http/create-http-kind.ts";
import { maxBodyBytes } from "../scripts/request.ts";
import { agent } from "./agent.ts";
import { decode, encode, hideCredentials } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { groupDefaults } from "./group-defaults.ts";
import { readResults } from "./judge.ts";
import { type ApiMeasurement, isApiMeasurement } from "./measurement.ts";
import {
  type ApiRequest,
  type ApiSettings,
  assertionSources,
  findFaults,
  toRequest,
} from "./request.ts";
import { fields } from "./request-schema.ts";
import { createSnippets, scriptsMs } from "./scripts.ts";
import { mapSecrets, mergeSettings } from "./settings.ts";
import { texts } from "./texts.ts";

/** Sends one HTTP request and evaluates assertions on the response. */
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
