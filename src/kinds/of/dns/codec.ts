import { fromTrouble, type NoData, type Trouble } from "../../../contract/result.ts";
import { parseIpv4 } from "../../../platform/net/host.ts";
import type { Run } from "../../kit/definition.ts";
import { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import type { FigureVisitor } from "../../kit/figures.ts";
import type { DnsMeasurement } from "./measurement.ts";
import type { DnsRequest } from "./request.ts";
import { maxKeptBytes } from "./wire/message.ts";
import { queryTypes } from "./wire/record-types.ts";

/**
 * Encoding of one run. The figures come first at fixed offsets, so that statistics can read them
 * without decoding the rest.
 *
 *     u8   1 if the server answered; otherwise 0, and the other fields of this list are absent
 *     2 × f32  big-endian milliseconds: over UDP, over TCP; NaN if there is no value
 *     f32  milliseconds to resolve the server's name
 *     u16 × 5  port, queries sent, ignored answers, response code, received bytes
 *     [ ]  stored part of the received message, prefixed with its length in bytes as u16
 *
 * Then for every run, answered or not:
 *
 *     u8   flags
 *     u8   index of the record type in `queryTypes`
 *     u16  port
 *     f32  timeout in milliseconds
 *     [4]  resolved address if it is IPv4; an address of any other form is stored as text,
 *          prefixed with its length as u8; absent if the server did not answer
 *     str  configured server, prefixed with its length as u8; absent if there is none or if it is
 *          the resolved address
 *     str  queried name, prefixed with its length as u8
 */
const wasAnswered = 1;

const isTcp = 1;
const hasAddress = 2;
const isShortAddress = 4;
const hasServer = 8;
const isNamedByAddress = 16;
const isCut = 32;
const isIpv4 = 64;
const isIpv6 = 128;

export const figureBytes = 9;

const maxRestBytes = 1 + 1 + 2 + 4 + 256 + 256 + 256;
const writer = new DetailWriter(figureBytes + 4 + 10 + 2 + maxKeptBytes + maxRestBytes);

type DnsRun = Run<DnsRequest, DnsMeasurement>;

export function encode({ request, outcome }: DnsRun): Buffer {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  writer.begin();
  writer.byte(measured === null ? 0 : wasAnswered);
  if (measured !== null) writeMeasured(measured);
  writeRest(request, measured);
  return writer.finish();
}

function writeMeasured(measured: DnsMeasurement): void {
  writer.networkReal(measured.udpMs ?? Number.NaN);
  writer.networkReal(measured.tcpMs ?? Number.NaN);
  writer.real(measured.nameServerMs);
  writer.short(measured.port);
  writer.short(measured.queriesSent);
  writer.short(measured.ignoredAnswers);
  writer.short(measured.responseCode);
  writer.short(measured.receivedBytes);
  const message = Buffer.from(measured.message, "base64").subarray(0, maxKeptBytes);
  writer.short(message.length);
  writer.bytes(message);
}

function writeRest(request: DnsRequest, measured: DnsMeasurement | null): void {
  const { query, recordType, nameServer, port, protocol, ipFamily, timeoutMs } = request;
  const address = measured?.resolvedIp ?? null;
  const short = address === null ? null : parseIpv4(address);
  let flags = protocol === "TCP" ? isTcp : 0;
  if (address !== null) flags |= hasAddress;
  if (short !== null) flags |= isShortAddress;
  if (nameServer !== null) flags |= nameServer === address ? isNamedByAddress : hasServer;
  if (measured?.isCut) flags |= isCut;
  if (ipFamily !== undefined) flags |= ipFamily === "IPv4" ? isIpv4 : isIpv6;
  writer.byte(flags);
  writer.byte(queryTypes.indexOf(recordType));
  writer.short(port);
  writer.real(timeoutMs);
  if (short !== null) writer.bytes(short);
  else if (address !== null) writer.text(address);
  if (nameServer !== null && nameServer !== address) writer.text(nameServer);
  writer.text(query);
}

export function decode(
  detail: Buffer,
  { startedAtMs, trouble }: { readonly startedAtMs: number; readonly trouble: object | null },
): DnsRun {
  const reader = new DetailReader(detail);
  const figures = reader.byte() === wasAnswered ? readMeasured(reader) : null;
  const { request, resolvedIp, isCut: wasCut } = readRest(reader);
  if (figures === null) {
    return { request, startedAtMs, outcome: fromTrouble(trouble as Trouble | NoData) };
  }
  const measurement = { resolvedIp, ...figures, isCut: wasCut };
  return { request, startedAtMs, outcome: { kind: "measured", measurement } };
}

function readMeasured(reader: DetailReader) {
  return {
    udpMs: reader.networkReal(),
    tcpMs: reader.networkReal(),
    nameServerMs: reader.real(),
    port: reader.short(),
    queriesSent: reader.short(),
    ignoredAnswers: reader.short(),
    responseCode: reader.short(),
    receivedBytes: reader.short(),
    message: reader.bytes(reader.short()).toString("base64"),
  };
}

function readRest(reader: DetailReader) {
  const flags = reader.byte();
  const has = (flag: number) => (flags & flag) !== 0;
  const recordType = queryTypes[reader.byte()] ?? "A";
  const port = reader.short();
  const timeoutMs = reader.real();
  const resolvedIp = has(isShortAddress)
    ? reader.bytes(4).join(".")
    : has(hasAddress)
      ? reader.text()
      : "";
  const named = has(isNamedByAddress) ? resolvedIp : null;
  const nameServer = has(hasServer) ? reader.text() : named;
  const query = reader.text();
  const protocol = has(isTcp) ? ("TCP" as const) : ("UDP" as const);
  const rest = { query, recordType, nameServer, port, protocol, timeoutMs };
  const request: DnsRequest = has(isIpv4 | isIpv6)
    ? { ...rest, ipFamily: has(isIpv6) ? "IPv6" : "IPv4" }
    : rest;
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
  if (to - from < figureBytes || bytes.getUint8(from) !== wasAnswered) return;
  const udpMs = bytes.getFloat32(from + 1);
  const tcpMs = bytes.getFloat32(from + 5);
  let totalMs = 0;
  if (!Number.isNaN(udpMs)) {
    visitor.part(0, udpMs);
    totalMs += udpMs;
  }
  if (!Number.isNaN(tcpMs)) {
    visitor.part(1, tcpMs);
    totalMs += tcpMs;
  }
  visitor.sample(totalMs);
}
