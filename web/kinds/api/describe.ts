import { getAt, getFlag, getList, getText } from "../../parts/fields.ts";
import type { CheckValues } from "../form-values.ts";
import {
  countOf,
  describeAssertions,
  describeFamilies,
  describeTimeLimits,
  joinWords,
  type SourceLabels,
  unnamed,
} from "../sentences.ts";

type Values = CheckValues<"API">;

export const assertionSources: SourceLabels<"API"> = {
  STATUS_CODE: "the status code",
  RESPONSE_TIME: "the response time",
  HEADERS: "the headers",
  TEXT_BODY: "the body",
  JSON_BODY: "the JSON body",
};

const bodyWords: Readonly<Record<string, string>> = {
  JSON: "a JSON body",
  FORM: "a form body",
  RAW: "a text body",
  GRAPHQL: "a GraphQL body",
};

function formatParts(values: Values): string {
  const headers = getList(values, "request.headers").length;
  const parameters = getList(values, "request.queryParameters").length;
  const bodyType = getText(values, "request.bodyType");
  const user = getText(values, "request.basicAuth.username");
  const parts = [
    ...(headers > 0 ? [countOf(headers, "header")] : []),
    ...(parameters > 0 ? [countOf(parameters, "query parameter")] : []),
    ...(bodyType !== "" && bodyType !== "NONE" ? [bodyWords[bodyType] ?? "a body"] : []),
    ...(getAt(values, "request.basicAuth") ? [`basic authentication as ${user || "a user"}`] : []),
  ];
  return parts.length === 0 ? "" : ` with ${joinWords(parts)}`;
}

export function describeApi(values: Values, defaults: Values): string[] {
  const method = getText(values, "request.method") || getText(defaults, "request.method");
  const judgesStatus = getList(values, "request.assertions").some(
    ({ source }) => source === "STATUS_CODE",
  );
  return [
    `Sends ${method} to ${getText(values, "request.url") || unnamed}${formatParts(values)}.`,
    ...(judgesStatus
      ? []
      : ["It fails if the status code is 400 or above, or if there is no response."]),
    ...describeFamilies(values),
    ...describeAssertions(values, assertionSources),
    ...describeTimeLimits(values),
    ...(getFlag(values, "request.skipSSL") ? ["Certificate errors are ignored."] : []),
  ];
}
