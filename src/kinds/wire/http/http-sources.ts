import type { Assertion, AssertionSources } from "../../kit/assertions/assertion.ts";
import { assertionComparisons } from "../../kit/assertions/comparisons.ts";
import {
  createFigureSource,
  createHeaderSource,
  createJsonTextSource,
  createTextSource,
  responseTimeText,
} from "../../kit/assertions/sources.ts";
import type { HeaderField, HttpMeasurement, UnpackedBody } from "./http-measurement.ts";

/** Document that HTTP assertions read. It exists only in the probe, which has the whole body. */
export interface HttpDocument {
  readonly status: number;
  readonly responseTime: number;
  /** Header values by lower-case name. Repeated header fields are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly isCut: boolean;
}

export function buildHttpDocument(
  { status, totalMs, headers }: Pick<HttpMeasurement, "status" | "totalMs" | "headers">,
  { text, isCut, fault }: Pick<UnpackedBody, "text" | "isCut" | "fault">,
): HttpDocument {
  return {
    status,
    responseTime: totalMs,
    headers: joinHeaders(headers),
    text,
    isCut: isCut || fault !== null,
  };
}

/** Joins repeated header fields. Uses a Map, because servers may send names such as `__proto__`. */
export function joinHeaders(headers: readonly HeaderField[]): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of headers) {
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(joined);
}

export const httpSources = {
  STATUS_CODE: createFigureSource("STATUS_CODE", { label: "status code" }, ({ status }) => status),
  RESPONSE_TIME: createFigureSource(
    "RESPONSE_TIME",
    responseTimeText,
    ({ responseTime }) => responseTime,
  ),
  HEADERS: createHeaderSource(({ headers }) => headers),
  TEXT_BODY: createTextSource("body", ({ text }) => text, assertionComparisons),
  JSON_BODY: createJsonTextSource("JSON body", "$.id", ({ text, isCut }) =>
    typeof text === "string" ? { text, isCut: isCut === true } : null,
  ),
} satisfies AssertionSources;

/** Maximum length of a body that is parsed or searched within a fraction of a millisecond. */
const maxSmallLength = 16_384;
/** Maximum product of text length and expression length at which a regular expression is cheap. */
const maxRegexWork = 100_000;

/**
 * Returns whether evaluating the assertions takes at most about a millisecond. The measuring thread
 * evaluates cheap assertions itself and sends the others to the evaluation thread.
 */
export function isCheap(assertions: readonly Assertion[], { text }: HttpDocument): boolean {
  return assertions.every(({ source, property, regex }) => {
    if (source === "STATUS_CODE" || source === "RESPONSE_TIME") return true;
    const pattern = regex || (source === "TEXT_BODY" ? property : "");
    if (pattern !== "" && !isCheapPattern(pattern, text)) return false;
    if (source === "HEADERS") return true;
    if (text.length > maxSmallLength) return false;
    return source === "TEXT_BODY" || isCheapPath(property);
  });
}

function isCheapPattern(pattern: string, text: string): boolean {
  return !pattern.includes("{") && pattern.length * (text.length + 1) <= maxRegexWork;
}

/**
 * Returns whether a JSONPath has no filter, at most one descendant segment and at most two
 * wildcards.
 */
function isCheapPath(path: string): boolean {
  return !path.includes("?") && path.split("..").length <= 2 && path.split("*").length <= 3;
}
