import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { ErrorPanel } from "../../../parts/error-panel.tsx";
import { Skeleton } from "../../../parts/loading.tsx";
import textStyles from "../../../parts/text.module.css";
import { seriesQuery, timelineQuery } from "../queries.ts";
import {
  type CheckSearch,
  listHidden,
  readBirth,
  type SearchChange,
  type Span,
  toRangeSearch,
} from "../search.ts";
import { useBefore } from "../use-before.ts";
import { words } from "../words.ts";
import { hasRuns } from "./chart-data.ts";
import { ChartTable } from "./chart-table.tsx";
import { Legend } from "./legend.tsx";

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
      <Legend data={data} search={search} onSearch={onSearch} />
      <Suspense fallback={<Skeleton rows={8} />}>
        <Charts
          data={data}
          timeline={timeline.data ?? null}
          before={before}
          bornMs={readBirth(checkId)}
          scale={search.scale ?? "clipped"}
          hidden={listHidden(search.hide)}
          onZoom={zoom}
        />
      </Suspense>
      {before !== null && !hasRuns(before.data.series) && (
        <p className={textStyles.hint}>{words.chart.nothingBefore}</p>
      )}
    </>
  );
}
