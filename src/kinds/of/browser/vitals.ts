import type { ScriptMeasurement, ScriptRequest, WebVitals } from "../../../sandbox/script-run.ts";
import type { Run } from "../../kit/definition.ts";
import type { Figures, FigureVisitor, PartDefinition } from "../../kit/figures.ts";
import {
  decode as decodeScript,
  encode as encodeScript,
  readFigures as readScriptFigures,
  figureBytes as scriptBytes,
} from "../../kit/scripts/codec.ts";
import { listFigures as listScriptFigures } from "../../kit/scripts/measurement.ts";

/**
 * Determines and stores the web vitals of a run. The value of a run is the worst value of its
 * pages.
 */

/** Maps the names of web vitals in the API to fields of a measurement. */
const vitals = { TTFB: "ttfbMs", FCP: "fcpMs", LCP: "lcpMs", CLS: "cls" } as const satisfies Record<
  string,
  keyof WebVitals
>;
export type VitalName = keyof typeof vitals;
export const vitalNames = Object.keys(vitals) as VitalName[];

/** Definitions of the web vitals for statistics, in the order of `vitalNames`. */
export const vitalParts = [
  { name: "ttfb", metric: "TTFB", unit: "milliseconds", label: "Time to first byte (TTFB)" },
  { name: "fcp", metric: "FCP", unit: "milliseconds", label: "First contentful paint (FCP)" },
  { name: "lcp", metric: "LCP", unit: "milliseconds", label: "Largest contentful paint (LCP)" },
  { name: "cls", metric: "CLS", unit: "score", label: "Cumulative layout shift (CLS)" },
] as const satisfies readonly PartDefinition[];

/** Returns the page with the highest value of a web vital; `null` if no page has a value. */
export function findWorst({ pages }: ScriptMeasurement, vital: VitalName) {
  const found = pages.flatMap(({ url, vitals: measured }) => {
    const value = measured[vitals[vital]];
    return value === null ? [] : [{ url, value }];
  });
  const [worst = null] = found.toSorted((a, b) => b.value - a.value);
  return worst;
}

export function listFigures(measurement: ScriptMeasurement): Figures {
  const parts = vitalNames.map((vital) => findWorst(measurement, vital)?.value ?? null);
  return { ...listScriptFigures(measurement), parts };
}

type BrowserRun = Run<ScriptRequest, ScriptMeasurement>;

/**
 * Size in bytes of the web vitals in an encoded run. The encoding of a run is:
 *
 *     4 × f32  worst value of each web vital, in the order of `vitalNames`, big-endian; NaN if
 *              there is no value
 *     […]      the run as encoded by `scripts/codec.ts`
 */
const vitalBytes = 4 * vitalParts.length;
export const figureBytes = vitalBytes + scriptBytes;

export function encode(run: BrowserRun): Buffer {
  const { outcome } = run;
  const parts = outcome.kind === "measured" ? listFigures(outcome.measurement).parts : [];
  const head = Buffer.alloc(vitalBytes);
  for (const place of vitalParts.keys()) head.writeFloatBE(parts[place] ?? Number.NaN, 4 * place);
  return Buffer.concat([head, encodeScript(run)]);
}

export function decode(detail: Buffer, rest: Parameters<typeof decodeScript>[1]): BrowserRun {
  return decodeScript(detail.subarray(vitalBytes), rest);
}

/**
 * Reads the figures of a run without allocating objects, because statistics read millions of
 * results.
 */
export function readFigures(
  bytes: DataView,
  from: number,
  to: number,
  visitor: FigureVisitor,
): void {
  if (to - from < figureBytes) return;
  for (let place = 0; place < vitalParts.length; place += 1) {
    const value = bytes.getFloat32(from + 4 * place);
    if (!Number.isNaN(value)) visitor.part(place, value);
  }
  readScriptFigures(bytes, from + vitalBytes, to, visitor);
}
