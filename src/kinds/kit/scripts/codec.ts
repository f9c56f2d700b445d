import { deflateRawSync, inflateRawSync } from "node:zlib";
import { fromTrouble, type NoData, type Trouble } from "../../../contract/result.ts";
import type { ScriptMeasurement, ScriptRequest } from "../../../sandbox/script-run.ts";
import type { Run } from "../definition.ts";
import type { FigureVisitor } from "../figures.ts";

/**
 * Encoding of one run. The duration comes first at a fixed offset, so that statistics can read it
 * without decoding the rest.
 *
 *     u8   1 if the script ran; otherwise 0
 *     f32  duration in milliseconds, big-endian; NaN if the script did not run
 *     […]  compressed JSON: the measurement, and the request without script, files and hook
 *
 * Most of a run consists of repetitive titles and logs. Compressing them saves more space than a
 * binary format for the numbers would.
 */
export const figureBytes = 5;
const wasMeasured = 1;
/** Maximum decompressed size of a run: several times the largest valid measurement. */
const maxInflatedBytes = 8 * 1_024 * 1_024;

type ScriptRun = Run<ScriptRequest, ScriptMeasurement>;

interface Stored {
  readonly request: Omit<ScriptRequest, "script" | "dependencies" | "hook">;
  readonly measurement: ScriptMeasurement | null;
}

export function encode({ request, outcome }: ScriptRun): Buffer {
  const measurement = outcome.kind === "measured" ? outcome.measurement : null;
  const { script: _script, dependencies: _files, hook: _hook, ...kept } = request;
  const stored: Stored = { request: kept, measurement };
  const head = Buffer.alloc(figureBytes);
  head.writeUInt8(measurement === null ? 0 : wasMeasured, 0);
  head.writeFloatBE(measurement?.durationMs ?? Number.NaN, 1);
  return Buffer.concat([head, deflateRawSync(JSON.stringify(stored))]);
}

export function decode(
  detail: Buffer,
  { startedAtMs, trouble }: { readonly startedAtMs: number; readonly trouble: object | null },
): ScriptRun {
  const limit = { maxOutputLength: maxInflatedBytes };
  const json = inflateRawSync(detail.subarray(figureBytes), limit).toString();
  const { request, measurement } = JSON.parse(json) as Stored;
  return {
    request: { ...request, script: "", dependencies: [] },
    startedAtMs,
    outcome:
      measurement === null
        ? fromTrouble(trouble as Trouble | NoData)
        : // Runs from versions without browser support contain no `pages`.
          { kind: "measured", measurement: { ...{ pages: [] }, ...measurement } },
  };
}

/** Reads the duration without allocating objects, because statistics read millions of runs. */
export function readFigures(
  bytes: DataView,
  from: number,
  to: number,
  visitor: FigureVisitor,
): void {
  if (to - from < figureBytes || bytes.getUint8(from) !== wasMeasured) return;
  visitor.sample(bytes.getFloat32(from + 1));
}
