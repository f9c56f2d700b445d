import { fromTrouble, type NoData, type Trouble } from "../../../contract/result.ts";
import type { Run } from "../../kit/definition.ts";
import { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import type { FigureVisitor } from "../../kit/figures.ts";
import { maxTlsBytes, readTlsDetail, writeTls } from "../../wire/tls/codec.ts";
import {
  type GrpcMeasurement,
  maxMetadataFields,
  maxMetadataValueLength,
  maxStatusMessageLength,
  maxStoredBytes,
} from "./measurement.ts";
import type { GrpcRequest } from "./request.ts";

/**
 * Format of a stored run. The figures come first at fixed offsets, so that statistics read only the
 * figures.
 *
 *     u8   1 if the call ended with a status, otherwise 0
 *     4 × f32  big-endian milliseconds: name resolution, connection, TLS, call; NaN if missing
 *     u8   flags
 *
 * Then, only if the call ended with a status:
 *
 *     f32  big-endian milliseconds of reflection; NaN without reflection
 *     u16  status code
 *     u8   health status; 255 if there is none
 *     u32  size of the response message
 *     str  status message, response message, each prefixed with its length in bytes as u16
 *     […]  metadata, prefixed with the number of fields as u8
 *     str  resolved address, prefixed with its length as u8
 *     tls  TLS facts (../tls/codec.ts), if there are any
 *
 * Then, for every run, the request without message, metadata and proto file:
 *
 *     u16  port
 *     f32  timeout in milliseconds
 *     str  host name, method and service, each prefixed with its length as u8
 */
const wasMeasured = 1;

const isIpv6 = 1;
const hasTls = 2;
const skipsTrust = 4;
const isHealth = 8;
const isFromFile = 16;
const isCut = 32;
const hasTlsFacts = 64;

export const figureBytes = 17;
const noHealth = 255;
/**
 * Maximum size of the status message and the metadata in bytes. In UTF-8, a UTF-16 code unit takes
 * up to three bytes.
 */
const maxTextBytes =
  3 * (maxStatusMessageLength + maxMetadataFields * (255 + maxMetadataValueLength));
const writer = new DetailWriter(2_048 + maxStoredBytes + maxTextBytes + maxTlsBytes);

type GrpcRun = Run<GrpcRequest, GrpcMeasurement>;

export function encode({ request, outcome }: GrpcRun): Buffer {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  writer.begin();
  writer.byte(measured === null ? 0 : wasMeasured);
  const figures = [measured?.dnsMs, measured?.connectMs, measured?.tlsMs, measured?.callMs];
  for (const value of figures) writer.networkReal(value ?? Number.NaN);
  writer.byte(listFlags(request, measured));
  if (measured !== null) writeMeasured(measured);
  writer.short(request.port);
  writer.real(request.timeoutMs);
  writer.text(request.hostname);
  writer.text(request.method ?? "");
  writer.text(request.service ?? "");
  return writer.finish();
}

function isStoredCut({ isCut: wasCut, message }: GrpcMeasurement): boolean {
  return wasCut || Buffer.byteLength(message) > maxStoredBytes;
}

function listFlags(request: GrpcRequest, measured: GrpcMeasurement | null): number {
  let flags = request.ipFamily === "IPv6" ? isIpv6 : 0;
  if (request.tls) flags |= hasTls;
  if (request.skipSSL) flags |= skipsTrust;
  if (request.mode === "HEALTH") flags |= isHealth;
  if (request.serviceDefinition === "PROTO_FILE") flags |= isFromFile;
  if (measured !== null && isStoredCut(measured)) flags |= isCut;
  if (measured?.tls) flags |= hasTlsFacts;
  return flags;
}

function writeMeasured(measured: GrpcMeasurement): void {
  writer.networkReal(measured.reflectionMs ?? Number.NaN);
  writer.short(measured.statusCode);
  writer.byte(measured.healthStatus ?? noHealth);
  writer.long(measured.receivedBytes);
  writer.longText(measured.statusMessage, 3 * maxStatusMessageLength);
  writer.longText(measured.message, maxStoredBytes);
  writer.byte(measured.metadata.length);
  for (const [name, value] of measured.metadata) {
    writer.text(name);
    writer.longText(value, 3 * maxMetadataValueLength);
  }
  writer.text(measured.resolvedIp);
  if (measured.tls !== null) writeTls(writer, measured.tls);
}

export function decode(
  detail: Buffer,
  { startedAtMs, trouble }: { readonly startedAtMs: number; readonly trouble: object | null },
): GrpcRun {
  const reader = new DetailReader(detail);
  const isMeasured = reader.byte() === wasMeasured;
  const dnsMs = reader.networkReal() ?? 0;
  const connectMs = reader.networkReal() ?? 0;
  const tlsMs = reader.networkReal();
  const callMs = reader.networkReal() ?? 0;
  const flags = reader.byte();
  const rest = isMeasured ? readMeasured(reader, flags) : null;
  const request = readRequest(reader, flags);
  if (rest === null) {
    return { request, startedAtMs, outcome: fromTrouble(trouble as Trouble | NoData) };
  }
  const measurement = { dnsMs, connectMs, tlsMs, callMs, ...rest };
  return { request, startedAtMs, outcome: { kind: "measured", measurement } };
}

function readMeasured(reader: DetailReader, flags: number) {
  const reflectionMs = reader.networkReal();
  const statusCode = reader.short();
  const health = reader.byte();
  const receivedBytes = reader.long();
  const statusMessage = reader.longText();
  const message = reader.longText();
  const metadata = Array.from(
    { length: reader.byte() },
    () => [reader.text(), reader.longText()] as const,
  );
  const resolvedIp = reader.text();
  return {
    reflectionMs,
    statusCode,
    statusMessage,
    healthStatus: health === noHealth ? null : health,
    message,
    isCut: (flags & isCut) !== 0,
    receivedBytes,
    metadata,
    resolvedIp,
    tls: (flags & hasTlsFacts) !== 0 ? readTlsDetail(reader) : null,
  };
}

function readRequest(reader: DetailReader, flags: number): GrpcRequest {
  const has = (flag: number) => (flags & flag) !== 0;
  const port = reader.short();
  const timeoutMs = reader.real();
  const hostname = reader.text();
  const method = reader.text();
  const service = reader.text();
  const mode = has(isHealth) ? "HEALTH" : "BEHAVIOR";
  const definition = has(isFromFile) ? "PROTO_FILE" : "REFLECTION";
  return {
    hostname,
    port,
    ipFamily: has(isIpv6) ? "IPv6" : "IPv4",
    skipSSL: has(skipsTrust),
    mode,
    tls: has(hasTls),
    metadata: [],
    serviceDefinition: mode === "HEALTH" ? null : definition,
    method: mode === "HEALTH" ? null : method || null,
    protoContent: null,
    message: null,
    service: mode === "HEALTH" ? service : null,
    timeoutMs,
  };
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
  if (to - from < figureBytes || bytes.getUint8(from) !== wasMeasured) return;
  let totalMs = 0;
  for (let place = 0; place < 4; place += 1) {
    const value = bytes.getFloat32(from + 1 + place * 4);
    if (Number.isNaN(value)) continue;
    visitor.part(place, value);
    totalMs += value;
  }
  visitor.sample(totalMs);
}
