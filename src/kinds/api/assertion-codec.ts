import { clipText } from "../../platform/text/clip.ts";
import type { Assertion, AssertionResult } from "../assertions/assertion.ts";
import { assertionComparisons } from "../assertions/comparisons.ts";
import type { DetailReader, DetailWriter } from "../detail-bytes.ts";
import { assertionSources } from "./request.ts";

/**
 * Assertions with their results: their count as u8, then for each
 *
 *     u8   flags
 *     u8   source
 *     u8   comparison
 *     str  property, target and regex, if not empty, each prefixed with its length as u8
 *     str  actual value as JSON, if any, prefixed with its length as u16
 *     str  message, if it failed, prefixed with its length as u16
 */
const hasPassed = 1;
const wasEvaluated = 2;
const hasProperty = 4;
const hasTarget = 8;
const hasRegex = 16;
const hasActual = 32;
/** The value was too long; its beginning is stored as text. */
const isClipped = 64;
/** `regex` is present and null, which clients distinguish from an empty one. */
const isNullRegex = 128;

const sources = Object.keys(assertionSources);
const maxAssertions = 100;
/** Maximum stored size of the value of a passed assertion. */
const maxPassedBytes = 120;
const maxFailedBytes = 1_500;
const maxMessageBytes = 1_500;

export const maxAssertionBytes =
  1 + maxAssertions * (3 + 3 * 256 + 2 + maxFailedBytes + 2 + maxMessageBytes);

export function writeAssertions(
  writer: DetailWriter,
  assertions: readonly Assertion[],
  results: readonly AssertionResult[],
): void {
  const kept = assertions.slice(0, maxAssertions);
  writer.byte(kept.length);
  for (const [index, assertion] of kept.entries()) writeOne(writer, assertion, results[index]);
}

function writeOne(
  writer: DetailWriter,
  { source, comparison, property, target, regex }: Assertion,
  result: AssertionResult | undefined,
): void {
  const actual = result === undefined || result.actual === null ? null : writeActual(result);
  let flags = property === "" ? 0 : hasProperty;
  if (target !== "") flags |= hasTarget;
  if (regex) flags |= hasRegex;
  if (regex === null) flags |= isNullRegex;
  if (result !== undefined) flags |= wasEvaluated;
  if (result?.passed) flags |= hasPassed;
  if (actual !== null) flags |= hasActual;
  if (actual?.isClipped) flags |= isClipped;
  writer.byte(flags);
  writer.byte(sources.indexOf(source));
  writer.byte(assertionComparisons.indexOf(comparison));
  if (property !== "") writer.text(property);
  if (target !== "") writer.text(target);
  if (regex) writer.text(regex);
  if (actual !== null) writer.longText(actual.text, maxFailedBytes);
  if (result !== undefined && !result.passed) writer.longText(result.message, maxMessageBytes);
}

function writeActual({ actual, passed }: AssertionResult) {
  const json = JSON.stringify(actual) ?? "null";
  const maxBytes = passed ? maxPassedBytes : maxFailedBytes;
  if (Buffer.byteLength(json) <= maxBytes) return { text: json, isClipped: false };
  const text = typeof actual === "string" ? actual : json;
  // A character takes up to three bytes, and so does the ellipsis.
  return { text: clipText(text, Math.floor(maxBytes / 3)), isClipped: true };
}

export function readAssertions(reader: DetailReader): {
  assertions: Assertion[];
  results: AssertionResult[];
} {
  const assertions: Assertion[] = [];
  const results: AssertionResult[] = [];
  const count = reader.byte();
  for (let index = 0; index < count; index += 1) {
    const { assertion, result } = readOne(reader);
    assertions.push(assertion);
    if (result !== null) results.push(result);
  }
  return { assertions, results };
}

function readOne(reader: DetailReader): { assertion: Assertion; result: AssertionResult | null } {
  const flags = reader.byte();
  const has = (flag: number) => (flags & flag) !== 0;
  const source = sources[reader.byte()] ?? "";
  const comparison = assertionComparisons[reader.byte()] ?? "EQUALS";
  const property = has(hasProperty) ? reader.text() : "";
  const target = has(hasTarget) ? reader.text() : "";
  const regex = has(hasRegex) ? reader.text() : has(isNullRegex) ? null : "";
  const assertion = { source, property, comparison, target, regex };
  const actual = has(hasActual) ? readActual(reader.longText(), has(isClipped)) : null;
  if (!has(wasEvaluated)) return { assertion, result: null };
  const passed = has(hasPassed);
  const message = passed ? "" : reader.longText();
  return { assertion, result: { passed, actual, message } };
}

function readActual(text: string, wasClipped: boolean): unknown {
  if (wasClipped) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
