import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { AssertionResult } from "../../kit/assertions/assertion.ts";
import type { HttpMeasurement } from "../../wire/http/http-measurement.ts";
import { httpMeasurementFields } from "../../wire/http/http-measurement.ts";
import { type ScriptRuns, ScriptRunsSchema } from "./script-runs.ts";

/** Maximum number of stored characters of a response body. */
export const maxKeptBodyLength = 16_384;

/** Beginning of the response body after decompression. */
interface KeptBody {
  /** Beginning of the body as text; empty if `isKept` is false. */
  readonly text: string;
  /** Number of body bytes after decompression, up to the size limit. */
  readonly bytes: number;
  /**
   * True if the body is longer than `text` or, if no text is stored, than the part that was read.
   */
  readonly isCut: boolean;
  /** Why decompression failed; `null` if it succeeded. */
  readonly fault: string | null;
}

/** Measured response with the results of the check's assertions. */
export interface ApiMeasurement extends HttpMeasurement {
  readonly body: KeptBody;
  /**
   * True if headers and body are stored, which is the case for runs with faults and for trial runs.
   */
  readonly isKept: boolean;
  /** Assertion results, in the order of the assertions in the request. */
  readonly results: readonly AssertionResult[];
  /** What the scripts of the check did; absent if the check has no scripts. */
  readonly scripts?: ScriptRuns;
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
  scripts: Type.Optional(ScriptRunsSchema),
});

let compiled: { Check(value: unknown): boolean } | undefined;

/**
 * Validates a measurement. The schema is compiled on first use, because probes load this module but
 * never validate measurements.
 */
export function isApiMeasurement(value: unknown): value is ApiMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
