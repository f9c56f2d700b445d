import { notEnoughData } from "../states.ts";
import type { DashboardView, StatsView } from "./view.ts";

/** Spaces with the width of a digit and of a point in fonts with tabular digits. */
const digitSpace = "\u2007";
const pointSpace = "\u2008";

/** Equivalent to Intl, which takes a hundred times as long. */
function groupThousands(whole: number): string {
  return whole < 1_000 ? `${whole}` : `${whole}`.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/**
 * Formats milliseconds with three digits and without the unit, which is in the heading. Spaces
 * replace missing decimals, so that the points of a column are aligned.
 */
export function alignMs(ms: number | null): string {
  if (ms === null) return "–";
  if (ms >= 99.95) return groupThousands(Math.round(ms)) + pointSpace + digitSpace.repeat(2);
  if (ms >= 9.995) return ms.toFixed(1) + digitSpace;
  return ms >= 0.005 ? ms.toFixed(2) : "< 0.01";
}

/** Formats two decimals, rounded down, so that only 1 is `100.00 %`; a dash for `no data`. */
export function alignPercent(text: string): string {
  if (!text.endsWith("%")) return "–";
  const hundredths = Math.floor(Number(text.slice(0, -1)) * 100 + 1e-6);
  return `${(hundredths / 100).toFixed(2)} %`;
}

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly read: (stats: StatsView) => string;
  /** Returns the reason for a dash. */
  readonly explain: (stats: StatsView) => string | null;
}

const timeColumn = (
  key: string,
  title: string,
  read: (stats: StatsView) => number | null,
): Column => ({
  key,
  title,
  read: (stats) => alignMs(read(stats)),
  explain: (stats) => (read(stats) === null ? "no response time" : null),
});

const availability: Column = {
  key: "availability",
  title: "Availability",
  read: (stats) => alignPercent(stats.availability),
  explain: (stats) =>
    stats.availability === notEnoughData || !stats.availability.endsWith("%")
      ? stats.availability
      : null,
};

export function columnsOf(view: Pick<DashboardView, "showP95" | "showP99">): readonly Column[] {
  return [
    availability,
    timeColumn("average", "Average, ms", ({ avgMs }) => avgMs),
    ...(view.showP95 ? [timeColumn("p95", "P95, ms", ({ p95Ms }) => p95Ms)] : []),
    ...(view.showP99 ? [timeColumn("p99", "P99, ms", ({ p99Ms }) => p99Ms)] : []),
  ];
}
