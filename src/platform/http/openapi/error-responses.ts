import { type ErrorName, errorCatalogue, invalid, KnownError } from "../../errors.ts";
import { toErrorBody } from "../error-handler.ts";

/** One answer a status: several errors share one, and the first of them stands for it. */
const byStatus = new Map<number, ErrorName>();
for (const [name, { statusCode }] of Object.entries(errorCatalogue)) {
  if (!byStatus.has(statusCode)) byStatus.set(statusCode, name as ErrorName);
}

const descriptions: Readonly<Record<number, string>> = {
  400: "A field, parameter or header is not as it must be; `validation` names them all.",
  401: "The key or the session is missing, unknown, expired or revoked.",
  403: "Whoever calls may not do this, or not in this account.",
  404: "There is no such thing in the account.",
  405: "The address takes other methods; they are in `Allow`.",
  408: "The request did not arrive in time, or what was waited for did not happen.",
  409: "It does not fit with what is there; the message says why.",
  412: "It has changed since it was read: `If-Match` names another state.",
  413: "The body is larger than the address takes.",
  414: "A part of the path is longer than 512 characters.",
  415: "The body is not JSON, or it is compressed.",
  429: "Too many requests; `Retry-After` says when to try again.",
  431: "The headers are larger than 16 KiB.",
  500: "The fault is ours; the log tells more under the answer's `X-Request-Id`.",
  503: "The server or its database is not available for the moment.",
};

export interface RouteTraits {
  readonly hasBody: boolean;
  readonly hasPathParameters: boolean;
}

/** What may happen to any request of a route, besides what the route itself says. */
export function listCommonErrorStatuses({ hasBody, hasPathParameters }: RouteTraits): number[] {
  return [408, 431, 500, 503, ...(hasBody ? [413, 415] : []), ...(hasPathParameters ? [414] : [])];
}

function nameRefusal(status: number): string {
  const name = byStatus.get(status);
  if (name === undefined) throw new Error(`No error of the catalogue has the status ${status}.`);
  return errorCatalogue[name].error.replaceAll(" ", "");
}

export function referToErrorResponse(status: number): { $ref: string } {
  return { $ref: `#/components/responses/${nameRefusal(status)}` };
}

function writeExample(name: ErrorName): unknown {
  if (name !== "invalidRequest") return toErrorBody(new KnownError(name));
  return toErrorBody(invalid("name", "is required"));
}

/** The refusals that the document refers to, each written once. */
export function describeErrorResponses(statuses: Iterable<number>, schema: object) {
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const hasRetryAfter = status === 429 || status === 503;
      const refusal = {
        description: descriptions[status] ?? "Refused.",
        headers: {
          "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
          ...(hasRetryAfter && { "Retry-After": { $ref: "#/components/headers/Retry-After" } }),
        },
        content: {
          "application/json": { schema, example: writeExample(byStatus.get(status) ?? "internal") },
        },
      };
      return [nameRefusal(status), refusal];
    }),
  );
}
