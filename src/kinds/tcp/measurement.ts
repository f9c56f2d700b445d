import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Trouble } from "../../contract/result.ts";
import type { CounterDefinition, Figures, PartDefinition } from "../figures.ts";
import { maxKeptBytes } from "./limits.ts";

/** How the wait for an answer ended. */
export const answerEnds = [
  "not-awaited",
  "received",
  "silent",
  "timed-out",
  "closed",
  "reset",
] as const;
export type AnswerEnd = (typeof answerEnds)[number];

/** A connection was made. */
export interface TcpMeasurement {
  readonly resolvedIp: string;
  readonly dnsMs: number;
  readonly connectMs: number;
  /** From the connection to the first and to the last byte; null: none was awaited, or came. */
  readonly firstByteMs: number | null;
  readonly dataMs: number | null;
  readonly sentBytes: number;
  /** Until the probe hung up. */
  readonly receivedBytes: number;
  /** The beginning of what came, as text. */
  readonly text: string;
  /** More came than is kept. */
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

/** No connection was made. */
export interface TcpTrouble extends Trouble {
  readonly kind: (typeof troubleKinds)[number];
  readonly resolvedIp: string | null;
  readonly dnsMs: number | null;
}

/** From the question for the name to the last byte; null: an answer was awaited and none came. */
export function computeTotalMs(measurement: TcpMeasurement): number | null {
  const { dnsMs, connectMs, dataMs, answer } = measurement;
  if (answer === "timed-out" || answer === "closed" || answer === "reset") return null;
  return dnsMs + connectMs + (dataMs ?? 0);
}

export const counters = [] as const satisfies readonly CounterDefinition[];

const unit = "milliseconds" as const;

export const parts = [
  { name: "dns", metric: "dns", unit, label: "Time to resolve the name" },
  {
    name: "connection",
    metric: "connection",
    unit,
    label: "Time to connect",
    summary: { noun: "time to connect", examples: { avg: 12.1, p95: 20.4, p99: 31.2 } },
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

/** Compiled with the first result: a probe never needs it. */
export function isTcpMeasurement(value: unknown): value is TcpMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
