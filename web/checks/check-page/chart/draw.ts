import type uPlot from "uplot";
import type { Timeline } from "../queries.ts";
import type { Verdict } from "../search.ts";

/** Colours from the design tokens that the canvas of a chart uses. */
export interface ChartColors {
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly chart: string;
  readonly chartStrong: string;
  readonly chartBand: string;
  readonly bad: string;
  readonly badTint: string;
  readonly maintenance: string;
  readonly accent: string;
  readonly accentTint: string;
  readonly states: Readonly<Record<Verdict, string>>;
  readonly font: string;
}

export function readColors(): ChartColors {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    ink: read("--ink"),
    muted: read("--muted"),
    line: read("--line"),
    chart: read("--chart"),
    chartStrong: read("--chart-strong"),
    chartBand: read("--chart-band"),
    bad: read("--bad"),
    badTint: read("--bad-tint"),
    maintenance: read("--maintenance"),
    accent: read("--accent"),
    accentTint: read("--accent-tint"),
    states: {
      passing: read("--good"),
      degraded: read("--fair"),
      failing: read("--bad"),
      unknown: read("--none"),
    },
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
  };
}

export interface StateSpan {
  readonly fromSecond: number;
  readonly toSecond: number;
  readonly state: Verdict;
}

/**
 * Heights in CSS pixels of the rows below the lines of the chart: the bars and the state ribbon.
 */
export const lower = { gap: 6, bars: 30, ribbon: 14 } as const;
export const lowerHeight = 2 * lower.gap + lower.bars + lower.ribbon;

const seconds = (text: string) => Date.parse(text) / 1_000;

interface Frame {
  readonly left: number;
  readonly right: number;
  readonly ratio: number;
  readonly toX: (second: number) => number;
}

function frameOf(plot: uPlot): Frame {
  const left = plot.bbox.left;
  const right = left + plot.bbox.width;
  const toX = (second: number) => Math.min(Math.max(plot.valToPos(second, "x", true), left), right);
  return { left, right, ratio: devicePixelRatio, toX };
}

/** Draws maintenance windows and incidents as shaded areas behind the lines. */
export function drawSpans(plot: uPlot, timeline: Timeline | null, colors: ChartColors): void {
  if (timeline === null) return;
  const { ctx } = plot;
  const { toX, right } = frameOf(plot);
  const { top, height } = plot.bbox;
  const fill = (from: number, to: number, color: string) => {
    if (to > from) {
      ctx.fillStyle = color;
      ctx.fillRect(from, top, Math.max(to - from, 1), height);
    }
  };
  ctx.save();
  for (const { from, to } of timeline.maintenance) {
    fill(toX(seconds(from)), toX(seconds(to)), colors.accentTint);
  }
  for (const { from, to } of timeline.incidents) {
    fill(toX(seconds(from)), to === null ? right : toX(seconds(to)), colors.badTint);
  }
  ctx.restore();
}

type Point = readonly [number, number];

/** Paths of the event symbols, just below the top of the chart and centred at x. */
const signs = {
  edit: (x, top, size) => [
    [x, top],
    [x + size, top + size],
    [x, top + 2 * size],
    [x - size, top + size],
  ],
  alert: (x, top, size) => [
    [x - size, top],
    [x + size, top],
    [x, top + 2 * size],
  ],
  note: (x, top, size) => [
    [x - size, top],
    [x + size, top],
    [x + size, top + 2 * size],
    [x - size, top + 2 * size],
  ],
  deployment: (x, top, size) => [
    [x, top],
    [x + size, top + 2 * size],
    [x - size, top + 2 * size],
  ],
} satisfies Record<string, (x: number, top: number, size: number) => readonly Point[]>;

function fillShape(ctx: CanvasRenderingContext2D, points: readonly Point[]): void {
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.closePath();
  ctx.fill();
}

