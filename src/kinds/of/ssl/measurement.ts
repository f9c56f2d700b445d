import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Figures, PartDefinition } from "../../kit/figures.ts";
import type { ReachTrouble } from "../../wire/network/reach-host.ts";
import type { TlsFacts } from "../../wire/tls/tls-facts.ts";
import { TlsFactsSchema } from "../../wire/tls/tls-facts.ts";

/** Measurement of a completed handshake. The certificate may be untrusted. */
export interface SslMeasurement {
  readonly resolvedIp: string;
  readonly dnsMs: number;
  readonly connectMs: number;
  readonly handshakeMs: number;
  /** Whole days until the server's certificate expires; negative if the certificate has expired. */
  readonly daysLeft: number;
  readonly tls: TlsFacts;
}

export const handshakeTroubles = [
  "handshake-timed-out",
  "handshake-refused",
  "handshake-closed",
  "not-tls",
  "no-certificate",
  "handshake-failed",
] as const;

/** Failure of a run that received no certificate. */
export interface SslTrouble extends Omit<ReachTrouble, "kind"> {
  readonly kind: ReachTrouble["kind"] | (typeof handshakeTroubles)[number];
  /** Time to establish the connection; `null` if the connection failed. */
  readonly connectMs: number | null;
}

/** Returns the response time: from the start of name resolution to the end of the handshake. */
export function computeTotalMs({ dnsMs, connectMs, handshakeMs }: SslMeasurement): number {
  return dnsMs + connectMs + handshakeMs;
}

const unit = "milliseconds" as const;

export const parts = [
  { name: "dns", metric: "dns", unit, label: "Name resolution time" },
  { name: "connection", metric: "connection", unit, label: "TCP connect time" },
  { name: "handshake", metric: "handshakeTimeMs", unit, label: "TLS handshake time" },
  {
    name: "days",
    metric: "daysUntilExpiry",
    unit: "days",
    label: "Days until the certificate expires",
    summary: { noun: "certificate lifetime left", examples: { avg: 41.5, p95: 44.9, p99: 45 } },
  },
] as const satisfies readonly PartDefinition[];

export function listFigures(measurement: SslMeasurement): Figures {
  const { dnsMs, connectMs, handshakeMs, daysLeft } = measurement;
  const responseMs = computeTotalMs(measurement);
  const figures = [dnsMs, connectMs, handshakeMs, daysLeft];
  return { responseMs, samples: [responseMs], counters: [], parts: figures };
}

const Figure = Type.Number({ minimum: 0 });

const MeasurementSchema = Type.Object({
  resolvedIp: Type.String({ maxLength: 64 }),
  dnsMs: Figure,
  connectMs: Figure,
  handshakeMs: Figure,
  daysLeft: Type.Integer({ minimum: -50_000_000, maximum: 50_000_000 }),
  tls: TlsFactsSchema,
});

let compiled: { Check(value: unknown): boolean } | undefined;

/**
 * Validates a measurement. The schema is compiled on first use, because probes load this module but
 * never validate measurements.
 */
export function isSslMeasurement(value: unknown): value is SslMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
