import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Trouble } from "../../contract/result.ts";
import type { Figures, PartDefinition } from "../figures.ts";

/** Maximum length of `data` in characters. */
export const maxDataLength = 4_096;
/** Bytes of a response to read and keep; then the probe closes the connection. */
export const maxKeptBytes = 4_096;

/** How the wait for a response ended. */
export const answerEnds = [
  "not-awaited",
  "received",
  "silent",
  "timed-out",
  "closed",
  "reset",
] as const;
export type AnswerEnd = (typeof answerEnds)[number];

/** The connection was established. */
export interface TcpMeasurement {
  readonly resolvedIp: string;
  readonly dnsMs: number;
  readonly connectMs: number;
  /**
   * From the connection to the first and to the last byte; `null` if none was awaited or received.
   */
  readonly firstByteMs: number | null;
  readonly dataMs: number | null;
  readonly sentBytes: number;
  /** Bytes received until the probe closed the connection. */
  readonly receivedBytes: number;
  /** The beginning of the received data as text. */
  readonly text: string;
  /** True if more was received than is kept. */
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

/** The connection failed. */
export interface TcpTrouble extends Trouble {
  readonly kind: (typeof troubleKinds)[number];
  readonly resolvedIp: string | null;
  readonly dnsMs: number | null;
}

/**
 * From the start of name resolution to the last byte; `null` if an awaited response did not arrive.
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

/** Compiled on first use, because probes never need it. */
export function isTcpMeasurement(value: unknown): value is TcpMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
