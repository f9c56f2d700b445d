import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { fromTrouble, type NoData, type Trouble } from "../../../contract/result.ts";
import { OrNull } from "../../../platform/http/schema.ts";
import type { Run } from "../../kit/definition.ts";
import { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import { type Signal, signalLimits } from "../../kit/signals.ts";

const { alerts: maxAlerts, labels, nameLength, textLength, urlLength, keyLength } = signalLimits;

const Texts = (description: string, example: Record<string, string>) =>
  Type.Record(Type.String({ maxLength: nameLength }), Type.String({ maxLength: textLength }), {
    description,
    examples: [example],
    maxProperties: labels,
  });
const OptionalUrl = (description: string) =>
  OrNull(
    Type.String({
      description,
      maxLength: urlLength,
      examples: ["https://prometheus.example.com/graph"],
    }),
  );

const AlertSchema = Type.Object(
  {
    status: Type.Enum(["firing", "resolved"], { description: "Its state.", examples: ["firing"] }),
    labels: Texts("Its labels.", { alertname: "HighLatency", instance: "web-1" }),
    annotations: Texts("Its annotations.", { summary: "p99 is 3 s" }),
    startsAt: Type.String({
      description: "When it began to fire.",
      maxLength: nameLength,
      examples: ["2026-11-16T08:00:00.000Z"],
    }),
    generatorUrl: OptionalUrl("Where it was generated, such as a graph; `null` if unknown."),
  },
  { description: "One alert." },
);

export const fields = {
  status: Type.Enum(["firing", "resolved"], {
    description: "Whether at least one alert of the group is firing.",
    examples: ["firing"],
  }),
  severity: Type.String({
    description: "The highest `severity` label of the alerts that fire; empty if none has one.",
    maxLength: nameLength,
    examples: ["critical"],
  }),
  isUrgent: Type.Boolean({
    description: "Whether the severity makes the check fail. Otherwise it is degraded.",
    examples: [true],
  }),
  receiver: Type.String({
    description: "The receiver.",
    maxLength: textLength,
    examples: ["vedette"],
  }),
  externalUrl: OptionalUrl("Address of Alertmanager; `null` if unknown."),
  firingCount: Type.Integer({
    description: "Number of alerts that fire.",
    minimum: 0,
    maximum: 0xffff,
    examples: [2],
  }),
  resolvedCount: Type.Integer({
    description: "Number of alerts that have ended.",
    minimum: 0,
    maximum: 0xffff,
    examples: [0],
  }),
  alerts: Type.Array(AlertSchema, {
    description: `The first ${maxAlerts} alerts, firing ones first.`,
    maxItems: maxAlerts,
  }),
};

const MeasurementSchema = Type.Object(fields);

export interface AlertGroupRequest {
  readonly groupKey: string;
}
export type AlertGroupRun = Run<AlertGroupRequest, Signal>;

let compiled: { Check(value: unknown): boolean } | undefined;

/** Returns whether a value is a valid measurement. The validator is compiled on first use. */
export function isAlertGroupMeasurement(value: unknown): value is Signal {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}

/**
 * Format of a stored run: u8 (1 if there is a measurement), then the group key and the measurement
 * as JSON, each prefixed with its length as u16. The JSON is not compressed, because notifications
 * are rare.
 */
const maxKeyBytes = keyLength * 3;
const writer = new DetailWriter(1 + 2 + maxKeyBytes + 2 + 0xffff);

export function encode({ request, outcome }: AlertGroupRun): Buffer {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  writer.begin();
  writer.byte(measured === null ? 0 : 1);
  writer.longText(request.groupKey, maxKeyBytes);
  if (measured !== null) writer.longText(JSON.stringify(measured), 0xffff);
  return writer.finish();
}

export function decode(
  detail: Buffer,
  { startedAtMs, trouble }: { readonly startedAtMs: number; readonly trouble: object | null },
): AlertGroupRun {
  const reader = new DetailReader(detail);
  const isMeasured = reader.byte() === 1;
  const request = { groupKey: reader.longText() };
  if (!isMeasured) {
    return { request, startedAtMs, outcome: fromTrouble(trouble as Trouble | NoData) };
  }
  const measurement: Signal = JSON.parse(reader.longText());
  return { request, startedAtMs, outcome: { kind: "measured", measurement } };
}
