import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Trouble } from "../../../contract/result.ts";
import type { Figures, PartDefinition } from "../../kit/figures.ts";
import { WireFault } from "./wire/bytes.ts";
import { decodeMessage, type Message, maxKeptBytes } from "./wire/message.ts";

/** Measurement of a run in which the server answered, with any response code. */
export interface DnsMeasurement {
  /** IP address of the queried server. */
  readonly resolvedIp: string;
  readonly port: number;
  /** Duration of resolving the server's name, which is not part of the response time. */
  readonly nameServerMs: number;
  /** Time from the first query to the answer over UDP; `null` if UDP was not used. */
  readonly udpMs: number | null;
  /** Time from connecting to the complete answer over TCP; `null` if TCP was not used. */
  readonly tcpMs: number | null;
  readonly queriesSent: number;
  /** Number of received messages that do not belong to the query. */
  readonly ignoredAnswers: number;
  readonly responseCode: number;
  readonly receivedBytes: number;
  /** The received message in base64, cut after its last stored record. */
  readonly message: string;
  /** True if the answer has more records than are stored. */
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

/** Why a run received no valid answer. */
export interface DnsTrouble extends Trouble {
  readonly kind: (typeof troubleKinds)[number];
  readonly resolvedIp: string | null;
  readonly port: number | null;
  readonly nameServerMs: number | null;
  readonly queriesSent: number;
  readonly ignoredAnswers: number;
}

/** Returns the time from the first query to the complete answer, over UDP and TCP together. */
export function computeTotalMs({ udpMs, tcpMs }: DnsMeasurement): number {
  return (udpMs ?? 0) + (tcpMs ?? 0);
}

/** Decodes the stored part of the answer; `null` if the probe sent an invalid message. */
export function readAnswer({ message }: DnsMeasurement): Message | null {
  try {
    return decodeMessage(Buffer.from(message, "base64"), true);
  } catch (error) {
    if (error instanceof WireFault) return null;
    throw error;
  }
}

const unit = "milliseconds" as const;

export const parts = [
  { name: "udp", metric: "udp", unit, label: "UDP time" },
  { name: "tcp", metric: "tcp", unit, label: "TCP time" },
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

/**
 * Validates a measurement. The schema is compiled on first use, because probes load this module but
 * never validate measurements.
 */
export function isDnsMeasurement(value: unknown): value is DnsMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
