import type uPlot from "uplot";
import type { Timeline } from "../queries.ts";
import type { Verdict } from "../search.ts";

/** What a canvas needs of the tokens. */
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

/** Heights of the rows between the lines and the times, in CSS pixels. */
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

/** Behind the lines: what was planned and what was told. */
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

/** Above the lines: moments, each with a sign of its own at the top. */
export function drawMoments(plot: uPlot, timeline: Timeline | null, colors: ChartColors): void {
  if (timeline === null) return;
  const { ctx } = plot;
  const { left, right, ratio } = frameOf(plot);
  const { top, height } = plot.bbox;
  const mark = (moment: string, color: string, sign: (x: number) => void) => {
    const x = Math.round(plot.valToPos(seconds(moment), "x", true)) + 0.5;
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
    sign(x);
  };
  const size = 4 * ratio;
  const shape = (points: readonly (readonly [number, number])[]) => {
    ctx.beginPath();
    for (const [x, y] of points) ctx.lineTo(x, y);
    ctx.closePath();
    ctx.fill();
  };
  ctx.save();
  for (const { at } of timeline.edits) {
    mark(at, colors.muted, (x) =>
      shape([
        [x, top - size],
        [x + size, top],
        [x, top + size],
        [x - size, top],
      ]),
    );
  }
  for (const { at } of timeline.alerts) {
    mark(at, colors.bad, (x) =>
      shape([
        [x - size, top - size],
        [x + size, top - size],
        [x, top + size],
      ]),
    );
  }
  ctx.restore();
}

const heights: Readonly<Record<Verdict, number>> = {
  failing: 1,
  degraded: 0.65,
  passing: 0.35,
  unknown: 0.35,
};

/** Below the lines: bars of loss or failures, and the ribbon of states: the worse, the higher. */
export function drawLower(
  plot: uPlot,
  { shares, spans }: { readonly shares: readonly number[]; readonly spans: readonly StateSpan[] },
  colors: ChartColors,
): void {
  const { ctx, bbox } = plot;
  const { left, right, ratio, toX } = frameOf(plot);
  const times = plot.data[0];
  const barsTop = bbox.top + bbox.height + lower.gap * ratio;
  const barsHeight = lower.bars * ratio;
  ctx.save();
  ctx.fillStyle = colors.line;
  ctx.fillRect(left, barsTop + barsHeight, right - left, ratio);
  ctx.fillStyle = colors.bad;
  const half = times.length > 1 ? ((times[1] ?? 0) - (times[0] ?? 0)) / 2 : 0;
  for (const [place, share] of shares.entries()) {
    const middle = times[place] ?? 0;
    if (share <= 0) continue;
    const from = toX(middle - half);
    const width = Math.max(toX(middle + half) - from - ratio, ratio);
    // The smallest loss still shows.
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

/** No data is a dashed line, as its sign is a dashed ring. */
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
