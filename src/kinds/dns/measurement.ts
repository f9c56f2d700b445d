import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Trouble } from "../../contract/result.ts";
import type { CounterDefinition, Figures, PartDefinition } from "../figures.ts";
import { WireFault } from "./wire/bytes.ts";
import { decodeMessage, type Message, maxKeptBytes } from "./wire/message.ts";

/** An answer came, whatever it says. */
export interface DnsMeasurement {
  /** The server that was asked. */
  readonly resolvedIp: string;
  readonly port: number;
  /** To resolve the name of the server. It is no part of the response time. */
  readonly nameServerMs: number;
  /** From the first query to the answer by UDP; null: it was not used. */
  readonly udpMs: number | null;
  /** From the connection to the whole answer by TCP; null: it was not used. */
  readonly tcpMs: number | null;
  readonly queriesSent: number;
  /** Messages that answered something else. */
  readonly ignoredAnswers: number;
  readonly responseCode: number;
  readonly receivedBytes: number;
  /** The beginning of the answer as it came, up to the end of a record, in base64. */
  readonly message: string;
  /** The answer has more records than are kept. */
  readonly isCut: boolean;
}

export const troubleKinds = [
  "unresolved",
  "denied",
  "refused",
  "unreachable",
  "timed-out",
  "closed",
  "truncated",
  "malformed",
  "flooded",
  "failed",
] as const;

/** No answer came that could be read. */
export interface DnsTrouble extends Trouble {
  readonly kind: (typeof troubleKinds)[number];
  readonly resolvedIp: string | null;
  readonly port: number | null;
  readonly nameServerMs: number | null;
  readonly queriesSent: number;
  readonly ignoredAnswers: number;
}

/** From the first query to the whole answer, by whatever transport it came. */
export function computeTotalMs({ udpMs, tcpMs }: DnsMeasurement): number {
  return (udpMs ?? 0) + (tcpMs ?? 0);
}

/** What was kept of the answer. Null: a probe sent something that is no answer. */
export function readAnswer({ message }: DnsMeasurement): Message | null {
  try {
    return decodeMessage(Buffer.from(message, "base64"), true);
  } catch (error) {
    if (error instanceof WireFault) return null;
    throw error;
  }
}

export const counters = [] as const satisfies readonly CounterDefinition[];

const unit = "milliseconds" as const;

export const parts = [
  { name: "udp", metric: "udp", unit, label: "Time by UDP" },
  { name: "tcp", metric: "tcp", unit, label: "Time by TCP" },
] as const satisfies readonly PartDefinition[];

export function listFigures(measurement: DnsMeasurement): Figures {
  const responseMs = computeTotalMs(measurement);
  return {
    responseMs,
    samples: [responseMs],
    counters: [],
    parts: [measurement.udpMs, measurement.tcpMs],
  };
}

const Figure = Type.Number({ minimum: 0 });
const OrNone = Type.Union([Figure, Type.Null()]);
const Count = Type.Integer({ minimum: 0, maximum: 0xffff });

const MeasurementSchema = Type.Object({
  resolvedIp: Type.String({ maxLength: 64 }),
  port: Count,
  nameServerMs: Figure,
  udpMs: OrNone,
  tcpMs: OrNone,
  queriesSent: Count,
  ignoredAnswers: Count,
  responseCode: Count,
  receivedBytes: Count,
  message: Type.String({
    maxLength: Math.ceil(maxKeptBytes / 3) * 4,
    pattern: "^[A-Za-z0-9+/]*={0,2}$",
  }),
  isCut: Type.Boolean(),
});

let compiled: { Check(value: unknown): boolean } | undefined;

/** Compiled with the first result: a probe never needs it. */
export function isDnsMeasurement(value: unknown): value is DnsMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
