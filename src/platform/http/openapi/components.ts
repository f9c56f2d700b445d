import { isDeepStrictEqual } from "node:util";
import { type ErrorName, errorCatalogue, invalid, KnownError } from "../../errors.ts";
import { toErrorBody } from "../error-handler.ts";
import { type Direction, type JsonSchema, readShown, undescribed } from "./json-schema.ts";

/** Response headers that the document describes for clients. */
export const answerHeaders = {
  "Content-Range": {
    description: "Range of the returned entries and their total number.",
    schema: { type: "string", examples: ["items 0-9/42"] },
  },
  ETag: {
    description:
      "Version of the resource. Send it as `If-Match` to avoid overwriting a newer version.",
    schema: { type: "string", examples: ['"3q2-7wAAAAAAAAAAAAAAAA"'] },
  },
  Link: {
    description: "URL of the next page, with `rel=next`; absent on the last page.",
    schema: { type: "string" },
  },
  "RateLimit-Limit": {
    description: "Number of requests allowed per minute. Absent if there is no limit.",
    schema: { type: "integer", examples: [600] },
  },
  "RateLimit-Remaining": {
    description: "Number of requests left in this minute.",
    schema: { type: "integer", examples: [599] },
  },
  "RateLimit-Reset": {
    description: "Seconds until the full limit is available again.",
    schema: { type: "integer", examples: [42] },
  },
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", examples: [2] },
  },
  "Set-Cookie": {
    description: "The session, as an `HttpOnly` cookie.",
    schema: { type: "string" },
  },
  "X-Ignored-Fields": {
    description:
      "Unknown fields of the body, as `a.b`, with the field that each may have meant. Absent if " +
      "all fields are known.",
    schema: { type: "string", examples: ["frequencey (did you mean frequency?)"] },
  },
  "X-Request-Id": {
    description: "Id of the request in the server log.",
    schema: { type: "string" },
  },
} as const;

export type AnswerHeader = keyof typeof answerHeaders;

export function referToHeaders(names: readonly AnswerHeader[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/**
 * The error that describes each status. If several errors have the same status, the first one of
 * the catalogue is used.
 */
const byStatus = new Map<number, ErrorName>();
for (const [name, { statusCode }] of Object.entries(errorCatalogue)) {
  if (!byStatus.has(statusCode)) byStatus.set(statusCode, name as ErrorName);
}

const descriptions: Readonly<Record<number, string>> = {
  400: "A field, parameter or header is invalid; `validation` lists all of them.",
  401: "The key or the session is missing, unknown, expired or revoked.",
  403: "The caller does not have permission for this operation or this account.",
  404: "The account has no such resource.",
  405: "The path does not support this method; `Allow` lists the supported ones.",
  408: "The request did not arrive in time, or the awaited event did not occur.",
  409: "The request conflicts with the current state; the message explains why.",
  412: "The resource has changed since it was read: its ETag differs from `If-Match`.",
  413: "The body exceeds the size limit of the path.",
  414: "A part of the path is longer than 512 characters.",
  415: "The body is not JSON, or it is compressed.",
  429: "Too many requests; retry after the number of seconds in `Retry-After`.",
  431: "The headers are larger than 16 KiB.",
  500: "Internal error; the server log has the details under the response's `X-Request-Id`.",
  503: "The server or its database is temporarily unavailable.",
};

interface RouteTraits {
  readonly hasBody: boolean;
  readonly hasPathParameters: boolean;
}

/** Returns the error statuses that a route may return in addition to those it declares. */
export function listCommonErrorStatuses({ hasBody, hasPathParameters }: RouteTraits): number[] {
  return [408, 431, 500, 503, ...(hasBody ? [413, 415] : []), ...(hasPathParameters ? [414] : [])];
}

function nameErrorResponse(status: number): string {
  const name = byStatus.get(status);
  if (name === undefined) throw new Error(`No error of the catalogue has the status ${status}.`);
  return errorCatalogue[name].error.replaceAll(" ", "");
}

export function referToErrorResponse(status: number): { $ref: string } {
  return { $ref: `#/components/responses/${nameErrorResponse(status)}` };
}

function writeExample(name: ErrorName): unknown {
  if (name !== "invalidRequest") return toErrorBody(new KnownError(name));
  return toErrorBody(invalid("name", "is required"));
}

/** Returns one shared response component for each error status. */
export function describeErrorResponses(statuses: Iterable<number>, schema: object) {
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const hasRetryAfter = status === 429 || status === 503;
      const response = {
        description: descriptions[status] ?? "Error.",
        headers: {
          "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
          ...(hasRetryAfter && { "Retry-After": { $ref: "#/components/headers/Retry-After" } }),
        },
        content: {
          "application/json": { schema, example: writeExample(byStatus.get(status) ?? "internal") },
        },
      };
      return [nameErrorResponse(status), response];
    }),
  );
}

