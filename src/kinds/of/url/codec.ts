import { fromTrouble, type NoData, type Trouble } from "../../../contract/result.ts";
import type { Run } from "../../kit/definition.ts";
import { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import { maxHttpBytes, readAnswer, writeAnswer } from "../../wire/http/http-codec.ts";
import type { UnpackedBody } from "../../wire/http/http-measurement.ts";
import type { UrlMeasurement } from "./measurement.ts";
import { maxKeptBytes } from "./measurement.ts";
import type { UrlRequest } from "./request.ts";

/**
 * Encoding of one run: the response as written by `http-codec.ts`, or a zero byte if there was
 * none; then:
 *
 *     u8   flags
 *     f32  timeout in milliseconds
 *     str  configured URL, prefixed with its length as u16, unless equal to the URL of the response
 *
 * and, if the probe kept the body of the response:
 *
 *     u32  number of body bytes after decompression
 *     str  stored text, prefixed with its length as u16
 *     str  decompression error, if there was one, prefixed with its length as u8
 */
const isIpv6 = 1;
const follows = 2;
const skips = 4;
const isSameUrl = 8;
const hasBody = 16;
const isBodyCut = 32;
const hasFault = 64;

const maxUrlBytes = 3 * 2_048;
const maxTextBytes = 3 * maxKeptBytes;
const writer = new DetailWriter(maxHttpBytes + 5 + 2 + maxUrlBytes + 4 + 2 + maxTextBytes + 256);

type UrlRun = Run<UrlRequest, UrlMeasurement>;

export function encode({ request, outcome }: UrlRun): Buffer {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  const body = measured?.body ?? null;
  writer.begin();
  if (measured === null) writer.byte(0);
  else writeAnswer(writer, measured);
  let flags = request.ipFamily === "IPv6" ? isIpv6 : 0;
  if (request.followRedirects) flags |= follows;
  if (request.skipSSL) flags |= skips;
  if (request.url === measured?.url) flags |= isSameUrl;
  if (body !== null) flags |= hasBody;
  if (body?.isCut) flags |= isBodyCut;
  if (body !== null && body.fault !== null) flags |= hasFault;
  writer.byte(flags);
  writer.real(request.timeoutMs);
  if (request.url !== measured?.url) writer.longText(request.url, maxUrlBytes);
  if (body !== null) writeBody(body);
  return writer.finish();
}

function writeBody({ bytes, text, fault }: UnpackedBody): void {
  writer.long(bytes);
  writer.longText(text, maxTextBytes);
  if (fault !== null) writer.text(fault);
}

export function decode(
  detail: Buffer,
  { startedAtMs, trouble }: { readonly startedAtMs: number; readonly trouble: object | null },
): UrlRun {
  const reader = new DetailReader(detail);
  const answer = readAnswer(reader);
  const flags = reader.byte();
  const has = (flag: number) => (flags & flag) !== 0;
  const timeoutMs = reader.real();
  const request: UrlRequest = {
    url: has(isSameUrl) ? (answer?.url ?? "") : reader.longText(),
    followRedirects: has(follows),
    skipSSL: has(skips),
    ipFamily: has(isIpv6) ? "IPv6" : "IPv4",
    // Assertions are not stored with a run, because the check's current assertions apply.
    assertions: [],
    timeoutMs,
  };
  if (answer === null) {
    return { request, startedAtMs, outcome: fromTrouble(trouble as Trouble | NoData) };
  }
  const body = has(hasBody) ? readBody(reader, { isCut: has(isBodyCut), has }) : null;
  return { request, startedAtMs, outcome: { kind: "measured", measurement: { ...answer, body } } };
}

function readBody(
  reader: DetailReader,
  { isCut, has }: { readonly isCut: boolean; readonly has: (flag: number) => boolean },
): UnpackedBody {
  const bytes = reader.long();
  const text = reader.longText();
  return { bytes, text, isCut, fault: has(hasFault) ? reader.text() : null };
}
