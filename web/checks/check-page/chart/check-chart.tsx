import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { ErrorPanel } from "../../../parts/error-panel.tsx";
import { formatCount } from "../../../parts/figures.ts";
import { Row } from "../../../parts/layout.tsx";
import { Skeleton } from "../../../parts/loading.tsx";
import { StateMark } from "../../../parts/state-mark.tsx";
import textStyles from "../../../parts/text.module.css";
import { DateTime, formatDuration } from "../../../parts/time.tsx";
import { type CheckSeries, seriesQuery, type Timeline, timelineQuery } from "../queries.ts";
import {
  type ChartPart,
  type CheckSearch,
  chartParts,
  isSinceStart,
  listHidden,
  readBirth,
  type SearchChange,
  type Span,
  toggleHidden,
  toRangeSearch,
} from "../search.ts";
import tables from "../tables.module.css";
import { useBefore } from "../use-before.ts";
import { words } from "../words.ts";
import styles from "./chart.module.css";
import { formatLoss, formatValue, hasRuns, hasValues, listBars } from "./chart-data.ts";

/** Shows the chart's data as a table, newest slot first. */
function ChartTable({ data }: { readonly data: CheckSeries }) {
  const { metric, series, slotSeconds } = data;
  const isByLocation = series.some(({ runLocation }) => runLocation !== null);
  const hasLoss = series.some(({ slots }) => slots.some(({ loss }) => loss !== null));
  const rows = series
    .flatMap(({ runLocation, slots }) => slots.map((slot) => ({ ...slot, runLocation })))
    .filter(({ runs }) => runs > 0)
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const { chart } = words;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
    <section className={tables.scroll} tabIndex={0} aria-label={metric.label}>
      <table className={tables.table}>
        <caption className={tables.caption}>
          {metric.label}. {chart.slotOf} {formatDuration(slotSeconds * 1_000)}.
        </caption>
        <thead>
          <tr>
            <th scope="col">{chart.time}</th>
            {isByLocation && <th scope="col">{words.run.location}</th>}
            <th scope="col">{chart.state}</th>
            {[chart.min, chart.legend.p50, chart.legend.p95, chart.legend.p99, chart.max].map(
              (name) => (
                <th scope="col" className={tables.number} key={name}>
                  {name}
                </th>
              ),
            )}
            <th scope="col" className={tables.number}>
              {chart.runs}
            </th>
            <th scope="col" className={tables.number}>
              {chart.failing}
            </th>
            {hasLoss && (
              <th scope="col" className={tables.number}>
                {chart.lossColumn}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.at} ${row.runLocation}`}>
              <th scope="row">
                <DateTime at={row.at} />
              </th>
              {isByLocation && <td>{row.runLocation}</td>}
              <td>{row.state && <StateMark state={row.state} hasWord />}</td>
              {[row.min, row.p50, row.p95, row.p99, row.max].map((value, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the column order does not change
                <td className={tables.number} key={place}>
                  {formatValue(value, metric.unit)}
                </td>
              ))}
              <td className={tables.number}>{formatCount(row.runs)}</td>
              <td className={tables.number}>{formatCount(row.failing)}</td>
              {hasLoss && <td className={tables.number}>{formatLoss(row.loss)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const marks = ["incident", "maintenance", "alert", "edit", "note", "deployment"] as const;

type Slot = CheckSeries["series"][number]["slots"][number];
type Kind = (typeof marks)[number];

/** Returns the number of marks of each kind in the timeline. */
function countMarks(timeline: Timeline | undefined): Readonly<Record<Kind, number>> {
  const notes = timeline?.annotations.filter(({ type }) => type === "NOTE").length ?? 0;
  return {
    incident: timeline?.incidents.length ?? 0,
    maintenance: timeline?.maintenance.length ?? 0,
    alert: timeline?.alerts.length ?? 0,
    edit: timeline?.edits.length ?? 0,
    note: notes,
    deployment: (timeline?.annotations.length ?? 0) - notes,
  };
}

/**
 * Lists the parts of the chart that are drawn, and those that the user has hidden. With one run per
 * slot, for example, all percentiles are one line.
 */
export function listParts(
  { series }: Pick<CheckSeries, "series">,
  timeline: Timeline | undefined,
  search: Pick<CheckSearch, "compare" | "hide">,
): readonly ChartPart[] {
  const some = (is: (slot: Slot) => boolean) => series.some(({ slots }) => slots.some(is));
  const counts = countMarks(timeline);
  const isByLocation = series.some(({ runLocation }) => runLocation !== null);
  const drawn: Readonly<Record<ChartPart, boolean>> = {
    p50: hasValues(series),
    p95: some(({ p50, p95 }) => p95 !== p50),
    p99: some(({ p95, p99 }) => p99 !== p95),
    band: some(({ min, max }) => min !== max),
    bars: series.some((one) => listBars(one).shares.some((share) => share > 0)),
    before: hasValues(series) && search.compare === "before",
    incident: counts.incident > 0,
    maintenance: counts.maintenance > 0,
    alert: counts.alert > 0,
    edit: counts.edit > 0,
    note: counts.note > 0,
    deployment: counts.deployment > 0,
  };
  const hidden = listHidden(search.hide);
  const isMark = (part: ChartPart) => marks.some((mark) => mark === part);
  return chartParts.filter(
    (part) => (drawn[part] || hidden.has(part)) && !(isByLocation && isMark(part)),
  );
}

interface LegendProps {
  readonly data: CheckSeries;
  readonly timeline: Timeline | undefined;
  readonly search: CheckSearch;
  readonly onSearch: (change: SearchChange) => void;
}

/** Legend of the chart. Its buttons show or hide the parts of the chart. */
function Legend({ data, timeline, search, onSearch }: LegendProps) {
  const { legend } = words.chart;
  const isLoss = data.series.some((one) => listBars(one).isLoss);
  const hidden = listHidden(search.hide);
  const parts = listParts(data, timeline, search);
  const names: Readonly<Record<ChartPart, string>> = {
    ...legend,
    bars: isLoss ? legend.loss : legend.failing,
  };
  return (
    <Row as="ul" gap={4} tight className={styles.legend} aria-label={words.chart.parts}>
      {parts.map((part) => (
        <li key={part}>
          <button
            type="button"
            className={styles.part}
            aria-pressed={!hidden.has(part)}
            onClick={() => onSearch({ hide: toggleHidden(search.hide, part) })}
          >
            <span className={styles.swatch} data-of={part} />
            {names[part]}
          </button>
        </li>
      ))}
    </Row>
  );
}

const Charts = lazy(async () => ({ default: (await import("./charts.tsx")).Charts }));

interface CheckChartProps {
  readonly checkId: string;
  readonly search: CheckSearch;
  readonly onSearch: (change: SearchChange) => void;
}

/** Shows the selected range as a chart or as a table. */
export function CheckChart({ checkId, search, onSearch }: CheckChartProps) {
  const series = useQuery(seriesQuery(checkId, search));
  const timeline = useQuery(timelineQuery(checkId, search));
  const { data } = series;
  const before = useBefore(checkId, data, search);
  if (data === undefined) {
    if (series.error === null) return <Skeleton rows={8} />;
    const retry = () => void series.refetch();
    return <ErrorPanel error={series.error} title={words.chart.notLoaded} onRetry={retry} />;
  }
  if (!hasRuns(data.series)) {
    return (
      <EmptyState title={words.chart.nothing}>
        <p>{words.chart.nothingHint}</p>
      </EmptyState>
    );
  }
  if (search.view === "table") return <ChartTable data={data} />;
  const zoom = (span: Span) => onSearch({ ...toRangeSearch(span, Date.now()), range: undefined });
  return (
    <>
      <Suspense fallback={<Skeleton rows={8} />}>
        <Charts
          data={data}
          timeline={timeline.data ?? null}
          before={before}
          bornMs={readBirth(checkId)}
          isSinceStart={isSinceStart(search, readBirth(checkId), Date.now())}
          scale={search.scale ?? "clipped"}
          hidden={listHidden(search.hide)}
          onZoom={zoom}
        />
      </Suspense>
      <Legend data={data} timeline={timeline.data} search={search} onSearch={onSearch} />
      {before !== null && !hasRuns(before.data.series) && (
        <p className={textStyles.hint}>{words.chart.nothingBefore}</p>
      )}
    </>
  );
}
