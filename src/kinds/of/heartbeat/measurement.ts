import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Figures, SampleDefinition } from "../../kit/figures.ts";
import { type PingEvent, pingStates } from "../../kit/pings.ts";

/** Maximum number of stored body bytes. */
export const maxBodyBytes = 10_000;

/** The measurement of a heartbeat run is the ping event itself. */
export type HeartbeatMeasurement = PingEvent;

export const samples: SampleDefinition = {
  metric: "duration",
  noun: "duration of the job",
  label: "Duration of the job",
};

export function listFigures({ durationMs }: HeartbeatMeasurement): Figures {
  const found = durationMs === null ? [] : [durationMs];
  return { responseMs: durationMs, samples: found, counters: [], parts: [] };
}

const OptionalMs = Type.Union([Type.Number({ minimum: 0 }), Type.Null()]);

const MeasurementSchema = Type.Object({
  state: Type.Enum([...pingStates]),
  sender: Type.Union([
    Type.Object({
      method: Type.String({ maxLength: 16 }),
      address: Type.String({ maxLength: 64 }),
      userAgent: Type.String({ maxLength: 255 }),
      body: Type.String({ maxLength: maxBodyBytes }),
      bodyBytes: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
    }),
    Type.Null(),
  ]),
  hasFailed: Type.Boolean(),
  exitCode: Type.Union([Type.Integer({ minimum: 0, maximum: 255 }), Type.Null()]),
  durationMs: OptionalMs,
  lastPingMs: OptionalMs,
  expectedMs: OptionalMs,
  unendedMs: OptionalMs,
  resumedMs: OptionalMs,
});

let compiled: { Check(value: unknown): boolean } | undefined;

/** Validates a measurement. The schema is compiled on first use. */
export function isHeartbeatMeasurement(value: unknown): value is HeartbeatMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