/** Draws a dashed vertical line for each event, such as an edit, with its symbol at the top. */
export function drawMarks(plot: uPlot, timeline: Timeline | null, colors: ChartColors): void {
  if (timeline === null) return;
  const { ctx } = plot;
  const { left, right, ratio } = frameOf(plot);
  const { top, height } = plot.bbox;
  const mark = (kind: keyof typeof signs, at: string, color: string) => {
    const x = Math.round(plot.valToPos(seconds(at), "x", true)) + 0.5;
    if (x < left || x > right) return;
    ctx.strokeStyle = color;
    ctx.fillStyle = color;
    ctx.lineWidth = ratio;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    ctx.setLineDash([]);
    fillShape(ctx, signs[kind](x, top, 4 * ratio));
  };
  ctx.save();
  for (const { at } of timeline.edits) mark("edit", at, colors.muted);
  for (const { type, at } of timeline.annotations) {
    mark(type === "NOTE" ? "note" : "deployment", at, colors.accent);
  }
  for (const { at } of timeline.alerts) mark("alert", at, colors.bad);
  ctx.restore();
}

/** Draws a symbol at the top edge of the chart wherever a value exceeds the scale. */
export function drawCut(
  plot: uPlot,
  { highest, top }: { readonly highest: readonly (number | null)[]; readonly top: number },
  color: string,
): void {
  const { ctx } = plot;
  const { ratio, left, right } = frameOf(plot);
  const size = 3 * ratio;
  ctx.save();
  ctx.fillStyle = color;
  for (const [place, value] of highest.entries()) {
    if (value === null || value <= top) continue;
    const x = plot.valToPos(plot.data[0][place] ?? 0, "x", true);
    if (x >= left && x <= right) fillShape(ctx, signs.deployment(x, plot.bbox.top, size));
  }
  ctx.restore();
}

const heights: Readonly<Record<Verdict, number>> = {
  failing: 1,
  degraded: 0.65,
  passing: 0.35,
  unknown: 0.35,
};

interface LowerRows {
  readonly shares: readonly number[];
  readonly spans: readonly StateSpan[];
  /** Start and end time of each bar. */
  readonly slots: readonly { readonly fromSecond: number; readonly toSecond: number }[];
}

/**
 * Draws the bars, which show packet loss or failures, and the state ribbon. Worse states are
 * taller.
 */
export function drawLower(
  plot: uPlot,
  { shares, spans, slots }: LowerRows,
  colors: ChartColors,
): void {
  const { ctx, bbox } = plot;
  const { left, right, ratio, toX } = frameOf(plot);
  const barsTop = bbox.top + bbox.height + lower.gap * ratio;
  const barsHeight = lower.bars * ratio;
  ctx.save();
  ctx.fillStyle = colors.line;
  ctx.fillRect(left, barsTop + barsHeight, right - left, ratio);
  ctx.fillStyle = colors.bad;
  for (const [place, share] of shares.entries()) {
    const slot = slots[place];
    if (share <= 0 || slot === undefined) continue;
    const from = toX(slot.fromSecond);
    const width = Math.max(toX(slot.toSecond) - from - ratio, ratio);
    // Bars have a minimum height, so that even the smallest loss is visible.
    const height = Math.max(share * barsHeight, 2 * ratio);
    ctx.fillRect(from, barsTop + barsHeight - height, width, height);
  }
  const bottom = barsTop + barsHeight + (lower.gap + lower.ribbon) * ratio;
  for (const { state, fromSecond, toSecond } of spans) {
    const from = toX(fromSecond);
    const width = toX(toSecond) - from;
    if (width <= 0) continue;
    const height = heights[state] * lower.ribbon * ratio;
    ctx.fillStyle = colors.states[state];
    if (state === "unknown") hatch(ctx, { from, width, bottom, height, ratio });
    else ctx.fillRect(from, bottom - height, Math.max(width, 2 * ratio), height);
  }
  ctx.restore();
}

/**
 * Draws a period without data as a dashed line, to match the state icon for no data, a dashed ring.
 */
function hatch(
  ctx: CanvasRenderingContext2D,
  area: Readonly<Record<"from" | "width" | "bottom" | "height" | "ratio", number>>,
): void {
  const { from, width, bottom, height, ratio } = area;
  const step = 6 * ratio;
  for (let x = from; x < from + width; x += step) {
    ctx.fillRect(x, bottom - height / 2, Math.min(step / 2, from + width - x), 2 * ratio);
  }
}
