/** All that draws, in a chunk of its own. */

import { useMemo } from "react";
import { LocationName } from "../../../locations/location-name.tsx";
import { formatPercent } from "../../../parts/figures.ts";
import type { CheckSeries, Timeline } from "../queries.ts";
import type { Span } from "../search.ts";
import { words } from "../words.ts";
import styles from "./chart.module.css";
import { findTop, hasFigures } from "./chart-data.ts";
import type { StateSpan } from "./draw.ts";
import { Plot, type PlotModel } from "./plot.tsx";
import { formatValue } from "./units.ts";

type Series = CheckSeries["series"][number];

interface ChartsProps {
  readonly data: CheckSeries;
  readonly timeline: Timeline | null;
  readonly onZoom: (span: Span) => void;
}

const seconds = (text: string) => Date.parse(text) / 1_000;

/** The ribbon of all locations: the check's own status, as it changed. */
function listCheckSpans(timeline: Timeline | null): StateSpan[] {
  return (timeline?.states ?? []).map(({ from, to, state }) => ({
    fromSecond: seconds(from),
    toSecond: seconds(to),
    state,
  }));
}

/** The ribbon of one location: the worst of each slot. */
function listSlotSpans({ slots }: Series, slotSeconds: number): StateSpan[] {
  return slots.flatMap(({ at, state }) =>
    state === null ? [] : [{ fromSecond: seconds(at), toSecond: seconds(at) + slotSeconds, state }],
  );
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

function listDrawn(data: CheckSeries, timeline: Timeline | null): Drawn[] {
  const { series, slotSeconds, metric } = data;
  const top = findTop(series);
  const span = { fromMs: Date.parse(data.from), toMs: Date.parse(data.to) };
  const hasScale = hasFigures(series);
  const shared = { slotSeconds, unit: metric.unit, top, hasScale, span };
  return series.map((one) => {
    const { runLocation: location, total } = one;
    const isAll = location === null;
    const spans = isAll ? listCheckSpans(timeline) : listSlotSpans(one, slotSeconds);
    const model = { ...shared, series: one, spans, timeline: isAll ? timeline : null };
    return { location, total, model, label: [location, describe(one, data)].join(" ").trim() };
  });
}

export function Charts({ data, timeline, onZoom }: ChartsProps) {
  const drawn = useMemo(() => listDrawn(data, timeline), [data, timeline]);
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
