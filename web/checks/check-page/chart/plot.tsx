import { useEffect, useRef, useState } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { CheckSeries, Timeline } from "../queries.ts";
import type { ChartPart, Span } from "../search.ts";
import styles from "./chart.module.css";
import {
  boundSlot,
  findSlot,
  formatAxisTimes,
  formatTick,
  type Limits,
  listBars,
  listLonely,
  toColumns,
  type Unit,
} from "./chart-data.ts";
import {
  type ChartColors,
  drawCut,
  drawLower,
  drawMarks,
  drawSpans,
  lowerHeight,
  readColors,
  type StateSpan,
} from "./draw.ts";
import type { Scale } from "./scale.ts";
import { SlotTip } from "./slot-tip.tsx";

type Series = CheckSeries["series"][number];

export interface PlotModel {
  readonly series: Series;
  readonly slotSeconds: number;
  readonly unit: Unit;
  readonly scale: Scale;
  readonly limits: Limits;
  /** P50 of the previous period for each time slot of the chart. */
  readonly before: readonly (number | null)[];
  readonly hidden: ReadonlySet<ChartPart>;
  /** Whether the chart has a value scale. If false, only failures, states and events are drawn. */
  readonly hasScale: boolean;
  readonly span: Span;
  readonly spans: readonly StateSpan[];
  readonly timeline: Timeline | null;
}

interface PlotProps {
  readonly model: PlotModel;
  readonly height: number;
  /** Accessible description of the chart. */
  readonly label: string;
  readonly onZoom: (span: Span) => void;
}

const axisWidth = 62;
const timesHeight = 24;
/** Minimum width of a time label in pixels, enough for "12:00 PM" or "Nov 16" and a gap. */
const timesApart = 80;

/**
 * Removes gaps of a single missing slot, which can result from small variations in the run times.
 */
function keepLongGaps(model: () => PlotModel): UPlot.Series.GapsRefiner {
  return (plot, _series, _first, _last, gaps) => {
    const { slotSeconds } = model();
    const start = plot.data[0][0] ?? 0;
    const slotPx = plot.valToPos(start + slotSeconds, "x", true) - plot.valToPos(start, "x", true);
    return gaps.filter(([from, to]) => to - from > 2.5 * slotPx);
  };
}

interface Listeners {
  readonly model: () => PlotModel;
  readonly onZoom: (span: Span) => void;
  readonly onPoint: (second: number | null, leftPx: number) => void;
}

/** Maximum number of values in a line that is drawn with a point for every value. */
const mostPoints = 60;

/**
 * Draws every value of a short line as a point. In a longer line, only isolated values are points,
 * because no line connects them.
 */
function createPoints(size: number): UPlot.Series.Points {
  const valuesOf = (plot: UPlot, place: number) => Array.from(plot.data[place] ?? []);
  return {
    size,
    show: (plot, place) =>
      valuesOf(plot, place).filter((value) => (value ?? null) !== null).length <= mostPoints,
    filter: (plot, place, isShown) => (isShown ? null : listLonely(valuesOf(plot, place))),
  };
}

function createLines(colors: ChartColors, model: () => PlotModel): UPlot.Series[] {
  const gaps = keepLongGaps(model);
  const { hidden } = model();
  const line = (part: ChartPart, color: string, width: number, more: UPlot.Series = {}) => ({
    stroke: color,
    width,
    show: !hidden.has(part),
    points: createPoints(width + 3),
    gaps,
    ...more,
  });
  const edge = line("band", "transparent", 0, { points: { show: false } });
  return [
    {},
    edge,
    edge,
    line("p50", colors.chartStrong, 2),
    line("p95", colors.chart, 1.25),
    line("p99", colors.chart, 1, { dash: [4, 3] }),
    line("before", colors.muted, 1.5, { dash: [1, 3] }),
  ];
}

/** Returns the highest visible value of a time slot. */
function findHighest(slot: Series["slots"][number], hidden: PlotModel["hidden"]): number | null {
  const drawn = [
    hidden.has("band") ? null : slot.max,
    hidden.has("p99") ? null : slot.p99,
    hidden.has("p95") ? null : slot.p95,
    hidden.has("p50") ? null : slot.p50,
  ];
  return drawn.reduce((highest, one) => Math.max(highest ?? 0, one ?? 0), null);
}

