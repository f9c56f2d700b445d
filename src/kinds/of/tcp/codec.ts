import { fromTrouble, type NoData, type Trouble } from "../../../contract/result.ts";
import { parseIpv4 } from "../../../platform/net/host.ts";
import type { Run } from "../../kit/definition.ts";
import { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import type { FigureVisitor } from "../../kit/figures.ts";
import { answerEnds, maxKeptBytes, type TcpMeasurement } from "./measurement.ts";
import type { AwaitedAnswer, TcpRequest } from "./request.ts";

/**
 * Format of a stored run. The figures come first at fixed offsets, so that statistics read only the
 * figures.
 *
 *     u8   1 if connected; otherwise 0, and the other fields of this list are absent
 *     u8   how the wait for a response ended
 *     4 × f32  big-endian milliseconds: name resolution, connection, last byte, first byte;
 *              NaN if missing
 *     u32 × 2  bytes sent, bytes received
 *     str  received text, prefixed with its length in bytes as u16
 *
 * Then, for every run:
 *
 *     u8   flags
 *     u16  port
 *     f32  timeout in milliseconds
 *     [4]  resolved IPv4 address; another address as text, prefixed with its length as u8; absent
 *          if the connection failed
 *     str  host name, prefixed with its length as u8, unless it is the resolved address
 *     str  beginning of the sent data, if any, prefixed with its length as u8
 */
const wasConnected = 1;

const isIpv6 = 1;
const hasAddress = 2;
const isShortAddress = 4;
const isNamedByAddress = 8;
const hasData = 16;
const isCut = 32;
const isWanted = 64;
const isSilence = 128;

export const figureBytes = 14;
const firstFigureAt = 2;

/** Maximum stored size of the sent data in bytes, which is enough to recognise the data. */
export const maxSentKeptBytes = 255;
/** Maximum size of the received text in bytes. Each invalid byte becomes a character of 3 bytes. */
const maxTextBytes = maxKeptBytes * 3;
const maxRestBytes = 1 + 2 + 4 + 256 + 256 + 256;
const writer = new DetailWriter(figureBytes + 4 + 8 + 2 + maxTextBytes + maxRestBytes);

type TcpRun = Run<TcpRequest, TcpMeasurement>;

export function encode({ request, outcome }: TcpRun): Buffer {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  writer.begin();
  writer.byte(measured === null ? 0 : wasConnected);
  if (measured !== null) writeMeasured(measured);
  writeRest(request, measured);
  return writer.finish();
}

function writeMeasured(measured: TcpMeasurement): void {
  const { dnsMs, connectMs, dataMs, firstByteMs } = measured;
  writer.byte(answerEnds.indexOf(measured.answer));
  for (const value of [dnsMs, connectMs, dataMs, firstByteMs]) {
    writer.networkReal(value ?? Number.NaN);
  }
  writer.long(measured.sentBytes);
  writer.long(measured.receivedBytes);
  writer.longText(measured.text, maxTextBytes);
}

function writeRest(request: TcpRequest, measured: TcpMeasurement | null): void {
  const { hostname, port, ipFamily, data, answer, timeoutMs } = request;
  const address = measured?.resolvedIp ?? null;
  const short = address === null ? null : parseIpv4(address);
  let flags = ipFamily === "IPv6" ? isIpv6 : 0;
  if (address !== null) flags |= hasAddress;
  if (short !== null) flags |= isShortAddress;
  if (address === hostname) flags |= isNamedByAddress;
  if (data !== null) flags |= hasData;
  if (measured?.isCut) flags |= isCut;
  if (answer !== "none") flags |= answer === "wanted" ? isWanted : isSilence;
  writer.byte(flags);
  writer.short(port);
  writer.real(timeoutMs);
  if (short !== null) writer.bytes(short);
  else if (address !== null) writer.text(address);
  if (address !== hostname) writer.text(hostname);
  if (data !== null) writer.text(data);
}

export function decode(
  detail: Buffer,
  { startedAtMs, trouble }: { readonly startedAtMs: number; readonly trouble: object | null },
): TcpRun {
  const reader = new DetailReader(detail);
  const figures = reader.byte() === wasConnected ? readMeasured(reader) : null;
  const { request, resolvedIp, isCut: wasCut } = readRest(reader);
  if (figures === null) {
    return { request, startedAtMs, outcome: fromTrouble(trouble as Trouble | NoData) };
  }
  const measurement = { resolvedIp, ...figures, isCut: wasCut };
  return { request, startedAtMs, outcome: { kind: "measured", measurement } };
}

function readMeasured(reader: DetailReader) {
  return {
    answer: answerEnds[reader.byte()] ?? "not-awaited",
    dnsMs: reader.networkReal() ?? 0,
    connectMs: reader.networkReal() ?? 0,
    dataMs: reader.networkReal(),
    firstByteMs: reader.networkReal(),
    sentBytes: reader.long(),
    receivedBytes: reader.long(),
    text: reader.longText(),
  };
}

function readRest(reader: DetailReader) {
  const flags = reader.byte();
  const has = (flag: number) => (flags & flag) !== 0;
  const port = reader.short();
  const timeoutMs = reader.real();
  const resolvedIp = has(isShortAddress)
    ? reader.bytes(4).join(".")
    : has(hasAddress)
      ? reader.text()
      : "";
  const hostname = has(isNamedByAddress) ? resolvedIp : reader.text();
  const data = has(hasData) ? reader.text() : null;
  const ipFamily = has(isIpv6) ? ("IPv6" as const) : ("IPv4" as const);
  const answer: AwaitedAnswer = has(isWanted) ? "wanted" : has(isSilence) ? "silence" : "none";
  const request: TcpRequest = { hostname, port, ipFamily, data, answer, timeoutMs };
  return { request, resolvedIp, isCut: has(isCut) };
}

/**
 * Reads the figures of a run without allocating objects, because statistics read millions of
 * results. A run has at most one sample: its response time.
 */
export function readFigures(
  bytes: DataView,
  from: number,
  to: number,
  visitor: FigureVisitor,
): void {
  if (to - from < figureBytes || bytes.getUint8(from) !== wasConnected) return;
  let totalMs = 0;
  for (let place = 0; place < 3; place += 1) {
    const value = bytes.getFloat32(from + firstFigureAt + place * 4);
    if (Number.isNaN(value)) continue;
    visitor.part(place, value);
    totalMs += value;
  }
  if (answeredEnds.has(bytes.getUint8(from + 1))) visitor.sample(totalMs);
}

const answeredEnds: ReadonlySet<number> = new Set([
  answerEnds.indexOf("not-awaited"),
  answerEnds.indexOf("received"),
  answerEnds.indexOf("silent"),
]);
