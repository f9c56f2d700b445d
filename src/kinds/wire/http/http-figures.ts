import {
  type Figures,
  type FigureVisitor,
  type PartDefinition,
  roundFigure,
} from "../../kit/figures.ts";
import { type BodyEnd, bodyEnds, type HttpMeasurement } from "./http-measurement.ts";

/** Defines the figures of every HTTP kind and their storage format. */

const unit = "milliseconds" as const;

export const httpParts = [
  { name: "wait", metric: "wait", unit, label: "Time in redirects before the last request" },
  { name: "dns", metric: "dns", unit, label: "Name resolution time" },
  { name: "tcp", metric: "tcp", unit, label: "TCP connect time" },
  { name: "tls", metric: "tls", unit, label: "TLS handshake time" },
  {
    name: "first_byte",
    metric: "firstByte",
    unit,
    label: "Time to first byte",
    summary: { noun: "time to first byte", examples: { avg: 41.2, p95: 88.1, p99: 120.4 } },
  },
  { name: "download", metric: "download", unit, label: "Time from the first byte to the last" },
] as const satisfies readonly PartDefinition[];

export const httpSamples = {
  metric: "responseTime",
  noun: "response time",
  label: "Response time",
} as const;

/** Returns whether the body was received completely or up to the size limit. */
export function isWhole(bodyEnd: BodyEnd): boolean {
  return bodyEnd === "complete" || bodyEnd === "cut";
}

/** Returns the durations of the phases in the order of `httpParts`. */
export function listHttpParts({ phases, redirectMs, bodyEnd }: HttpMeasurement) {
  const { dnsMs, connectMs, tlsMs, firstByteMs, bodyMs } = phases;
  const downloadMs = isWhole(bodyEnd) ? bodyMs : null;
  return [redirectMs, dnsMs, connectMs, tlsMs, firstByteMs, downloadMs] as const;
}

export function listHttpFigures(measurement: HttpMeasurement): Figures {
  const responseMs = isWhole(measurement.bodyEnd) ? measurement.totalMs : null;
  return {
    responseMs,
    samples: responseMs === null ? [] : [responseMs],
    counters: [],
    parts: listHttpParts(measurement),
  };
}

/**
 * First bytes of the stored detail of a run:
 *
 *     u8       1 if there was a response, otherwise 0
 *     u8       how the body ended
 *     7 × f32  big-endian milliseconds: the parts, then the total; NaN if there is no value
 */
export const wasAnswered = 1;
const firstFigureAt = 2;
export const httpFigureBytes = firstFigureAt + 4 * (httpParts.length + 1);
const totalAt = firstFigureAt + 4 * httpParts.length;

/**
 * Reads the figures of a run without allocating objects, because statistics read millions of
 * results. A run has at most one sample: its response time.
 */
export function readHttpFigures(
  bytes: DataView,
  from: number,
  to: number,
  visitor: FigureVisitor,
): void {
  if (to - from < httpFigureBytes || bytes.getUint8(from) !== wasAnswered) return;
  for (let place = 0; place < httpParts.length; place += 1) {
    const value = bytes.getFloat32(from + firstFigureAt + place * 4);
    if (!Number.isNaN(value)) visitor.part(place, value);
  }
  const bodyEnd = bodyEnds[bytes.getUint8(from + 1)] ?? "broken";
  if (isWhole(bodyEnd)) visitor.sample(bytes.getFloat32(from + totalAt));
}

/** Returns the duration of each phase as the API and scripts show it. */
export function buildPhases({
  phases,
  redirectMs = 0,
}: Pick<HttpMeasurement, "phases"> & { redirectMs?: number }) {
  const { dnsMs, connectMs, tlsMs, firstByteMs, bodyMs } = phases;
  const total = redirectMs + dnsMs + connectMs + (tlsMs ?? 0) + firstByteMs + bodyMs;
  return {
    wait: roundFigure(redirectMs),
    dns: roundFigure(dnsMs),
    tcp: roundFigure(connectMs),
    tls: roundFigure(tlsMs),
    firstByte: roundFigure(firstByteMs),
    download: roundFigure(bodyMs),
    total: roundFigure(total),
  };
}

/** Returns the end of each phase in milliseconds since the start of the run. */
export function buildTimings({ phases, redirectMs }: HttpMeasurement) {
  const lookup = redirectMs + phases.dnsMs;
  const connect = lookup + phases.connectMs;
  const secured = connect + (phases.tlsMs ?? 0);
  const response = secured + phases.firstByteMs;
  return {
    lookup: roundFigure(lookup),
    connect: roundFigure(connect),
    secureConnect: phases.tlsMs === null ? null : roundFigure(secured),
    response: roundFigure(response),
    end: roundFigure(response + phases.bodyMs),
  };
}
