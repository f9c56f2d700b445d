import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { ErrorPanel } from "../../../parts/error-panel.tsx";
import { Skeleton } from "../../../parts/loading.tsx";
import { type CheckSeries, seriesQuery, timelineQuery } from "../queries.ts";
import { type CheckSearch, type SearchChange, type Span, toRangeSearch } from "../search.ts";
import { words } from "../words.ts";
import styles from "./chart.module.css";
import { hasFigures, hasRuns, listBars } from "./chart-data.ts";
import { ChartTable } from "./chart-table.tsx";

const Charts = lazy(async () => ({ default: (await import("./charts.tsx")).Charts }));

interface CheckChartProps {
  readonly checkId: string;
  readonly search: CheckSearch;
  readonly onSearch: (change: SearchChange) => void;
}

const marks = ["incident", "maintenance", "alert", "edit"] as const;

function Legend({ data }: { readonly data: CheckSeries }) {
  const { legend } = words.chart;
  const isLoss = data.series.some((one) => listBars(one).isLoss);
  const isByLocation = data.series.some(({ runLocation }) => runLocation !== null);
  return (
    <ul className={styles.legend}>
      {hasFigures(data.series) &&
        (["p50", "p95", "p99", "band"] as const).map((name) => (
          <li key={name}>
            <span className={styles.swatch} data-of={name} />
            {legend[name]}
          </li>
        ))}
      <li>
        <span className={styles.swatch} data-of="bars" />
        {isLoss ? legend.loss : legend.failing}
      </li>
      {!isByLocation &&
        marks.map((name) => (
          <li key={name}>
            <span className={styles.swatch} data-of={name} />
            {legend[name]}
          </li>
        ))}
    </ul>
  );
}

/** The chart of a check over the chosen range, or the same as a table. */
export function CheckChart({ checkId, search, onSearch }: CheckChartProps) {
  const series = useQuery(seriesQuery(checkId, search));
  const timeline = useQuery(timelineQuery(checkId, search));
  const { data } = series;
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
      <Legend data={data} />
      <Suspense fallback={<Skeleton rows={8} />}>
        <Charts data={data} timeline={timeline.data ?? null} onZoom={zoom} />
      </Suspense>
    </>
  );
}
