import { fromTrouble, type NoData, type Trouble } from "../../../contract/result.ts";
import type { Run } from "../../kit/definition.ts";
import { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import type { FigureVisitor } from "../../kit/figures.ts";
import { type PingSender, pingStates } from "../../kit/pings.ts";
import { type HeartbeatMeasurement, maxBodyBytes } from "./measurement.ts";
import type { HeartbeatRequest } from "./request.ts";

/**
 * Encoding of one run. The only figure comes first at a fixed offset, so that statistics can read
 * the figure without decoding the rest.
 *
 *     u8   1 if the run recorded a ping or the absence of a ping; 0 if the run recorded neither,
 *          and then the other fields of this list are absent
 *     f32  duration of the job in milliseconds, big-endian; NaN if unknown
 *     u8   state
 *     u8   flags
 *     u8   exit code, if there is one
 *     u48  × 0 to 4: times in milliseconds: last ping, expected, start without an end, resumed
 *
 * Then, only if a ping arrived:
 *
 *     str  method, address and user agent, each prefixed with its length as u8
 *     u32  size of the whole body
 *     str  stored body, prefixed with its length as u16
 *
 * Every encoding ends with the schedule as text, prefixed with its length as u8.
 */
const wasMeasured = 1;
const hasSender = 1;
const hasFailed = 2;
const hasExitCode = 4;
const firstTime = 8;

export const figureBytes = 5;
const timeNames = ["lastPingMs", "expectedMs", "unendedMs", "resumedMs"] as const;
type TimeName = (typeof timeNames)[number];

/** Maximum stored size of a body. Each invalid byte becomes a character of three bytes. */
const maxTextBytes = maxBodyBytes * 3;
const writer = new DetailWriter(figureBytes + 3 + 4 * 6 + 3 * 256 + 6 + maxTextBytes + 256);
const longSize = 2 ** 32;

type HeartbeatRun = Run<HeartbeatRequest, HeartbeatMeasurement>;

export function encode({ request, outcome }: HeartbeatRun): Buffer {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  writer.begin();
  writer.byte(measured === null ? 0 : wasMeasured);
  if (measured !== null) writeMeasured(measured);
  writer.text(request.schedule);
  return writer.finish();
}

function writeMeasured(measured: HeartbeatMeasurement): void {
  const { sender, exitCode } = measured;
  writer.networkReal(measured.durationMs ?? Number.NaN);
  writer.byte(pingStates.indexOf(measured.state));
  let flags = 0;
  if (sender !== null) flags |= hasSender;
  if (measured.hasFailed) flags |= hasFailed;
  if (exitCode !== null) flags |= hasExitCode;
  for (const [place, name] of timeNames.entries()) {
    if (measured[name] !== null) flags |= firstTime << place;
  }
  writer.byte(flags);
  if (exitCode !== null) writer.byte(exitCode);
  for (const name of timeNames) writeTime(measured[name]);
  if (sender !== null) writeSender(sender);
}

function writeTime(ms: number | null): void {
  if (ms === null) return;
  writer.short(Math.floor(ms / longSize));
  writer.long(ms % longSize);
}

function writeSender({ method, address, userAgent, body, bodyBytes }: PingSender): void {
  writer.text(method);
  writer.text(address);
  writer.text(userAgent);
  writer.long(bodyBytes);
  writer.longText(body, maxTextBytes);
}

export function decode(
  detail: Buffer,
  { startedAtMs, trouble }: { readonly startedAtMs: number; readonly trouble: object | null },
): HeartbeatRun {
  const reader = new DetailReader(detail);
  const measurement = reader.byte() === wasMeasured ? readMeasured(reader) : null;
  const request = { schedule: reader.text() };
  if (measurement !== null) {
    return { request, startedAtMs, outcome: { kind: "measured", measurement } };
  }
  return { request, startedAtMs, outcome: fromTrouble(trouble as Trouble | NoData) };
}

function readMeasured(reader: DetailReader): HeartbeatMeasurement {
  const durationMs = reader.networkReal();
  const state = pingStates[reader.byte()] ?? "FAILING";
  const flags = reader.byte();
  const exitCode = flags & hasExitCode ? reader.byte() : null;
  const times: Record<TimeName, number | null> = {
    lastPingMs: null,
    expectedMs: null,
    unendedMs: null,
    resumedMs: null,
  };
  for (const [place, name] of timeNames.entries()) {
    if (flags & (firstTime << place)) times[name] = reader.short() * longSize + reader.long();
  }
  return {
    state,
    sender: flags & hasSender ? readSender(reader) : null,
    hasFailed: (flags & hasFailed) !== 0,
    exitCode,
    durationMs,
    ...times,
  };
}

function readSender(reader: DetailReader): PingSender {
  const method = reader.text();
  const address = reader.text();
  const userAgent = reader.text();
  const bodyBytes = reader.long();
  return { method, address, userAgent, bodyBytes, body: reader.longText() };
}

/**
 * Reads the figures of a run without allocating objects, because statistics read millions of
 * results. A run has at most one sample: the duration of the job.
 */
export function readFigures(
  bytes: DataView,
  from: number,
  to: number,
  visitor: FigureVisitor,
): void {
  if (to - from < figureBytes || bytes.getUint8(from) !== wasMeasured) return;
  const durationMs = bytes.getFloat32(from + 1);
  if (!Number.isNaN(durationMs)) visitor.sample(durationMs);
}
