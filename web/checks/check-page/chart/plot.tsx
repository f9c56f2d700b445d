import { useEffect, useRef, useState } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { CheckSeries, Timeline } from "../queries.ts";
import type { Span } from "../search.ts";
import styles from "./chart.module.css";
import { findSlot, listBars, toColumns } from "./chart-data.ts";
import {
  type ChartColors,
  drawLower,
  drawMoments,
  drawSpans,
  lowerHeight,
  readColors,
  type StateSpan,
} from "./draw.ts";
import { SlotTip } from "./slot-tip.tsx";
import { formatMoments, formatTick, type Unit } from "./units.ts";

type Series = CheckSeries["series"][number];

export interface PlotModel {
  readonly series: Series;
  readonly slotSeconds: number;
  readonly unit: Unit;
  readonly top: number;
  /** Without it only failures, states and marks are drawn. */
  readonly hasScale: boolean;
  readonly span: Span;
  readonly spans: readonly StateSpan[];
  readonly timeline: Timeline | null;
}

interface PlotProps {
  readonly model: PlotModel;
  readonly height: number;
  /** What it shows, for those who cannot see it. */
  readonly label: string;
  readonly onZoom: (span: Span) => void;
}

const axisWidth = 62;
const timesHeight = 24;
/** Room for "12:00 PM" or "Nov 16" and a gap. */
const timesApart = 80;

/** A gap of one slot comes of runs that are a moment early or late; longer ones are real. */
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

function createLines(colors: ChartColors, model: () => PlotModel): UPlot.Series[] {
  const gaps = keepLongGaps(model);
  const points = { size: 4 };
  const hidden = { stroke: "transparent", width: 0, points: { show: false }, gaps };
  return [
    {},
    hidden,
    hidden,
    { stroke: colors.chartStrong, width: 2, points, gaps },
    { stroke: colors.chart, width: 1.25, points: { show: false }, gaps },
    { stroke: colors.chart, width: 1, dash: [4, 3], points: { show: false }, gaps },
  ];
}

function createHooks(colors: ChartColors, { model, onZoom, onPoint }: Listeners) {
  return {
    drawClear: [(plot: UPlot) => drawSpans(plot, model().timeline, colors)],
    draw: [
      (plot: UPlot) => {
        const { series, spans, timeline } = model();
        drawLower(plot, { shares: listBars(series).shares, spans }, colors);
        drawMoments(plot, timeline, colors);
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
    padding: [10, 22, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
    scales: {
      x: { range: () => [model().span.fromMs / 1_000, model().span.toMs / 1_000] },
      y: { range: () => [0, model().top] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        gap: lowerHeight + 4,
        space: timesApart,
        values: (_plot, splits) => formatMoments(splits),
        size: lowerHeight + timesHeight,
      },
      {
        ...axis,
        grid: { show: model().hasScale, stroke: colors.line, width: 1 },
        size: axisWidth,
        values: (_plot, splits) =>
          model().hasScale ? splits.map((value) => formatTick(value, model().unit)) : [],
      },
    ],
    series: createLines(colors, model),
    bands: [{ series: [2, 1], fill: colors.chartBand }],
    hooks: createHooks(colors, listeners),
  };
}

/** Drawn again with other colours when the theme changes. */
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

/** One chart. Its data is changed in place: a live chart is not built anew for each result. */
export function Plot({ model, height, label, onZoom }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const newest = useRef({ model, onZoom });
  newest.current = { model, onZoom };
  const theme = useTheme();
  const [point, setPoint] = useState<{ place: number; leftPx: number } | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme has other colours
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
      toColumns(read().series, read().slotSeconds),
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
  }, [height, theme]);

  useEffect(() => {
    plot.current?.setData(toColumns(model.series, model.slotSeconds));
  }, [model]);

  const slot = point === null ? undefined : model.series.slots[point.place];
  return (
    <div className={styles.plot} data-low={!model.hasScale || undefined}>
      <div ref={box} role="img" aria-label={label} />
      {slot && point && <SlotTip slot={slot} model={model} leftPx={point.leftPx} />}
    </div>
  );
}
