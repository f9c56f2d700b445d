import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { HttpMeasurement, UnpackedBody } from "../http/http-measurement.ts";
import { httpMeasurementFields } from "../http/http-schema.ts";
import { maxKeptBytes } from "./limits.ts";

/** An answer came. */
export interface UrlMeasurement extends HttpMeasurement {
  /** Null: the status was as expected; then the header fields are not kept either. */
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

/** Compiled with the first result: a probe never needs it. */
export function isUrlMeasurement(value: unknown): value is UrlMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
