import { fromTrouble, type NoData, type Trouble } from "../../../contract/result.ts";
import { parseIpv4 } from "../../../platform/net/host.ts";
import type { Run } from "../../kit/definition.ts";
import { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import type { FigureVisitor } from "../../kit/figures.ts";
import { maxTlsBytes, readTlsDetail, writeTls } from "../../wire/tls/codec.ts";
import {
  type BaselineRule,
  baselineRules,
  defaultBaseline,
  type SecurityBaseline,
  severities,
} from "./baseline.ts";
import type { SslMeasurement } from "./measurement.ts";
import type { SslRequest } from "./request.ts";

/**
 * Format of a stored run. The figures come first at fixed offsets, so that statistics read only the
 * figures.
 *
 *     u8   1 if the handshake completed; otherwise 0, and the other fields of this list are absent
 *     4 × f32  big-endian: milliseconds of name resolution, connection and handshake; days left
 *     tls  TLS facts (../tls/codec.ts)
 *
 * Then, for every run:
 *
 *     u8   flags
 *     u16  port
 *     f32  timeout in milliseconds
 *     u16  number of days before expiry at which a run becomes degraded
 *     [4]  resolved IPv4 address; another address as text, prefixed with its length as u8; absent
 *          if the handshake did not complete
 *     str  host name, prefixed with its length as u8, unless it is the resolved address
 *     str  server name, if any, prefixed with its length as u8
 *     [16] id of the client certificate, if configured
 *     u8 × 9, u8, u16 × 2  baseline, if it is not the default: the severity of each rule,
 *              flags, and both key sizes
 */
const wasMade = 1;

const isIpv6 = 1;
const hasAddress = 2;
const isShortAddress = 4;
const isNamedByAddress = 8;
const hasServerName = 16;
const skipsChain = 32;
const hasBaseline = 64;
const hasCertificate = 128;

const isEnabled = 1;
const requiresNewest = 2;
const recommendsNewest = 4;

export const figureBytes = 17;
const uuidBytes = 16;
/** Stored in place of a certificate id if the client certificate is selected by host. */
const autoId = "00000000-0000-0000-0000-000000000000";

const maxRestBytes = 1 + 2 + 4 + 2 + 3 * 256 + uuidBytes + baselineRules.length + 5;
const writer = new DetailWriter(figureBytes + maxTlsBytes + maxRestBytes);

type SslRun = Run<SslRequest, SslMeasurement>;

export function encode({ request, outcome }: SslRun): Buffer {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  writer.begin();
  writer.byte(measured === null ? 0 : wasMade);
  if (measured !== null) {
    const { dnsMs, connectMs, handshakeMs, daysLeft } = measured;
    for (const value of [dnsMs, connectMs, handshakeMs, daysLeft]) writer.networkReal(value);
    writeTls(writer, measured.tls);
  }
  writeRest(request, measured?.resolvedIp ?? null);
  return writer.finish();
}

function writeRest(request: SslRequest, address: string | null): void {
  const { hostname, serverName, clientCertificate, baseline } = request;
  const short = address === null ? null : parseIpv4(address);
  const isUsual = JSON.stringify(baseline) === usualBaseline;
  let flags = request.ipFamily === "IPv6" ? isIpv6 : 0;
  if (address !== null) flags |= hasAddress;
  if (short !== null) flags |= isShortAddress;
  if (address === hostname) flags |= isNamedByAddress;
  if (serverName !== null) flags |= hasServerName;
  if (request.skipChainValidation) flags |= skipsChain;
  if (!isUsual) flags |= hasBaseline;
  if (clientCertificate !== null) flags |= hasCertificate;
  writer.byte(flags);
  writer.short(request.port);
  writer.real(request.timeoutMs);
  writer.short(request.alertDaysBeforeExpiry);
  if (short !== null) writer.bytes(short);
  else if (address !== null) writer.text(address);
  if (address !== hostname) writer.text(hostname);
  if (serverName !== null) writer.text(serverName);
  if (clientCertificate !== null) writeId(clientCertificate);
  if (!isUsual) writeBaseline(baseline);
}

const usualBaseline = JSON.stringify(defaultBaseline);

function writeId(clientCertificate: string): void {
  const id = clientCertificate === "auto" ? autoId : clientCertificate;
  const bytes = Buffer.alloc(uuidBytes);
  bytes.write(id.replaceAll("-", ""), "hex");
  writer.bytes(bytes);
}

function readId(reader: DetailReader): string {
  const hex = reader.bytes(uuidBytes).toString("hex");
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return id === autoId ? "auto" : id;
}

function writeBaseline(baseline: SecurityBaseline): void {
  for (const rule of baselineRules) writer.byte(severities.indexOf(baseline[rule].severity));
  let flags = baseline.enabled ? isEnabled : 0;
  if (baseline.minTLSVersion.value === "TLS1.3") flags |= requiresNewest;
  if (baseline.recommendedTLSVersion.value === "TLS1.3") flags |= recommendsNewest;
  writer.byte(flags);
  writer.short(baseline.minKeySizeBits.value);
  writer.short(baseline.recommendedKeySizeBits.value);
}

function readBaseline(reader: DetailReader): SecurityBaseline {
  const found = new Map<BaselineRule, (typeof severities)[number]>();
  for (const rule of baselineRules) found.set(rule, severities[reader.byte()] ?? "ignore");
  const of = (rule: BaselineRule) => ({ severity: found.get(rule) ?? "ignore" });
  const flags = reader.byte();
  const versionOf = (flag: number) => ((flags & flag) !== 0 ? "TLS1.3" : "TLS1.2");
  const minBits = reader.short();
  const recommendedBits = reader.short();
  return {
    enabled: (flags & isEnabled) !== 0,
    minTLSVersion: { value: versionOf(requiresNewest), ...of("minTLSVersion") },
    minKeySizeBits: { value: minBits, ...of("minKeySizeBits") },
    weakSignatureAlgorithm: of("weakSignatureAlgorithm"),
    weakCipherSuite: of("weakCipherSuite"),
    knownBadCA: of("knownBadCA"),
    recommendedTLSVersion: { value: versionOf(recommendsNewest), ...of("recommendedTLSVersion") },
    recommendedKeySizeBits: { value: recommendedBits, ...of("recommendedKeySizeBits") },
    ocspMustStapleRespected: of("ocspMustStapleRespected"),
    sctPresent: of("sctPresent"),
  };
}

export function decode(
  detail: Buffer,
  { startedAtMs, trouble }: { readonly startedAtMs: number; readonly trouble: object | null },
): SslRun {
  const reader = new DetailReader(detail);
  const measured = reader.byte() === wasMade ? readMeasured(reader) : null;
  const { request, resolvedIp } = readRest(reader);
  if (measured === null) {
    return { request, startedAtMs, outcome: fromTrouble(trouble as Trouble | NoData) };
  }
  const measurement = { resolvedIp, ...measured };
  return { request, startedAtMs, outcome: { kind: "measured", measurement } };
}

function readMeasured(reader: DetailReader) {
  return {
    dnsMs: reader.networkReal() ?? 0,
    connectMs: reader.networkReal() ?? 0,
    handshakeMs: reader.networkReal() ?? 0,
    daysLeft: reader.networkReal() ?? 0,
    tls: readTlsDetail(reader),
  };
}

function readRest(reader: DetailReader): { request: SslRequest; resolvedIp: string } {
  const flags = reader.byte();
  const has = (flag: number) => (flags & flag) !== 0;
  const port = reader.short();
  const timeoutMs = reader.real();
  const alertDaysBeforeExpiry = reader.short();
  const resolvedIp = has(isShortAddress)
    ? reader.bytes(4).join(".")
    : has(hasAddress)
      ? reader.text()
      : "";
  const request: SslRequest = {
    hostname: has(isNamedByAddress) ? resolvedIp : reader.text(),
    port,
    serverName: has(hasServerName) ? reader.text() : null,
    ipFamily: has(isIpv6) ? "IPv6" : "IPv4",
    skipChainValidation: has(skipsChain),
    alertDaysBeforeExpiry,
    timeoutMs,
    clientCertificate: has(hasCertificate) ? readId(reader) : null,
    baseline: has(hasBaseline) ? readBaseline(reader) : defaultBaseline,
  };
  return { request, resolvedIp };
}

const firstFigureAt = 1;
const daysPlace = 3;

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
  if (to - from < figureBytes || bytes.getUint8(from) !== wasMade) return;
  let totalMs = 0;
  for (let place = 0; place <= daysPlace; place += 1) {
    const value = bytes.getFloat32(from + firstFigureAt + place * 4);
    visitor.part(place, value);
    if (place < daysPlace) totalMs += value;
  }
  visitor.sample(totalMs);
}
