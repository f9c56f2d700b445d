import type { AssertionSources } from "../assertions/assertion.ts";
import { assertionComparisons } from "../assertions/comparisons.ts";
import {
  createFigureSource,
  createHeaderSource,
  createJsonTextSource,
  createTextSource,
  responseTimeText,
} from "../assertions/sources.ts";
import type { HttpMeasurement, UnpackedBody } from "./http-measurement.ts";
import type { HeaderField } from "./http-request.ts";

/**
 * The document that HTTP assertions read. It exists only in the probe, which has the whole body.
 */
export interface HttpDocument {
  readonly status: number;
  readonly responseTime: number;
  /** By lower-case name; repeated fields are joined with commas. */
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

/**
 * Header names are chosen by the server, so they are collected in a Map and never set as object
 * properties.
 */
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
