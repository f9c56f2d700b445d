import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { useMay } from "../../api/session.ts";
import { findKind, kinds } from "../../kinds/index.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { hasValues } from "./chart/chart-data.ts";
import { CheckChart } from "./chart/check-chart.tsx";
import { scaleNames } from "./chart/scale.ts";
import styles from "./check-page.module.css";
import { MarksList } from "./marks-list.tsx";
import { MetricsRow } from "./metrics-row.tsx";
import { AddNote } from "./note-dialog.tsx";
import { type AnyCheck, seriesQuery, statusQuery } from "./queries.ts";
import { RangePicker } from "./range-picker.tsx";
import { RunList } from "./run-list.tsx";
import type { CheckSearch, SearchChange } from "./search.ts";
import { words } from "./words.ts";

interface OverviewTabProps {
  readonly check: AnyCheck;
  readonly search: CheckSearch;
  readonly onSearch: (change: SearchChange) => void;
}

/** Selects the metric, combined or per location, and chart or table. */
function Chooser({ check, search, onSearch }: OverviewTabProps) {
  const { data } = useQuery(seriesQuery(check.id, search));
  const { data: status } = useQuery(statusQuery(check.id));
  const { chart } = words;
  const isByLocation = search.by === "location";
  const hasLocations = (status?.decision.votes.length ?? 0) > 1 || isByLocation;
  const isTable = search.view === "table";
  const isCompared = search.compare === "before";
  const mayWrite = useMay("write");
  return (
    <Row>
      {data !== undefined && data.metrics.length > 1 && (
        <NativeSelect
          size="xs"
          aria-label={chart.metric}
          value={data.metric.name}
          data={data.metrics.map(({ name, label }) => ({ value: name, label }))}
          onChange={({ currentTarget: { value } }) =>
            onSearch({ metric: value === data.metrics[0]?.name ? undefined : value })
          }
        />
      )}
      {data !== undefined && !isTable && hasValues(data.series) && (
        <>
          <NativeSelect
            size="xs"
            aria-label={chart.scale}
            value={search.scale ?? "clipped"}
            data={scaleNames.map((value) => ({ value, label: chart.scales[value] }))}
            onChange={({ currentTarget: { value } }) =>
              onSearch({ scale: value === "full" || value === "log" ? value : undefined })
            }
          />
          <Button
            variant="default"
            size="xs"
            onClick={() => onSearch({ compare: isCompared ? undefined : "before" })}
          >
            {isCompared ? chart.compareOff : chart.compare}
          </Button>
        </>
      )}
      {hasLocations && (
        <Button
          variant="default"
          size="xs"
          onClick={() => onSearch({ by: isByLocation ? undefined : "location" })}
        >
          {isByLocation ? chart.all : chart.byLocation}
        </Button>
      )}
      <Button
        variant="default"
        size="xs"
        onClick={() => onSearch({ view: isTable ? undefined : "table" })}
      >
        {isTable ? chart.picture : chart.table}
      </Button>
      {mayWrite && <AddNote checkId={check.id} />}
    </Row>
  );
}

export function OverviewTab({ check, search, onSearch }: OverviewTabProps) {
  const { data: status } = useQuery(statusQuery(check.id));
  const locations = status?.decision.votes.map(({ location }) => location) ?? [];
  const Note = kinds[check.checkType]?.note;
  const isOrdered = findKind(check.checkType)?.isOrdered ?? true;
  // A check whose runs are reported from outside has nothing to draw before the first one.
  const isWaiting = !isOrdered && status?.lastCheckRunId === null;
  return (
    <>
      {Note && (
        <Suspense fallback={<Skeleton rows={1} />}>
          <Note check={check} isWaiting={isWaiting} />
        </Suspense>
      )}
      {!isWaiting && (
        <>
          <RangePicker search={search} onSearch={onSearch} />
          <MetricsRow checkId={check.id} search={search} isOrdered={isOrdered} />
          <Stack gap={2} className={styles.chart}>
            <Chooser check={check} search={search} onSearch={onSearch} />
            <CheckChart checkId={check.id} search={search} onSearch={onSearch} />
          </Stack>
          <MarksList checkId={check.id} search={search} />
          <RunList checkId={check.id} search={search} locations={locations} onSearch={onSearch} />
        </>
      )}
    </>
  );
}
