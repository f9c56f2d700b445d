import { fromTrouble, type NoData, type Trouble } from "../../../contract/result.ts";
import { clipText } from "../../../platform/text/clip.ts";
import type { Assertion, AssertionResult } from "../../kit/assertions/assertion.ts";
import { assertionComparisons } from "../../kit/assertions/comparisons.ts";
import type { Run } from "../../kit/definition.ts";
import { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import { secretMask } from "../../kit/secrets.ts";
import { maxHttpBytes, readAnswer, writeAnswer } from "../../wire/http/http-codec.ts";
import { type ApiMeasurement, maxKeptBodyLength } from "./measurement.ts";
import { type ApiRequest, assertionSources, bodyTypes, type KeyValue, methods } from "./request.ts";
import { hideCredentials, readScriptRuns, type ScriptRuns, showValue } from "./script-runs.ts";

/**
 * Encoding of a list of assertions with their results: the count as u8, then for each assertion:
 *
 *     u8   flags
 *     u8   source
 *     u8   comparison
 *     str  property, target and regex, if not empty, each prefixed with its length as u8
 *     str  actual value as JSON, if there is one, prefixed with its length as u16
 *     str  message, if the assertion failed, prefixed with its length as u16
 */
const hasPassed = 1;
const wasEvaluated = 2;
const hasProperty = 4;
const hasTarget = 8;
const hasRegex = 16;
const hasActual = 32;
/** Set if the actual value was too long and only the beginning of its text is stored. */
const isClipped = 64;
/** Set if `regex` is `null`. Clients distinguish `null` from an empty expression. */
const isNullRegex = 128;

const sources = Object.keys(assertionSources);
const maxAssertions = 100;
/** Maximum stored size in bytes of the actual value of a passed assertion. */
const maxPassedBytes = 120;
const maxFailedBytes = 1_500;
const maxMessageBytes = 1_500;

const maxAssertionBytes =
  1 + maxAssertions * (3 + 3 * 256 + 2 + maxFailedBytes + 2 + maxMessageBytes);

function writeAssertions(
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
  // `maxBytes` limits the size in UTF-8, but `clipText` counts UTF-16 code units, including the
  // ellipsis that it adds. Each code unit takes at most three bytes in UTF-8, so a third of
  // `maxBytes` is a safe length.
  return { text: clipText(text, Math.floor(maxBytes / 3)), isClipped: true };
}

function readAssertions(reader: DetailReader): {
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

/**
 * Encoding of one run: the response as written by `http-codec.ts`, or a zero byte if there was
 * none; then:
 *
 *     u8   flags
 *     u8   method
 *     u8   body type
 *     f32  timeout in milliseconds
 *     str  configured URL, prefixed with its length as u16
 *     […]  assertions with their results
 *
 * and, if `isKept` is set:
 *
 *     […]  headers and query parameters of the request, in which secrets are masked
 *     str  user name of the request, if there is one, prefixed with its length as u8
 *     str  beginning of the request body, prefixed with its length as u16
 *
 * and, if `isKept` is set and there was a response:
 *
 *     u32  number of body bytes of the response after decompression
 *     str  beginning of the response body, prefixed with its length as u16
 *     str  decompression error, if there was one, prefixed with its length as u8
 */
const followsRedirects = 1;
const skipsSsl = 2;
const isIpv6 = 4;
const hasBasicAuth = 8;
const isKept = 16;
const isBodyCut = 32;
const hasFault = 64;
/**
 * If this flag is set, the encoding ends with the results of the setup scripts and of the teardown
 * scripts, each as JSON that is prefixed with its length as u16.
 */
const hasScripts = 128;

const maxUrlBytes = 3 * 2_048;
const maxPairsKept = 100;
const maxValueBytes = 512;
const maxSentBytes = 4_096;
const maxBodyBytes = 3 * maxKeptBodyLength;
const maxPairBytes = 256 + 2 + maxValueBytes;

const writer = new DetailWriter(
  maxHttpBytes +
    16 +
    maxUrlBytes +
    maxAssertionBytes +
    2 * (1 + maxPairsKept * maxPairBytes) +
    maxSentBytes +
    maxBodyBytes +
    2 * (2 + 0xffff) +
    1_024,
);

type ApiRun = Run<ApiRequest, ApiMeasurement>;

/**
 * Returns the script results of a run; `null` if there are none. If the run got no response, its
 * error contains the script results.
 */
export function findScripts({ outcome }: Pick<ApiRun, "outcome">): ScriptRuns | null {
  if (outcome.kind === "measured") return outcome.measurement.scripts ?? null;
  const trouble = outcome.kind === "unreachable" ? outcome.trouble : {};
  return "scripts" in trouble ? readScriptRuns(trouble.scripts) : null;
}

export function encode({ request: ordered, outcome }: ApiRun): Buffer {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  const sent = findScripts({ outcome })?.sent ?? null;
  const request = sent === null ? ordered : { ...ordered, ...sent };
  writer.begin();
  if (measured === null) writer.byte(0);
  else writeAnswer(writer, measured);
  const keeps = measured === null || measured.isKept;
  writer.byte(writeFlags(request, measured, keeps));
  writer.byte(methods.indexOf(request.method));
  writer.byte(bodyTypes.indexOf(request.bodyType));
  writer.real(request.timeoutMs);
  writer.longText(hideCredentials(request.url), maxUrlBytes);
  writeAssertions(writer, request.assertions, measured?.results ?? []);
  if (keeps) writeKept(request, measured);
  if (measured?.scripts !== undefined) {
    const { setup, teardown } = measured.scripts;
    for (const hook of [setup, teardown]) writer.longText(JSON.stringify(hook), 0xffff);
  }
  return writer.finish();
}

function writeFlags(
  { followRedirects, skipSSL, ipFamily, basicAuth }: ApiRequest,
  measured: ApiMeasurement | null,
  keeps: boolean,
): number {
  let flags = followRedirects ? followsRedirects : 0;
  if (skipSSL) flags |= skipsSsl;
  if (ipFamily === "IPv6") flags |= isIpv6;
  if (basicAuth !== null) flags |= hasBasicAuth;
  if (keeps) flags |= isKept;
  if (measured?.body.isCut) flags |= isBodyCut;
  if (keeps && measured !== null && measured.body.fault !== null) flags |= hasFault;
  if (measured?.scripts !== undefined) flags |= hasScripts;
  return flags;
}

function writeKept(request: ApiRequest, measured: ApiMeasurement | null): void {
  writePairs(request.headers);
  writePairs(request.queryParameters);
  if (request.basicAuth !== null) writer.text(request.basicAuth.username);
  writer.longText(request.body, maxSentBytes);
  if (measured === null) return;
  const { bytes, text, fault } = measured.body;
  writer.long(bytes);
  writer.longText(text, maxBodyBytes);
  if (fault !== null) writer.text(fault);
}

/**
 * Writes headers or query parameters. Values that may be secret are masked, because more people can
 * read results than checks.
 */
function writePairs(pairs: readonly KeyValue[]): void {
  const kept = pairs.slice(0, maxPairsKept);
  writer.byte(kept.length);
  for (const pair of kept) {
    writer.byte(pair.locked ? 1 : 0);
    writer.text(pair.key);
    writer.longText(showValue(pair), maxValueBytes);
  }
}

export function decode(
  detail: Buffer,
  { startedAtMs, trouble }: { readonly startedAtMs: number; readonly trouble: object | null },
): ApiRun {
  const reader = new DetailReader(detail);
  const answer = readAnswer(reader);
  const flags = reader.byte();
  const has = (flag: number) => (flags & flag) !== 0;
  const method = methods[reader.byte()] ?? "GET";
  const bodyType = bodyTypes[reader.byte()] ?? "NONE";
  const timeoutMs = reader.real();
  const url = reader.longText();
  const { assertions, results } = readAssertions(reader);
  const keeps = has(isKept);
  const stored = keeps
    ? readStoredRequest(reader, has(hasBasicAuth))
    : nothingKept(has(hasBasicAuth));
  const request: ApiRequest = {
    method,
    url,
    followRedirects: has(followsRedirects),
    skipSSL: has(skipsSsl),
    ipFamily: has(isIpv6) ? "IPv6" : "IPv4",
    bodyType,
    ...stored,
    assertions,
    timeoutMs,
  };
  if (answer === null) {
    return { request, startedAtMs, outcome: fromTrouble(trouble as Trouble | NoData) };
  }
  const body = keeps
    ? {
        bytes: reader.long(),
        text: reader.longText(),
        isCut: has(isBodyCut),
        fault: has(hasFault) ? reader.text() : null,
      }
    : { bytes: 0, text: "", isCut: has(isBodyCut), fault: null };
  const scripts = has(hasScripts) ? readHooks(reader) : null;
  const measurement: ApiMeasurement = {
    ...{ ...answer, body, isKept: keeps, results },
    ...(scripts !== null && { scripts }),
  };
  return { request, startedAtMs, outcome: { kind: "measured", measurement } };
}

function readHooks(reader: DetailReader): ScriptRuns {
  const read = () => readActual(reader.longText(), false);
  const [setup, teardown] = [read(), read()];
  return readScriptRuns({ setup, teardown, sent: null }) ?? noRuns;
}

const noRuns: ScriptRuns = { setup: null, teardown: null, sent: null };

function nothingKept(hadBasicAuth: boolean) {
  const basicAuth = hadBasicAuth ? { username: "", password: secretMask } : null;
  return { headers: [], queryParameters: [], basicAuth, body: "" };
}

function readStoredRequest(reader: DetailReader, hadBasicAuth: boolean) {
  const headers = readPairs(reader);
  const queryParameters = readPairs(reader);
  const basicAuth = hadBasicAuth ? { username: reader.text(), password: secretMask } : null;
  return { headers, queryParameters, basicAuth, body: reader.longText() };
}

function readPairs(reader: DetailReader): KeyValue[] {
  return Array.from({ length: reader.byte() }, () => {
    const locked = reader.byte() === 1;
    return { key: reader.text(), value: reader.longText(), locked };
  });
}
