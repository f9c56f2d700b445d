import type { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import { maxTlsBytes, readTlsDetail, writeTls } from "../tls/codec.ts";
import { listHttpParts, wasAnswered } from "./http-figures.ts";
import {
  bodyEnds,
  type HeaderField,
  type HttpHop,
  type HttpMeasurement,
  type HttpPhases,
  maxRedirects,
} from "./http-measurement.ts";

/**
 * Encoding of a response after the figures that `http-figures.ts` writes:
 *
 *     u8       flags
 *     u16      status code
 *     str      status text, prefixed with its length as u8
 *     f32      duration of the body in milliseconds, which the figures omit for incomplete bodies
 *     u32      received bytes of the body
 *     str      resolved IP address, prefixed with its length as u8
 *     str      last requested URL, prefixed with its length as u16
 *     […]      redirects, prefixed with their count as u8
 *     […]      header fields, prefixed with their count as u8
 *     […]      TLS facts, if the connection used TLS
 *
 * The kind's own data follows after these fields.
 */
const isHttp10 = 1;
const isHttp2 = 2;
const hasTls = 4;

const maxUrlBytes = 3 * 2_048;
/** Maximum number of stored header fields. */
const maxHeaders = 100;
const maxNameBytes = 255;
const maxHeaderValueBytes = 1_024;
const maxHopBytes = 2 + 2 + maxUrlBytes + 256 + 20;

export const maxHttpBytes =
  64 +
  3 * 256 +
  2 +
  maxUrlBytes +
  maxRedirects * maxHopBytes +
  maxHeaders * (1 + maxNameBytes + 2 + maxHeaderValueBytes) +
  maxTlsBytes;

export function writeAnswer(writer: DetailWriter, measured: HttpMeasurement): void {
  writer.byte(wasAnswered);
  writer.byte(bodyEnds.indexOf(measured.bodyEnd));
  for (const value of listHttpParts(measured)) writer.networkReal(value ?? Number.NaN);
  writer.networkReal(measured.totalMs);
  const { httpVersion, tls, hops } = measured;
  let flags = httpVersion === "2" ? isHttp2 : httpVersion === "1.0" ? isHttp10 : 0;
  if (tls !== null) flags |= hasTls;
  writer.byte(flags);
  writer.short(measured.status);
  writer.text(measured.statusText);
  writer.networkReal(measured.phases.bodyMs);
  writer.long(measured.receivedBytes);
  writer.text(measured.resolvedIp);
  writer.longText(measured.url, maxUrlBytes);
  writer.byte(Math.min(hops.length, maxRedirects));
  for (const hop of hops.slice(0, maxRedirects)) writeHop(writer, hop);
  writeHeaders(writer, measured.headers);
  if (tls !== null) writeTls(writer, tls);
}

function writeHop(writer: DetailWriter, { url, status, resolvedIp, phases }: HttpHop): void {
  writer.longText(url, maxUrlBytes);
  writer.short(status);
  writer.text(resolvedIp);
  const { dnsMs, connectMs, tlsMs, firstByteMs, bodyMs } = phases;
  for (const value of [dnsMs, connectMs, tlsMs, firstByteMs, bodyMs]) {
    writer.networkReal(value ?? Number.NaN);
  }
}

function writeHeaders(writer: DetailWriter, headers: readonly HeaderField[]): void {
  const kept = headers.slice(0, maxHeaders);
  writer.byte(kept.length);
  for (const [name, value] of kept) {
    writer.text(name);
    writer.longText(value, maxHeaderValueBytes);
  }
}

/** Reads the stored response; returns `null` if the run got no response. */
export function readAnswer(reader: DetailReader): HttpMeasurement | null {
  if (reader.byte() !== wasAnswered) return null;
  const bodyEnd = bodyEnds[reader.byte()] ?? "broken";
  const redirectMs = reader.networkReal() ?? 0;
  const dnsMs = reader.networkReal() ?? 0;
  const connectMs = reader.networkReal() ?? 0;
  const tlsMs = reader.networkReal();
  const firstByteMs = reader.networkReal() ?? 0;
  reader.networkReal();
  const totalMs = reader.networkReal() ?? 0;
  const flags = reader.byte();
  const status = reader.short();
  const statusText = reader.text();
  const bodyMs = reader.networkReal() ?? 0;
  const receivedBytes = reader.long();
  const resolvedIp = reader.text();
  const url = reader.longText();
  const hops = Array.from({ length: reader.byte() }, () => readHop(reader));
  const headers = Array.from(
    { length: reader.byte() },
    (): HeaderField => [reader.text(), reader.longText()],
  );
  return {
    hops,
    url,
    resolvedIp,
    status,
    statusText,
    httpVersion: (flags & isHttp2) !== 0 ? "2" : (flags & isHttp10) !== 0 ? "1.0" : "1.1",
    headers,
    phases: { dnsMs, connectMs, tlsMs, firstByteMs, bodyMs },
    redirectMs,
    totalMs,
    receivedBytes,
    bodyEnd,
    tls: (flags & hasTls) !== 0 ? readTlsDetail(reader) : null,
  };
}

function readHop(reader: DetailReader): HttpHop {
  const url = reader.longText();
  const status = reader.short();
  const resolvedIp = reader.text();
  const phases: HttpPhases = {
    dnsMs: reader.networkReal() ?? 0,
    connectMs: reader.networkReal() ?? 0,
    tlsMs: reader.networkReal(),
    firstByteMs: reader.networkReal() ?? 0,
    bodyMs: reader.networkReal() ?? 0,
  };
  return { url, status, resolvedIp, phases };
}