/**
 * The schemas of the OpenAPI document. A schema with a title is written once, as a named component,
 * and other schemas refer to it.
 */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  show(schema: JsonSchema, direction: Direction): JsonSchema {
    const source = readShown(schema);
    const original = schema[undescribed];
    if (original !== undefined) return this.#describe(source, original, direction);
    const shown = this.#showKeywords(source, direction);
    if (shown.title === undefined || !isNamed(source, direction)) return shown;
    return this.#refer(shown.title, shown);
  }

  /** Adds the description of a field to a reference. The named schema stays unchanged. */
  #describe(source: JsonSchema, original: JsonSchema, direction: Direction): JsonSchema {
    const shown = this.show(original, direction);
    const { description, examples, default: byDefault } = source;
    return {
      ...shown,
      description: description ?? "",
      ...(examples && shown.$ref === undefined && { examples }),
      ...(byDefault !== undefined && direction === "request" && { default: byDefault }),
    };
  }

  /** Returns the schema itself, even if `show` would return a reference to it. */
  showInPlace(schema: JsonSchema, direction: Direction): JsonSchema {
    return this.#showKeywords(readShown(schema), direction);
  }

  list(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([one], [two]) => (one < two ? -1 : 1)));
  }

  #refer(title: string, shown: JsonSchema): JsonSchema {
    const { title: _title, ...schema } = shown;
    const known = this.#schemas.get(title);
    if (known !== undefined && !isDeepStrictEqual(known, schema)) {
      throw new Error(`Two different schemas have the title ${title}.`);
    }
    this.#schemas.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }

  #showKeywords(schema: JsonSchema, direction: Direction): JsonSchema {
    const showOne = (part: JsonSchema) => this.show(part, direction);
    const showAll = (parts: Readonly<Record<string, JsonSchema>>) =>
      Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, showOne(part)]));
    // Only requests show defaults, because a response always contains the fields that have one.
    const { default: byDefault, patternProperties, ...rest } = schema;
    const { anyOf, oneOf, items, properties, additionalProperties, required } = rest;
    return {
      ...rest,
      ...(byDefault !== undefined && direction === "request" && { default: byDefault }),
      ...(anyOf && { anyOf: anyOf.map(showOne) }),
      ...(oneOf && { oneOf: oneOf.map(showOne) }),
      ...(items && { items: showOne(items) }),
      ...(properties && { properties: showAll(properties) }),
      ...(typeof additionalProperties === "object" && {
        additionalProperties: showOne(additionalProperties),
      }),
      ...(patternProperties && { patternProperties: showAll(patternProperties) }),
      ...(required && { required: listRequired(schema, direction) }),
    };
  }
}

function listRequired({ required = [], properties = {} }: JsonSchema, direction: Direction) {
  if (direction === "answer") return required;
  return required.filter((name) => properties[name]?.default === undefined);
}

/**
 * Whether a schema becomes a named component. In requests, a schema with defaults is written
 * inline, because client generators treat a field with a default in a named schema as required.
 */
function isNamed(schema: JsonSchema, direction: Direction): boolean {
  return direction === "answer" || !hasDefaults(schema);
}

function hasDefaults(schema: JsonSchema): boolean {
  const shown = readShown(schema);
  const { anyOf = [], oneOf = [], items, properties = {}, additionalProperties } = shown;
  const parts = [...anyOf, ...oneOf, ...Object.values(properties)];
  if (items !== undefined) parts.push(items);
  if (typeof additionalProperties === "object") parts.push(additionalProperties);
  return shown.default !== undefined || parts.some(hasDefaults);
}
