import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Trouble } from "../../../contract/result.ts";
import type { Figures, PartDefinition } from "../../kit/figures.ts";

/** Maximum length of `data` in characters. */
export const maxDataLength = 4_096;
/** Maximum size of a response in bytes. The probe closes the connection after this size. */
export const maxKeptBytes = 4_096;

/** Reasons why the wait for a response ended. */
export const answerEnds = [
  "not-awaited",
  "received",
  "silent",
  "timed-out",
  "closed",
  "reset",
] as const;
export type AnswerEnd = (typeof answerEnds)[number];

/** Measurement of an established connection. */
export interface TcpMeasurement {
  readonly resolvedIp: string;
  readonly dnsMs: number;
  readonly connectMs: number;
  /**
   * Time from the established connection to the first byte; `null` without data. `dataMs` ends with
   * the last byte.
   */
  readonly firstByteMs: number | null;
  readonly dataMs: number | null;
  readonly sentBytes: number;
  /** Number of bytes received until the probe closed the connection. */
  readonly receivedBytes: number;
  /** The beginning of the received data as text. */
  readonly text: string;
  /** Whether the probe received more data than `text` contains. */
  readonly isCut: boolean;
  readonly answer: AnswerEnd;
}

export const troubleKinds = [
  "unresolved",
  "denied",
  "refused",
  "unreachable",
  "timed-out",
  "reset",
  "failed",
] as const;

/** Failure of a run that could not connect. */
export interface TcpTrouble extends Trouble {
  readonly kind: (typeof troubleKinds)[number];
  readonly resolvedIp: string | null;
  readonly dnsMs: number | null;
}

/**
 * Returns the response time: from the start of name resolution to the last byte or, without data,
 * to the established connection; `null` if an expected response did not arrive.
 */
export function computeTotalMs(measurement: TcpMeasurement): number | null {
  const { dnsMs, connectMs, dataMs, answer } = measurement;
  if (answer === "timed-out" || answer === "closed" || answer === "reset") return null;
  return dnsMs + connectMs + (dataMs ?? 0);
}

const unit = "milliseconds" as const;

export const parts = [
  { name: "dns", metric: "dns", unit, label: "Name resolution time" },
  {
    name: "connection",
    metric: "connection",
    unit,
    label: "TCP connect time",
    summary: { noun: "TCP connect time", examples: { avg: 12.1, p95: 20.4, p99: 31.2 } },
  },
  { name: "data", metric: "data", unit, label: "Time from the connection to the last byte" },
] as const satisfies readonly PartDefinition[];

export function listFigures(measurement: TcpMeasurement): Figures {
  const responseMs = computeTotalMs(measurement);
  return {
    responseMs,
    samples: responseMs === null ? [] : [responseMs],
    counters: [],
    parts: [measurement.dnsMs, measurement.connectMs, measurement.dataMs],
  };
}

const Figure = Type.Number({ minimum: 0 });
const OrNone = Type.Union([Figure, Type.Null()]);
const Count = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });

const MeasurementSchema = Type.Object({
  resolvedIp: Type.String({ maxLength: 64 }),
  dnsMs: Figure,
  connectMs: Figure,
  firstByteMs: OrNone,
  dataMs: OrNone,
  sentBytes: Count,
  receivedBytes: Count,
  text: Type.String({ maxLength: maxKeptBytes }),
  isCut: Type.Boolean(),
  answer: Type.Enum([...answerEnds]),
});

let compiled: { Check(value: unknown): boolean } | undefined;

/**
 * Validates a measurement. The schema is compiled on first use, because probes load this module but
 * never validate measurements.
 */
export function isTcpMeasurement(value: unknown): value is TcpMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
