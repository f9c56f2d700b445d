import { fromTrouble, type NoData, type Trouble } from "../../../contract/result.ts";
import { formatIpBytes, parseIpv4, parseIpv6 } from "../../../platform/net/host.ts";
import type { Run } from "../../kit/definition.ts";
import { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import type { FigureVisitor } from "../../kit/figures.ts";
import {
  type Hop,
  type HopAddress,
  type HopError,
  listFigures,
  maxAddresses,
  maxHops,
  maxLabels,
  maxNameLength,
  probesPerHop,
  protocols,
  socketModes,
  type TracerouteMeasurement,
  traceEnds,
} from "./measurement.ts";
import type { TracerouteRequest } from "./request.ts";

/**
 * Encoding of one run. The figures come first at fixed offsets, so that statistics can read them
 * without decoding the rest.
 *
 *     u8   1 if there was a trace; otherwise 0, and the fields up to the last hop are absent
 *     6 × f32  big-endian figures: packet loss, number of hops, duration of the name resolution,
 *              lowest, highest and average round trip to the target; NaN if there is no value
 *     u8   reason why the trace ended
 *     u8   socket mode in the lowest bit, and above it the number of the protocol that replaced the
 *          requested one, starting at 1
 *     u32  ignored packets
 *     […]  resolved address
 *     u8   number of hops; each hop has these fields:
 *          u8   number of sent packets in the lower two bits, flags in the upper bits
 *          u8   number of round trips in the lower four bits, number of addresses in the upper bits
 *          n × f32  round trips
 *          […]  addresses, each followed by its name, which is prefixed with its length as u8
 *          u8 × 2, u16  type, code and MTU of the error, if there is one
 *          u8, n × u32  number of labels and labels, if there are any
 *
 * The following fields are present for every run:
 *
 *     u8   protocol in the lower two bits, flags in the upper bits
 *     u16  port; 0 if there is none
 *     u8 × 2   maximum number of hops, maximum number of unknown hops
 *     u16  packet size in bytes; 0 for the smallest size
 *     f32  timeout in milliseconds
 *     str  host name, prefixed with its length as u8
 *
 * An address is stored as bytes, prefixed with the number of bytes as u8. If this number is 0, the
 * address is stored as text, prefixed with the length of the text as u8.
 */
const wasTraced = 1;
const protocolBits = 3;
const isIpv6 = 4;
const looksUpNames = 8;

const sentBits = 3;
const hasError = 4;
const hasMtu = 8;
const hasLabels = 16;

const figureCount = 6;
export const figureBytes = 1 + figureCount * 4;
const maxAddressBytes = 2 + 255;
const maxHopBytes =
  2 +
  probesPerHop * 4 +
  maxAddresses * (maxAddressBytes + 1 + maxNameLength * 3) +
  4 +
  1 +
  maxLabels * 4;
const writer = new DetailWriter(512 + figureBytes + maxAddressBytes + maxHops * maxHopBytes);

type TracerouteRun = Run<TracerouteRequest, TracerouteMeasurement>;

export function encode({ request, outcome }: TracerouteRun): Buffer {
  writer.begin();
  writer.byte(outcome.kind === "measured" ? wasTraced : 0);
  if (outcome.kind === "measured") writeMeasured(outcome.measurement);
  let flags = protocols.indexOf(request.protocol);
  if (request.ipFamily === "IPv6") flags |= isIpv6;
  if (request.ptrLookup) flags |= looksUpNames;
  writer.byte(flags);
  writer.short(request.port ?? 0);
  writer.byte(request.maxHops);
  writer.byte(request.maxUnknownHops);
  writer.short(request.packetSize ?? 0);
  writer.real(request.timeoutMs);
  writer.text(request.hostname);
  return writer.finish();
}

function writeMeasured(measured: TracerouteMeasurement): void {
  const { responseMs, parts } = listFigures(measured);
  for (const value of [...parts, responseMs]) writer.networkReal(value ?? Number.NaN);
  writer.byte(traceEnds.indexOf(measured.end));
  const { mode, substitute } = measured;
  const replaced = substitute === undefined ? 0 : protocols.indexOf(substitute) + 1;
  writer.byte(socketModes.indexOf(mode) + replaced * socketModes.length);
  writer.long(measured.ignoredPackets);
  writeAddress(measured.resolvedIp);
  writer.byte(measured.hops.length);
  for (const hop of measured.hops) writeHop(hop);
}

function writeAddress(address: string): void {
  const bytes = parseIpv4(address) ?? parseIpv6(address);
  writer.byte(bytes?.length ?? 0);
  if (bytes === null) writer.text(address);
  else writer.bytes(bytes);
}

function writeHop({ sent, rttsMs, addresses, error, labels }: Hop): void {
  let flags = Math.min(sent, sentBits);
  if (error !== null) flags |= hasError;
  if (typeof error?.mtu === "number") flags |= hasMtu;
  if (labels.length > 0) flags |= hasLabels;
  writer.byte(flags);
  writer.byte(rttsMs.length | (addresses.length << 4));
  for (const rttMs of rttsMs) writer.real(rttMs);
  for (const { address, name } of addresses) {
    writeAddress(address);
    writer.text(name ?? "");
  }
  if (error !== null) {
    writer.byte(error.type);
    writer.byte(error.code);
    writer.short(error.mtu ?? 0);
  }
  if (labels.length === 0) return;
  writer.byte(labels.length);
  for (const { label, trafficClass, ttl } of labels) {
    writer.long(label * 4_096 + trafficClass * 512 + ttl);
  }
}

export function decode(
  detail: Buffer,
  { startedAtMs, trouble }: { readonly startedAtMs: number; readonly trouble: object | null },
): TracerouteRun {
  const reader = new DetailReader(detail);
  const measurement = reader.byte() === wasTraced ? readMeasured(reader) : null;
  const request = readRequest(reader);
  if (measurement === null) {
    return { request, startedAtMs, outcome: fromTrouble(trouble as Trouble | NoData) };
  }
  return { request, startedAtMs, outcome: { kind: "measured", measurement } };
}

function readMeasured(reader: DetailReader): TracerouteMeasurement {
  const figures = Array.from({ length: figureCount }, () => reader.networkReal());
  const end = traceEnds[reader.byte()] ?? "timeout";
  const sockets = reader.byte();
  const mode = socketModes[sockets % socketModes.length] ?? "raw";
  const substitute = protocols[Math.floor(sockets / socketModes.length) - 1];
  const ignoredPackets = reader.long();
  const resolvedIp = readAddress(reader);
  const hops = Array.from({ length: reader.byte() }, () => readHop(reader));
  const dnsMs = figures[2] ?? 0;
  return {
    ...{ resolvedIp, dnsMs, mode, end, hops, ignoredPackets },
    ...(substitute !== undefined && { substitute }),
  };
}

function readAddress(reader: DetailReader): string {
  const length = reader.byte();
  return length === 0 ? reader.text() : formatIpBytes(reader.bytes(length));
}

function readHop(reader: DetailReader): Hop {
  const flags = reader.byte();
  const counts = reader.byte();
  const rttsMs = Array.from({ length: counts & 15 }, () => reader.real());
  const addresses = Array.from({ length: counts >> 4 }, (): HopAddress => {
    const address = readAddress(reader);
    return { address, name: reader.text() || null };
  });
  const error = (flags & hasError) === 0 ? null : readError(reader, (flags & hasMtu) !== 0);
  const labelCount = (flags & hasLabels) === 0 ? 0 : reader.byte();
  const labels = Array.from({ length: labelCount }, () => {
    const entry = reader.long();
    return { label: entry >>> 12, trafficClass: (entry >>> 9) & 7, ttl: entry & 255 };
  });
  return { sent: flags & sentBits, rttsMs, addresses, error, labels };
}

function readError(reader: DetailReader, isMtuKnown: boolean): HopError {
  const type = reader.byte();
  const code = reader.byte();
  const mtu = reader.short();
  return { type, code, mtu: isMtuKnown ? mtu : null };
}

function readRequest(reader: DetailReader): TracerouteRequest {
  const flags = reader.byte();
  const port = reader.short();
  const hopLimit = reader.byte();
  const maxUnknownHops = reader.byte();
  const packetSize = reader.short();
  const timeoutMs = reader.real();
  return {
    hostname: reader.text(),
    protocol: protocols[flags & protocolBits] ?? "TCP",
    port: port === 0 ? null : port,
    ipFamily: (flags & isIpv6) === 0 ? "IPv4" : "IPv6",
    maxHops: hopLimit,
    maxUnknownHops,
    ptrLookup: (flags & looksUpNames) !== 0,
    packetSize: packetSize === 0 ? null : packetSize,
    timeoutMs,
  };
}

/** Reads the figures without allocating objects, because statistics read millions of runs. */
export function readFigures(
  bytes: DataView,
  from: number,
  to: number,
  visitor: FigureVisitor,
): void {
  if (to - from < figureBytes || bytes.getUint8(from) !== wasTraced) return;
  const partCount = figureCount - 1;
  for (let place = 0; place < partCount; place += 1) {
    const value = bytes.getFloat32(from + 1 + place * 4);
    if (!Number.isNaN(value)) visitor.part(place, value);
  }
  const averageMs = bytes.getFloat32(from + 1 + partCount * 4);
  if (!Number.isNaN(averageMs)) visitor.sample(averageMs);
}
