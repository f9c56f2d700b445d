import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { AssertionResult } from "../assertions/assertion.ts";
import type { HttpMeasurement } from "../http/http-measurement.ts";
import { httpMeasurementFields } from "../http/http-schema.ts";

/** Of a body so many characters are kept, where something went wrong. */
export const maxKeptBodyLength = 16_384;

/** What came of the body, once it was unpacked. */
export interface KeptBody {
  /** Its beginning; empty where nothing went wrong. */
  readonly text: string;
  /** Bytes that were read. */
  readonly bytes: number;
  /** More was read, or would have come, than `text` has. */
  readonly isCut: boolean;
  /** Why it could not be unpacked; null: it could. */
  readonly fault: string | null;
}

/** An answer, and what the assertions of the order make of it. */
export interface ApiMeasurement extends HttpMeasurement {
  readonly body: KeptBody;
  /** False: nothing went wrong, so that neither header fields nor the body are kept. */
  readonly isKept: boolean;
  /** In the order of the assertions. */
  readonly results: readonly AssertionResult[];
}

const MeasurementSchema = Type.Object({
  ...httpMeasurementFields,
  body: Type.Object({
    text: Type.String({ maxLength: maxKeptBodyLength }),
    bytes: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
    isCut: Type.Boolean(),
    fault: Type.Union([Type.String({ maxLength: 500 }), Type.Null()]),
  }),
  isKept: Type.Boolean(),
  results: Type.Array(
    Type.Object({
      passed: Type.Boolean(),
      actual: Type.Unknown(),
      message: Type.String({ maxLength: 1_000 }),
    }),
    { maxItems: 200 },
  ),
});

let compiled: { Check(value: unknown): boolean } | undefined;

/** Compiled with the first result: a probe never needs it. */
export function isApiMeasurement(value: unknown): value is ApiMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
