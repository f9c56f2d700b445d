import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { AssertionResult } from "../assertions/assertion.ts";
import type { HttpMeasurement } from "../http/http-measurement.ts";
import { httpMeasurementFields } from "../http/http-measurement.ts";
import { type ScriptRuns, ScriptRunsSchema } from "./script-runs.ts";

/** Maximum number of body characters that a run with faults keeps. */
export const maxKeptBodyLength = 16_384;

/** The response body after decompression. */
interface KeptBody {
  /** Its beginning; empty if the run had no faults. */
  readonly text: string;
  /** Bytes read. */
  readonly bytes: number;
  /** True if the body is longer than `text`. */
  readonly isCut: boolean;
  /** Why decompression failed; `null` if it succeeded. */
  readonly fault: string | null;
}

/** A response and the results of the order's assertions. */
export interface ApiMeasurement extends HttpMeasurement {
  readonly body: KeptBody;
  /** False if the run had no faults; headers and body are not kept then. */
  readonly isKept: boolean;
  /** In the order of the assertions. */
  readonly results: readonly AssertionResult[];
  /** Absent if the check has no scripts. */
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

/** Compiled on first use, because probes never need it. */
export function isApiMeasurement(value: unknown): value is ApiMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
