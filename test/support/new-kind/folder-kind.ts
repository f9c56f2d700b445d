import { Type } from "typebox";
import { Value } from "typebox/value";
import { fromTrouble, type NoData, type Trouble } from "../../../src/contract/result.ts";
import { createKind } from "../../../src/kinds/kit/create-kind.ts";
import { DetailReader, DetailWriter } from "../../../src/kinds/kit/detail-bytes.ts";
import type { FigureVisitor } from "../../../src/kinds/kit/figures.ts";
import type { KindParts } from "../../../src/kinds/kit/kind.ts";
import {
  findSlowness,
  judgeByReasons,
  type VerdictSettings,
} from "../../../src/kinds/kit/verdict.ts";

/**
 * A check type with only the required members. It counts the entries of a folder on the probe's
 * machine.
 */

export interface FolderRequest {
  readonly folder: string;
  readonly most: number;
}

export interface FolderMeasurement {
  readonly entries: number;
  readonly readMs: number;
}

export interface FolderSettings extends VerdictSettings {
  readonly request: FolderRequest;
}

const RequestBody = Type.Object(
  {
    folder: Type.String({ description: "The folder to read.", minLength: 1, maxLength: 200 }),
    most: Type.Optional(
      Type.Integer({ description: "The most entries it may have.", minimum: 0, maximum: 1_000 }),
    ),
  },
  { description: "What is read." },
);

const MeasurementSchema = Type.Object({
  entries: Type.Integer({ minimum: 0 }),
  readMs: Type.Number({ minimum: 0 }),
});

const defaults: FolderRequest = { folder: "", most: 100 };

const writer = new DetailWriter(1_024);
const wasMeasured = 1;
const figureBytes = 9;

export const folderParts: KindParts<FolderSettings, FolderRequest, FolderMeasurement> = {
  type: "FOLDER",
  fields: { target: { create: { request: RequestBody } } },
  mergeSettings: (before, change) => ({
    request: { ...defaults, ...before?.request, ...(change as FolderSettings).request },
  }),
  target: ({ request }) => request.folder,
  deadlineMs: () => 10_000,
  toRequest: ({ request }) => request,
  isMeasurement: (value): value is FolderMeasurement => Value.Check(MeasurementSchema, value),
  judge: (settings, { request, outcome }) => {
    if (outcome.kind !== "measured") {
      return {
        verdict: "failing",
        isNetworkError: false,
        reasons: [{ name: "folder-unreadable" }],
      };
    }
    const { entries, readMs } = outcome.measurement;
    return judgeByReasons(
      entries > request.most ? [{ name: "too-many-entries" }] : [],
      findSlowness("response-time-above-degraded", readMs, settings.degradedResponseTime),
    );
  },

  figures: ({ readMs }) => ({ responseMs: readMs, samples: [readMs], counters: [], parts: [] }),
  encode: ({ request, outcome }) => {
    const measured = outcome.kind === "measured" ? outcome.measurement : null;
    writer.begin();
    writer.byte(measured === null ? 0 : wasMeasured);
    writer.networkReal(measured?.readMs ?? Number.NaN);
    writer.long(measured?.entries ?? 0);
    writer.long(request.most);
    writer.text(request.folder);
    return writer.finish();
  },
  decode: (detail, { startedAtMs, trouble }) => {
    const reader = new DetailReader(detail);
    const isMeasured = reader.byte() === wasMeasured;
    const measurement = { readMs: reader.networkReal() ?? 0, entries: reader.long() };
    const most = reader.long();
    const request = { folder: reader.text(), most };
    const outcome = isMeasured
      ? ({ kind: "measured", measurement } as const)
      : fromTrouble(trouble as Trouble | NoData);
    return { request, startedAtMs, outcome };
  },
  figureBytes,
  readFigures: (bytes: DataView, from: number, to: number, visitor: FigureVisitor) => {
    if (to - from < figureBytes || bytes.getUint8(from) !== wasMeasured) return;
    visitor.sample(bytes.getFloat32(from + 1));
  },

  operations: { example: { request: { folder: "/" } } },
  DocumentSchema: Type.Object(
    { entries: Type.Union([Type.Integer(), Type.Null()], { description: "Number of entries." }) },
    { description: "The result of a folder check." },
  ),
  document: ({ outcome }) => ({
    entries: outcome.kind === "measured" ? outcome.measurement.entries : null,
  }),
};

export const folder = createKind(folderParts);
