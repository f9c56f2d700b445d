import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { useMay } from "../../api/session.ts";
import { findKind, kinds } from "../../kinds/index.ts";
import { Segments } from "../../parts/buttons.tsx";
import { formatCount, formatPercent } from "../../parts/figures.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { checkStatusQuery } from "../../parts/queries.ts";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import { formatLoss, formatValue, hasValues } from "./chart/chart-data.ts";
import { CheckChart } from "./chart/check-chart.tsx";
import { scaleNames } from "./chart/scale.ts";
import styles from "./check-page.module.css";
import { MarksList } from "./marks-list.tsx";
import { AddNote } from "./note-dialog.tsx";
import { type AnyCheck, type CheckSeries, seriesQuery } from "./queries.ts";
import { RunList } from "./run-list.tsx";
import {
  type CheckSearch,
  defaultRange,
  isFixed,
  isSinceStart,
  moveSpan,
  type RangeName,
  rangeNames,
  readBirth,
  readSpan,
  type SearchChange,
  toRangeSearch,
} from "./search.ts";
import { useBefore } from "./use-before.ts";
import { words } from "./words.ts";

type Total = CheckSeries["series"][number]["total"];
type Shown = readonly [name: string, value: string];

/** Percentiles, and the number of runs below which the percentile is only the slowest run. */
const percentiles = [
  { name: "p95", minRuns: 20 },
  { name: "p99", minRuns: 100 },
] as const;

interface MetricsRowProps {
  readonly checkId: string;
  readonly search: CheckSearch;
  /** Whether the server schedules the runs. False if other systems report them. */
  readonly isOrdered: boolean;
}

/** Shows summary metrics of the selected range across all locations. */
function MetricsRow({ checkId, search, isOrdered }: MetricsRowProps) {
  const { range, from, to, metric } = search;
  const whole = {
    ...(range && { range }),
    ...(from !== undefined && to !== undefined && { from, to }),
    ...(metric !== undefined && { metric }),
  };
  const { data } = useQuery(seriesQuery(checkId, whole));
  const total = data?.series[0]?.total;
  const before = useBefore(checkId, data, {
    ...(search.compare && { compare: search.compare }),
    ...(metric !== undefined && { metric }),
  })?.data.series[0]?.total;
  const unit = data?.metric.unit ?? "milliseconds";
  const isUnknown = isOrdered && (total === undefined || total.runs === 0);
  const isMeasured = isUnknown || (total?.p50 ?? null) !== null;
  const { figures } = words;
  const list = (of: Total | undefined): Shown[] => [
    [
      figures.availability,
      of && of.availability === null ? figures.notEnough : formatPercent(of?.availability),
    ],
    ...(isMeasured
      ? ([
          [figures.p50, formatValue(of?.p50 ?? null, unit)],
          ...percentiles
            .filter(({ minRuns }) => total === undefined || total.runs >= minRuns)
            .map(({ name }) => [figures[name], formatValue(of?.[name] ?? null, unit)] as const),
        ] as const)
      : []),
    [figures.runs, of ? formatCount(of.runs) : "–"],
    [figures.failing, of ? formatCount(of.failing) : "–"],
    ...(total && total.loss !== null
      ? [[figures.loss, formatLoss(of?.loss ?? null)] as const]
      : []),
  ];
  const compared = before === undefined || before.runs === 0 ? null : new Map(list(before));
  return (
    <Row as="dl" gap={8} align="start" className={styles.figures} aria-label={figures.label}>
      {list(total).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-isword={value === figures.notEnough}>
            {value}
            {compared && (
              <small>
                {" "}
                {words.chart.before} {compared.get(name)}
              </small>
            )}
          </dd>
        </div>
      ))}
    </Row>
  );
}

interface RangePickerProps {
  readonly checkId: string;
  readonly search: CheckSearch;
  readonly onSearch: (change: SearchChange) => void;
}

const spoken = {
  "1h": "1 h",
  "6h": "6 h",
  "24h": "24 h",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
} as const;

/** Selects the time range, which is stored in the URL. */
function RangePicker({ checkId, search, onSearch }: RangePickerProps) {
  const fixed = isFixed(search);
  const bornMs = readBirth(checkId);
  const isYoung = isSinceStart({}, bornMs, Date.now());
  const isFromStart = isSinceStart(search, bornMs, Date.now());
  const chosen = fixed || isFromStart ? null : (search.range ?? defaultRange);
  const choose = (name: RangeName | undefined) =>
    onSearch({ range: name, from: undefined, to: undefined });
  const move = (where: "earlier" | "later" | "out") => () => {
    const nowMs = Date.now();
    const span = moveSpan(readSpan(search, nowMs), where);
    onSearch({ ...toRangeSearch(span, nowMs), range: undefined });
  };
  const { range } = words;
  return (
    <Row gap={4}>
      <Segments>
        <legend className="unseen">{range.label}</legend>
        {isYoung && (
          <button type="button" aria-pressed={isFromStart} onClick={() => choose(undefined)}>
            {range.sinceStart}
          </button>
        )}
        {rangeNames.map((name) => (
          <button
            type="button"
            key={name}
            aria-pressed={chosen === name}
            onClick={() => choose(name)}
          >
            {spoken[name]}
          </button>
        ))}
      </Segments>
      {!isFromStart && (
        <Row nowrap>
          <Button variant="default" size="xs" onClick={move("earlier")}>
            {range.earlier}
          </Button>
          <Button variant="default" size="xs" onClick={move("later")} disabled={!fixed}>
            {range.later}
          </Button>
          <Button variant="default" size="xs" onClick={move("out")}>
            {range.zoomOut}
          </Button>
        </Row>
      )}
      {fixed && search.from !== undefined && search.to !== undefined && (
        <span className={textStyles.hint}>
          <DateTime at={new Date(search.from * 1_000).toISOString()} />
          {" – "}
          <DateTime at={new Date(search.to * 1_000).toISOString()} />
        </span>
      )}
    </Row>
  );
}

interface OverviewTabProps {
  readonly check: AnyCheck;
  readonly search: CheckSearch;
  readonly onSearch: (change: SearchChange) => void;
}

/** Number of runs below which a chart offers neither a scale nor a period to compare with. */
const fewRuns = 20;

/**
 * Controls above the chart: metric, scale, comparison with the previous period, split by location,
 * and display as a chart or a table. Another button adds a note.
 */
function Chooser({ check, search, onSearch }: OverviewTabProps) {
  const { data } = useQuery(seriesQuery(check.id, search));
  const { data: status } = useQuery(checkStatusQuery(check.id));
  const { chart } = words;
  const isByLocation = search.by === "location";
  const hasLocations = (status?.decision.votes.length ?? 0) > 1 || isByLocation;
  const isTable = search.view === "table";
  const isCompared = search.compare === "before";
  const runs = data?.series.reduce((sum, { total }) => sum + total.runs, 0) ?? 0;
  const mayWrite = useMay("write");
  return (
    <Row className={styles.chooser}>
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
      {data !== undefined && runs >= fewRuns && !isTable && hasValues(data.series) && (
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
  const { data: status } = useQuery(checkStatusQuery(check.id));
  const locations = status?.decision.votes.map(({ location }) => location) ?? [];
  const Note = kinds[check.checkType]?.note;
  const isOrdered = findKind(check.checkType)?.isOrdered ?? true;
  // A check that receives its runs from another system shows no data until the first run arrives.
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
          <RangePicker checkId={check.id} search={search} onSearch={onSearch} />
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
