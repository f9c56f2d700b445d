import { type ErrorName, errorCatalogue, invalid, KnownError } from "../../errors.ts";
import { toErrorBody } from "../error-handler.ts";

/** One response per status: if several errors share it, the first one represents it. */
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

export interface RouteTraits {
  readonly hasBody: boolean;
  readonly hasPathParameters: boolean;
}

/** Returns the error statuses that any request of a route may yield, in addition to its own. */
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

/** Describes each error response of the document once. */
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
