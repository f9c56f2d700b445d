/** Draws the charts of a check. This module is a separate chunk, because uPlot is large. */

import { useMemo } from "react";
import { LocationName } from "../../../locations/index.ts";
import { formatPercent } from "../../../parts/figures.ts";
import type { CheckSeries, Timeline } from "../queries.ts";
import type { ChartPart, Span } from "../search.ts";
import type { Before } from "../use-before.ts";
import { words } from "../words.ts";
import styles from "./chart.module.css";
import { alignBefore, boundSlot, formatValue, hasValues, type Limits } from "./chart-data.ts";
import type { StateSpan } from "./draw.ts";
import { Plot, type PlotModel } from "./plot.tsx";
import { chooseScale, type ScaleName } from "./scale.ts";

type Series = CheckSeries["series"][number];

interface Look {
  readonly scale: ScaleName;
  readonly hidden: ReadonlySet<ChartPart>;
}

interface ChartsProps extends Look {
  readonly data: CheckSeries;
  readonly timeline: Timeline | null;
  /** Data of the previous period; `null` if the comparison is not shown. */
  readonly before: Before | null;
  /** Time at which the check was created; 0 if unknown. */
  readonly bornMs: number;
  /** Whether the chart begins with the check, although its first slot begins earlier. */
  readonly isSinceStart: boolean;
  readonly onZoom: (span: Span) => void;
}

const seconds = (text: string) => Date.parse(text) / 1_000;

/**
 * Returns the states for the ribbon below the combined chart, from the state history of the check.
 */
function listCheckSpans(timeline: Timeline | null): StateSpan[] {
  return (timeline?.states ?? []).map(({ from, to, state }) => ({
    fromSecond: seconds(from),
    toSecond: seconds(to),
    state,
  }));
}

/**
 * Returns the states for the ribbon below the chart of one location: the worst state of each slot.
 */
function listSlotSpans({ slots }: Series, slotSeconds: number, limits: Limits): StateSpan[] {
  return slots.flatMap((slot) =>
    slot.state === null ? [] : [{ ...boundSlot(slot, slotSeconds, limits), state: slot.state }],
  );
}

/** Removes the chart marks that the user has hidden in the legend, such as incidents. */
function filterMarks(timeline: Timeline | null, { hidden }: Look): Timeline | null {
  if (timeline === null) return null;
  const keep = <Mark,>(part: ChartPart, marks: readonly Mark[]) =>
    hidden.has(part) ? [] : [...marks];
  return {
    ...timeline,
    incidents: keep("incident", timeline.incidents),
    maintenance: keep("maintenance", timeline.maintenance),
    alerts: keep("alert", timeline.alerts),
    edits: keep("edit", timeline.edits),
    annotations: timeline.annotations.filter(
      ({ type }) => !hidden.has(type === "NOTE" ? "note" : "deployment"),
    ),
  };
}

function listBefore(one: Series, before: Before | null): (number | null)[] {
  const same = before?.data.series.find(({ runLocation }) => runLocation === one.runLocation);
  if (before === null || same === undefined) return [];
  const { periodSeconds, data } = before;
  return alignBefore(one, same, { periodSeconds, slotSeconds: data.slotSeconds });
}

function describe({ total }: Series, { metric }: CheckSeries): string {
  const { availability, p50, p95, p99, failing, runs } = total;
  return [
    `${metric.label}:`,
    ...(p50 === null
      ? []
      : [
          `${words.figures.p50} ${formatValue(p50, metric.unit)},`,
          `${words.figures.p95} ${formatValue(p95, metric.unit)},`,
          `${words.figures.p99} ${formatValue(p99, metric.unit)},`,
        ]),
    `${words.figures.availability} ${formatPercent(availability)},`,
    `${failing} / ${runs} ${words.chart.failing}.`,
  ].join(" ");
}

interface Drawn {
  readonly location: string | null;
  readonly label: string;
  readonly model: PlotModel;
  readonly total: Series["total"];
}

type DrawnProps = Omit<ChartsProps, "onZoom">;

function listDrawn(props: DrawnProps): Drawn[] {
  const { data, timeline, before, bornMs, scale: name, hidden, isSinceStart } = props;
  const { series, slotSeconds, metric } = data;
  const compared = before === null || hidden.has("before") ? [] : before.data.series;
  const scale = chooseScale([...series, ...compared], name);
  const toMs = Date.parse(data.to);
  const span = { fromMs: isSinceStart ? Math.min(bornMs, toMs - 1) : Date.parse(data.from), toMs };
  const limits = { bornSecond: bornMs / 1_000, endSecond: span.toMs / 1_000 };
  const hasScale = hasValues(series);
  const marks = filterMarks(timeline, { scale: name, hidden });
  const shared = { slotSeconds, unit: metric.unit, scale, limits, hasScale, span, hidden };
  return series.map((one) => {
    const { runLocation: location, total } = one;
    const isAll = location === null;
    const spans = isAll ? listCheckSpans(timeline) : listSlotSpans(one, slotSeconds, limits);
    const model = {
      ...shared,
      series: one,
      spans,
      timeline: isAll ? marks : null,
      before: listBefore(one, before),
    };
    return { location, total, model, label: [location, describe(one, data)].join(" ").trim() };
  });
}

export function Charts({ onZoom, ...props }: ChartsProps) {
  const { data, timeline, before, bornMs, scale, hidden, isSinceStart } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: all members of `props` are listed
  const drawn = useMemo(
    () => listDrawn(props),
    [data, timeline, before, bornMs, scale, [...hidden].join(), isSinceStart],
  );
  const [first] = drawn;
  if (first !== undefined && first.location === null) {
    const { model, label } = first;
    const height = model.hasScale ? 320 : 140;
    return <Plot model={model} height={height} label={label} onZoom={onZoom} />;
  }
  return (
    <div className={styles.multiples}>
      {drawn.map(({ location, total, model, label }) => (
        <section className={styles.multiple} key={location}>
          <h2>{location !== null && <LocationName region={location} />}</h2>
          <p>
            {formatPercent(total.availability)} · {words.figures.p95}{" "}
            {formatValue(total.p95, data.metric.unit)}
          </p>
          <Plot model={model} height={200} label={label} onZoom={onZoom} />
        </section>
      ))}
    </div>
  );
}
