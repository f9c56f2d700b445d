import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Trouble } from "../../../contract/result.ts";
import type { Figures, PartDefinition } from "../../kit/figures.ts";
import type { TlsFacts } from "../../wire/tls/tls-facts.ts";
import { TlsFactsSchema } from "../../wire/tls/tls-facts.ts";

/** Maximum size of the response message that assertions can read, in bytes of JSON text. */
export const maxMessageBytes = 16_384;
/** Maximum size of the response message in a stored result, in bytes of JSON text. */
export const maxStoredBytes = 4_096;
export const maxStatusMessageLength = 1_000;
export const maxMetadataFields = 50;
export const maxMetadataValueLength = 1_024;

/** Names of `HealthCheckResponse.ServingStatus`. The index is the number in the protocol. */
export const healthStatuses = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"] as const;
export const servingStatus = 1;

/** Names of the gRPC status codes. The index of a name is its number in the protocol. */
const statusNames = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

export function nameStatus(code: number): string {
  return statusNames[code] ?? "unknown status";
}

/** Measurement of a call that ended with a gRPC status. */
export interface GrpcMeasurement {
  readonly resolvedIp: string;
  readonly dnsMs: number;
  readonly connectMs: number;
  /** Duration of the TLS handshake; `null` for a connection without TLS. */
  readonly tlsMs: number | null;
  /** Time from sending the request to receiving the status. */
  readonly callMs: number;
  /** Time of server reflection, not part of the response time; `null` without reflection. */
  readonly reflectionMs: number | null;
  readonly statusCode: number;
  readonly statusMessage: string;
  /**
   * Status that the health service reported; `null` for calls of other methods and for failed
   * calls.
   */
  readonly healthStatus: number | null;
  /** The beginning of the response message as JSON; empty if the server sent no message. */
  readonly message: string;
  readonly isCut: boolean;
  /** Size of the encoded response message in bytes. */
  readonly receivedBytes: number;
  /** Header fields and trailers of the response, without the fields of the gRPC protocol. */
  readonly metadata: readonly (readonly [name: string, value: string])[];
  readonly tls: TlsFacts | null;
}

export const troubleKinds = [
  "unresolved",
  "denied",
  "refused",
  "unreachable",
  "timed-out",
  "reset",
  "closed",
  "tls-failed",
  "certificate-rejected",
  "not-grpc",
  "method-unknown",
  "broken-answer",
  "failed",
] as const;

/** Failure of a run that ended without a gRPC status. */
export interface GrpcTrouble extends Trouble {
  readonly kind: (typeof troubleKinds)[number];
  readonly resolvedIp: string | null;
  readonly dnsMs: number | null;
}

/** Returns the response time: from name resolution to the status, without reflection. */
export function computeTotalMs({ dnsMs, connectMs, tlsMs, callMs }: GrpcMeasurement): number {
  return dnsMs + connectMs + (tlsMs ?? 0) + callMs;
}

const unit = "milliseconds" as const;

export const parts = [
  { name: "dns", metric: "dns", unit, label: "Name resolution time" },
  { name: "connection", metric: "connection", unit, label: "TCP connect time" },
  { name: "tls", metric: "tls", unit, label: "TLS handshake time" },
  {
    name: "call",
    metric: "call",
    unit,
    label: "Time from the request to the status",
    summary: { noun: "call time", examples: { avg: 8.4, p95: 14.2, p99: 30.9 } },
  },
] as const satisfies readonly PartDefinition[];

export function listFigures(measurement: GrpcMeasurement): Figures {
  const responseMs = computeTotalMs(measurement);
  const { dnsMs, connectMs, tlsMs, callMs } = measurement;
  return {
    responseMs,
    samples: [responseMs],
    counters: [],
    parts: [dnsMs, connectMs, tlsMs, callMs],
  };
}

const Figure = Type.Number({ minimum: 0 });
const OrNone = Type.Union([Figure, Type.Null()]);
const Count = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });

const MeasurementSchema = Type.Object({
  resolvedIp: Type.String({ maxLength: 64 }),
  dnsMs: Figure,
  connectMs: Figure,
  tlsMs: OrNone,
  callMs: Figure,
  reflectionMs: OrNone,
  statusCode: Type.Integer({ minimum: 0, maximum: 0xffff }),
  statusMessage: Type.String({ maxLength: maxStatusMessageLength }),
  healthStatus: Type.Union([Type.Integer({ minimum: 0, maximum: 254 }), Type.Null()]),
  message: Type.String({ maxLength: maxMessageBytes }),
  isCut: Type.Boolean(),
  receivedBytes: Count,
  metadata: Type.Array(
    Type.Tuple([
      Type.String({ maxLength: 255 }),
      Type.String({ maxLength: maxMetadataValueLength }),
    ]),
    { maxItems: maxMetadataFields },
  ),
  tls: Type.Union([TlsFactsSchema, Type.Null()]),
});

let compiled: { Check(value: unknown): boolean } | undefined;

/**
 * Validates a measurement. The schema is compiled on first use, because probes load this module but
 * never validate measurements.
 */
export function isGrpcMeasurement(value: unknown): value is GrpcMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