function createHooks(colors: ChartColors, { model, onZoom, onPoint }: Listeners) {
  return {
    drawClear: [(plot: UPlot) => drawSpans(plot, model().timeline, colors)],
    draw: [
      (plot: UPlot) => {
        const { series, slotSeconds, limits, spans, scale, timeline, hidden, hasScale } = model();
        const shares = hidden.has("bars") ? [] : listBars(series).shares;
        const slots = series.slots.map((slot) => boundSlot(slot, slotSeconds, limits));
        drawLower(plot, { shares, spans, slots }, colors);
        const highest = series.slots.map((slot) => findHighest(slot, hidden));
        if (hasScale) drawCut(plot, { highest, top: scale.top }, colors.chartStrong);
        drawMarks(plot, timeline, colors);
      },
    ],
    setSelect: [
      (plot: UPlot) => {
        const { left, width } = plot.select;
        if (width < 4) return;
        const fromMs = plot.posToVal(left, "x") * 1_000;
        const toMs = plot.posToVal(left + width, "x") * 1_000;
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        onZoom({ fromMs, toMs });
      },
    ],
    setCursor: [
      (plot: UPlot) => {
        const { left = -1 } = plot.cursor;
        onPoint(left < 0 ? null : plot.posToVal(left, "x"), left + axisWidth);
      },
    ],
  };
}

function createOptions(
  size: { readonly width: number; readonly height: number },
  colors: ChartColors,
  listeners: Listeners,
): UPlot.Options {
  const { model } = listeners;
  const axis = { stroke: colors.muted, font: colors.font, ticks: { show: false } };
  return {
    ...size,
    // The right padding leaves room for half of the rightmost time label.
    padding: [10, 34, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
    scales: {
      x: { range: () => [model().span.fromMs / 1_000, model().span.toMs / 1_000] },
      y: {
        distr: model().scale.name === "log" ? 3 : 1,
        range: () => [model().scale.bottom, model().scale.top],
      },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        gap: lowerHeight + 4,
        space: timesApart,
        values: (_plot, splits) => formatAxisTimes(splits),
        size: lowerHeight + timesHeight,
      },
      {
        ...axis,
        grid: { show: model().hasScale, stroke: colors.line, width: 1 },
        size: axisWidth,
        splits: () => [...model().scale.ticks],
        filter: (_plot, splits) => splits,
        values: (_plot, splits) =>
          model().hasScale ? splits.map((value) => formatTick(value, model().unit)) : [],
      },
    ],
    series: createLines(colors, model),
    bands: [{ series: [2, 1], fill: colors.chartBand }],
    hooks: createHooks(colors, listeners),
  };
}

/** Returns the current theme. When the theme changes, the canvas must be redrawn. */
const readTheme = () => document.documentElement.dataset.theme ?? "";

function useTheme(): string {
  const [theme, setTheme] = useState(readTheme);
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(readTheme()));
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, []);
  return theme;
}

const listColumns = ({ series, slotSeconds, limits, before }: PlotModel) =>
  toColumns(series, slotSeconds, limits, before);

/** Draws a chart and updates its data in place, so that live updates do not recreate the chart. */
export function Plot({ model, height, label, onZoom }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const newest = useRef({ model, onZoom });
  newest.current = { model, onZoom };
  const theme = useTheme();
  const [point, setPoint] = useState<{ place: number; leftPx: number } | null>(null);

  const look = `${model.scale.name} ${[...model.hidden].join(" ")}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `theme` and `look` change the drawing
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const read = () => newest.current.model;
    const made = new UPlot(
      createOptions({ width: element.clientWidth, height }, readColors(), {
        model: read,
        onZoom: (span) => newest.current.onZoom(span),
        onPoint: (second, leftPx) => {
          const { series, slotSeconds } = read();
          const found = second === null ? null : findSlot(series, second, slotSeconds);
          setPoint((before) =>
            before?.place === found?.place ? before : found && { place: found.place, leftPx },
          );
        },
      }),
      listColumns(read()),
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [height, theme, look]);

  useEffect(() => {
    plot.current?.setData(listColumns(model));
  }, [model]);

  const slot = point === null ? undefined : model.series.slots[point.place];
  return (
    <div className={styles.plot} data-low={!model.hasScale || undefined}>
      <div ref={box} role="img" aria-label={label} />
      {slot && point && (
        <SlotTip slot={slot} place={point.place} model={model} leftPx={point.leftPx} />
      )}
    </div>
  );
}
