import { fromTrouble, type NoData, type Trouble } from "../../contract/result.ts";
import type { Run } from "../definition.ts";
import { DetailReader, DetailWriter } from "../detail-bytes.ts";
import { maxHttpBytes, readAnswer, writeAnswer } from "../http/http-codec.ts";
import { secretMask } from "../secrets.ts";
import { maxAssertionBytes, readAssertions, writeAssertions } from "./assertion-codec.ts";
import { type ApiMeasurement, maxKeptBodyLength } from "./measurement.ts";
import { type ApiRequest, bodyTypes, type KeyValue, methods } from "./request.ts";

/**
 * One run: the response as written by `http-codec.ts`, or a zero byte; then
 *
 *     u8   flags
 *     u8   method
 *     u8   body type
 *     f32  timeout in milliseconds
 *     str  configured URL, prefixed with its length as u16
 *     […]  assertions with their results
 *
 * and, if the run had faults:
 *
 *     […]  headers, query parameters and user name of the request; no secrets
 *     str  beginning of the request body, prefixed with its length as u16
 *     u32  received bytes of the response body
 *     str  its beginning, prefixed with its length as u16
 *     str  decompression error, prefixed with its length as u8
 */
const followsRedirects = 1;
const skipsSsl = 2;
const isIpv6 = 4;
const hasBasicAuth = 8;
const isKept = 16;
const isBodyCut = 32;
const hasFault = 64;

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
    1_024,
);

type ApiRun = Run<ApiRequest, ApiMeasurement>;

export function encode({ request, outcome }: ApiRun): Buffer {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
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

const credentialName = /auth|cookie|credential|key|pass|secret|signature|token/i;

/** Possible secrets are masked here too, because more people can read results than checks. */
function writePairs(pairs: readonly KeyValue[]): void {
  const kept = pairs.slice(0, maxPairsKept);
  writer.byte(kept.length);
  for (const { key, value, locked } of kept) {
    const isHidden = value !== "" && (locked || credentialName.test(key));
    writer.byte(locked ? 1 : 0);
    writer.text(key);
    writer.longText(isHidden ? secretMask : value, maxValueBytes);
  }
}

/** Removes a user name and password from a URL. */
export function hideCredentials(url: string): string {
  return url.replace(/^(\s*[a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
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
  const measurement: ApiMeasurement = { ...answer, body, isKept: keeps, results };
  return { request, startedAtMs, outcome: { kind: "measured", measurement } };
}

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
