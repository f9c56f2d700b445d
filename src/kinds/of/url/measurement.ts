import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { HttpMeasurement, UnpackedBody } from "../../wire/http/http-measurement.ts";
import { httpMeasurementFields } from "../../wire/http/http-measurement.ts";

/** Maximum size of the stored part of a decompressed body. */
export const maxKeptBytes = 16_384;
/** Maximum total size of the stored header fields. */
export const maxKeptHeaderBytes = 8_192;

export interface UrlMeasurement extends HttpMeasurement {
  /**
   * The body; `null` if the status was as expected and the run was not a trial. The headers are
   * then not stored either.
   */
  readonly body: UnpackedBody | null;
}

const Body = Type.Object({
  text: Type.String({ maxLength: maxKeptBytes }),
  bytes: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
  isCut: Type.Boolean(),
  fault: Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
});

const MeasurementSchema = Type.Object({
  ...httpMeasurementFields,
  body: Type.Union([Body, Type.Null()]),
});

let compiled: { Check(value: unknown): boolean } | undefined;

/**
 * Validates a measurement. The schema is compiled on first use, because probes load this module but
 * never validate measurements.
 */
export function isUrlMeasurement(value: unknown): value is UrlMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
