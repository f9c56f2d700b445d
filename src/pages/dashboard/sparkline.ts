import { html, type Markup } from "../html.ts";
import { formatMs } from "../milliseconds.ts";
import type { HourView } from "./view.ts";

const step = 4;
const height = 24;
/** The line's part of it; below stand the marks of hours with trouble. */
const top = 2;
const bottom = 16;
const markHeight = 4;

interface Range {
  readonly low: number;
  readonly high: number;
}

function findRange(hours: readonly HourView[]): Range | null {
  const known = hours.map(({ avgMs }) => avgMs).filter((avgMs) => avgMs !== null);
  if (known.length === 0) return null;
  return { low: Math.min(...known), high: Math.max(...known) };
}

/** Steady latency is a line in the middle: noise of a few percent stays flat. */
function placeOf(avgMs: number, { low, high }: Range): number {
  const middle = (low + high) / 2;
  const spread = Math.max(high - low, middle * 0.2, 0.01);
  const share = 0.5 - (avgMs - middle) / spread;
  return Math.round((top + share * (bottom - top)) * 10) / 10;
}

/** A line that is broken where nothing was measured; a lone hour is a short dash. */
function drawLine(hours: readonly HourView[], range: Range): string {
  let path = "";
  let isDrawing = false;
  for (const [index, { avgMs }] of hours.entries()) {
    if (avgMs === null) {
      isDrawing = false;
      continue;
    }
    const x = index * step + step / 2;
    const y = placeOf(avgMs, range);
    const isAlone = !isDrawing && (hours[index + 1]?.avgMs ?? null) === null;
    path += isAlone ? `M${x - 1} ${y}h2` : `${isDrawing ? "L" : "M"}${x} ${y}`;
    isDrawing = true;
  }
  return path;
}

function drawBars(hours: readonly HourView[], isMarked: (hour: HourView) => boolean): string {
  return hours
    .map((hour, index) =>
      isMarked(hour) ? `M${index * step} ${height}h${step}v-${markHeight}h-${step}z` : "",
    )
    .join("");
}

/** A few hundred bytes: one path for the line, and one for the hours of each kind of trouble. */
export function renderSparkline(hours: readonly HourView[]): Markup {
  const range = findRange(hours);
  const failed = hours.filter(({ failing }) => failing > 0).length;
  const label =
    range === null
      ? "No latency in the last 24 hours"
      : `Response time of the last 24 hours, from ${formatMs(range.low)} to ${formatMs(range.high)}` +
        (failed === 0 ? "" : `; failing runs in ${failed === 1 ? "1 hour" : `${failed} hours`}`);
  const bad = drawBars(hours, ({ failing }) => failing > 0);
  const fair = drawBars(hours, ({ failing, degraded }) => failing === 0 && degraded > 0);
  const path = (name: string, d: string) =>
    d === "" ? "" : html`<path class="${name}" d="${d}"/>`;
  const width = hours.length * step;
  return html`<svg class="sparkline" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${path("spark-fair", fair)}${path("spark-bad", bad)}${path("spark-line", range === null ? "" : drawLine(hours, range))}</svg>`;
}
