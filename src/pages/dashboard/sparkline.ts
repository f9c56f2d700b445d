import { formatMs } from "../../platform/text/figures.ts";
import { html, type Markup } from "../html.ts";
import type { LineView, StepView } from "./view.ts";

/** Size of the sparkline in SVG units. The marks of failed and degraded runs are below the line. */
const width = 200;
const height = 40;
const top = 2;
const bottom = 30;
const markHeight = 6;
const loneWidth = 6;

/**
 * Minimum value for the upper end of the scale. On a smaller scale, differences of a hundredth of a
 * millisecond would look large, although they are only noise.
 */
const leastTopMs = 1;

function findMedian(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/**
 * Returns the upper end of the scale, which starts at zero. It is at least twice the median, so
 * that a steady line is in the middle and only large changes look large.
 */
export function findTopMs(steps: readonly StepView[]): number | null {
  const known = steps.map(({ avgMs }) => avgMs).filter((avgMs) => avgMs !== null);
  if (known.length === 0) return null;
  known.sort((one, other) => one - other);
  return Math.max(known.at(-1) ?? 0, 2 * findMedian(known), leastTopMs);
}

/**
 * Draws the line as one path with integer coordinates. The line is interrupted where no value was
 * measured.
 */
function drawLine(steps: readonly StepView[], topMs: number): string {
  const stepWidth = width / steps.length;
  let path = "";
  let last: { readonly x: number; readonly y: number } | null = null;
  for (const [index, { avgMs }] of steps.entries()) {
    if (avgMs === null) {
      last = null;
      continue;
    }
    const x = Math.round((index + 0.5) * stepWidth);
    const y = Math.round(bottom - (avgMs / topMs) * (bottom - top));
    if (last === null) {
      const isAlone = (steps[index + 1]?.avgMs ?? null) === null;
      // A point without neighbours is drawn as a short dash, because a dot would hardly be visible.
      path += isAlone ? `M${x - loneWidth / 2} ${y}h${loneWidth}` : `M${x} ${y}l`;
    } else {
      path += `${x - last.x} ${y - last.y} `;
    }
    last = { x, y };
  }
  return path.trimEnd();
}

function drawMarks(steps: readonly StepView[], isMarked: (step: StepView) => boolean): string {
  const edge = (index: number) => Math.round((index * width) / steps.length);
  return steps
    .map((step, index) =>
      isMarked(step)
        ? `M${edge(index)} ${height}H${edge(index + 1)}v-${markHeight}H${edge(index)}z`
        : "",
    )
    .join("");
}

function writeHours(minutes: number): string {
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

const sum = (steps: readonly StepView[], read: (step: StepView) => number) =>
  steps.reduce((total, step) => total + read(step), 0);

/**
 * Returns the text to show instead of the line if there are no values; `null` if there is a line.
 */
function findPlaceholder({ steps, hasRun }: LineView, topMs: number | null): string | null {
  if (topMs !== null) return null;
  const runs = sum(steps, (step) => step.runs);
  if (runs === 0) return hasRun ? "no run in 24 h" : "waiting for the first run";
  return sum(steps, ({ failing }) => failing) === runs
    ? "no response in 24 h"
    : "no response times";
}

function describe(line: LineView): string {
  const known = line.steps.map(({ avgMs }) => avgMs).filter((avgMs) => avgMs !== null);
  const range = `${formatMs(Math.min(...known))} to ${formatMs(Math.max(...known))}`;
  const failed = line.steps.filter(({ failing }) => failing > 0).length * line.stepMinutes;
  const time = writeHours(Math.min(line.steps.length * line.stepMinutes, 24 * 60));
  return `${range} in ${time}${failed === 0 ? "" : `; failing runs in ${writeHours(failed)}`}`;
}

/** Omits the time before the first run, so that the line of a new check fills the full width. */
function trimLine(line: LineView): LineView {
  const first = line.steps.findIndex(({ runs }) => runs > 0);
  return first <= 0 ? line : { ...line, steps: line.steps.slice(first) };
}

export function renderSparkline(whole: LineView): Markup {
  const line = trimLine(whole);
  const { steps, stepMinutes } = line;
  const topMs = findTopMs(steps);
  const excuse = findPlaceholder(line, topMs);
  const path = (name: string, d: string) =>
    d === "" ? "" : html`<path class="${name}" d="${d}"/>`;
  const bad = drawMarks(steps, ({ failing }) => failing > 0);
  const fair = drawMarks(steps, ({ failing, degraded }) => failing === 0 && degraded > 0);
  const isYoung = steps.length < 23 || stepMinutes < 60;
  const note = excuse ?? (isYoung ? `last ${writeHours(steps.length * stepMinutes)}` : null);
  const words = note !== null && html`<span class="spark-note">${note}</span>`;
  if (topMs === null && bad === "" && fair === "") return html`${words}`;
  const label =
    topMs === null ? html`aria-hidden="true"` : html`role="img" aria-label="${describe(line)}"`;
  return html`<svg class="sparkline" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" ${label}>${path("spark-line", topMs === null ? "" : drawLine(steps, topMs))}${path("spark-fair", fair)}${path("spark-bad", bad)}</svg>${words}`;
}
