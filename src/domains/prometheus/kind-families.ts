import { allKinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import { type FamilyDefinition, writeLabels } from "./exposition.ts";

/** The target series of one figure of a run, and its unit. */
export interface FigureSeries {
  readonly family: FamilyDefinition;
  /** In addition to the labels of the check. */
  readonly labels: string;
  /** Factor that converts the figure to the unit of the series. */
  readonly factor: number;
}

export interface KindSeries {
  readonly kind: Pick<Kind, "readFigures">;
  /** In the order of the kind's parts and counters. */
  readonly parts: readonly FigureSeries[];
  readonly counters: readonly FigureSeries[];
}

/** Prometheus measures times in seconds; promtool rejects names with other units. */
const secondsPerDay = 86_400;

/** `daysUntilExpiry` becomes `days_until_expiry`. */
const toSnakeCase = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/[^a-z0-9_]/g, "_");

function describeKind(kind: Kind): KindSeries {
  const { path, words, parts, counters } = kind;
  const start = `vedette_${path.replace(/[^a-z0-9]/g, "_")}`;
  const gauge = (name: string, help: string) => ({ name, type: "gauge", help }) as const;
  const timing = gauge(`${start}_timing_seconds`, `Times of the latest run of ${words.aCheck}.`);
  return {
    kind,
    parts: parts.map(({ metric, unit, label }): FigureSeries => {
      const name = toSnakeCase(metric);
      if (unit === "milliseconds") {
        const type = name.replace(/_ms$/, "");
        return { family: timing, labels: writeLabels([["type", type]]), factor: 0.001 };
      }
      const help = `${label}, in the latest run.`;
      if (name.startsWith("days_")) {
        const time = `${start}_${name.replace(/^days/, "time")}_seconds`;
        return { family: gauge(time, help), labels: "", factor: secondsPerDay };
      }
      if (unit === "percentage") {
        return { family: gauge(`${start}_${name}_ratio`, help), labels: "", factor: 0.01 };
      }
      return { family: gauge(`${start}_${name}`, help), labels: "", factor: 1 };
    }),
    counters: counters.map(({ name }) => {
      const help = `${name} of the latest run.`;
      return { family: gauge(`${start}_${toSnakeCase(name)}`, help), labels: "", factor: 1 };
    }),
  };
}

export const seriesOfKinds: ReadonlyMap<string, KindSeries> = new Map(
  allKinds.map((kind) => [kind.type, describeKind(kind)]),
);
