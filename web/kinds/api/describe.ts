import { type Fields, getAt, getFlag, getList, getText } from "../../parts/fields.ts";
import {
  countOf,
  describeAssertions,
  describeTimeLimits,
  joinWords,
  unnamed,
} from "../sentences.ts";

export const assertionSources = {
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

function formatParts(fields: Fields): string {
  const headers = getList(fields, "request.headers").length;
  const parameters = getList(fields, "request.queryParameters").length;
  const bodyType = getText(fields, "request.bodyType");
  const user = getText(fields, "request.basicAuth.username");
  const parts = [
    ...(headers > 0 ? [countOf(headers, "header")] : []),
    ...(parameters > 0 ? [countOf(parameters, "query parameter")] : []),
    ...(bodyType !== "" && bodyType !== "NONE" ? [bodyWords[bodyType] ?? "a body"] : []),
    ...(getAt(fields, "request.basicAuth") ? [`basic authentication as ${user || "a user"}`] : []),
  ];
  return parts.length === 0 ? "" : ` with ${joinWords(parts)}`;
}

export function describeApi(fields: Fields): string[] {
  const method = getText(fields, "request.method") || "GET";
  const judgesStatus = getList(fields, "request.assertions").some(
    (assertion) => getText(assertion, "source") === "STATUS_CODE",
  );
  return [
    `Sends ${method} to ${getText(fields, "request.url") || unnamed}${formatParts(fields)}.`,
    ...(judgesStatus
      ? []
      : ["It fails if the status code is 400 or above, or if there is no response."]),
    ...describeAssertions(fields, assertionSources),
    ...describeTimeLimits(fields),
    ...(getFlag(fields, "request.skipSSL") ? ["Certificate errors are ignored."] : []),
  ];
}
