import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { HttpMeasurement, UnpackedBody } from "../http/http-measurement.ts";
import { httpMeasurementFields } from "../http/http-measurement.ts";

/** Bytes of the decompressed body that a failing run keeps. */
export const maxKeptBytes = 16_384;
/** Bytes of header fields that a failing run keeps. */
export const maxKeptHeaderBytes = 8_192;

/** The measurement of a run with a response. */
export interface UrlMeasurement extends HttpMeasurement {
  /** `null` if the status was as expected; the header fields are not kept then either. */
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

/** Compiled on first use, because probes never need it. */
export function isUrlMeasurement(value: unknown): value is UrlMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
