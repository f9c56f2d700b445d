import type { HeaderField, HttpRequest } from "../../wire/http/http-measurement.ts";
import type { ApiRequest, BodyType, KeyValue } from "./request.ts";

const contentTypes: Readonly<Record<BodyType, string | null>> = {
  JSON: "application/json",
  GRAPHQL: "application/json",
  FORM: "application/x-www-form-urlencoded",
  RAW: "text/plain; charset=utf-8",
  NONE: null,
};

/**
 * Builds the request to send. The caller must fill in the variables and decrypt the secrets first.
 */
export function composeRequest(
  request: ApiRequest,
): Pick<HttpRequest, "method" | "url" | "headers" | "body"> {
  const { method, bodyType, basicAuth } = request;
  const headers = request.headers.map(({ key, value }): HeaderField => [key, value]);
  const has = (wanted: string) => headers.some(([name]) => name.toLowerCase() === wanted);
  const contentType = contentTypes[bodyType];
  if (contentType !== null && !has("content-type")) headers.push(["content-type", contentType]);
  if (basicAuth !== null && !has("authorization")) {
    const credentials = Buffer.from(`${basicAuth.username}:${basicAuth.password}`);
    headers.push(["authorization", `Basic ${credentials.toString("base64")}`]);
  }
  return { method, url: addParameters(request), headers, body: composeBody(request) };
}

function composeBody({ bodyType, body }: ApiRequest): string | null {
  if (bodyType === "NONE") return null;
  return bodyType === "GRAPHQL" ? wrapQuery(body) : body;
}

/**
 * Wraps a GraphQL query in JSON. A body that already is JSON with a `query` field stays unchanged.
 */
function wrapQuery(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    const isWhole = typeof parsed === "object" && parsed !== null && "query" in parsed;
    return isWhole ? body : JSON.stringify({ query: body });
  } catch {
    return JSON.stringify({ query: body });
  }
}

/** Appends query parameters to a URL. Query parameters already in the URL stay as written. */
export function addParameters({
  url,
  queryParameters,
}: {
  readonly url: string;
  readonly queryParameters: readonly KeyValue[];
}): string {
  if (queryParameters.length === 0) return url;
  const added = queryParameters
    .map(({ key, value }) => `${encode(key)}=${encode(value)}`)
    .join("&");
  const [rest = "", fragment] = url.split("#", 2);
  const joint = rest.includes("?") ? (/[?&]$/.test(rest) ? "" : "&") : "?";
  return `${rest}${joint}${added}${fragment === undefined ? "" : `#${fragment}`}`;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
