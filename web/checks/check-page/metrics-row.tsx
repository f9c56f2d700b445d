import { useQuery } from "@tanstack/react-query";
import { formatCount, formatPercent } from "../../parts/figures.ts";
import { Row } from "../../parts/layout.tsx";
import { formatLoss, formatValue } from "./chart/units.ts";
import styles from "./check-page.module.css";
import { type CheckSeries, seriesQuery } from "./queries.ts";
import type { CheckSearch } from "./search.ts";
import { useBefore } from "./use-before.ts";
import { words } from "./words.ts";

type Total = CheckSeries["series"][number]["total"];
type Shown = readonly [name: string, value: string];

interface MetricsRowProps {
  readonly checkId: string;
  readonly search: CheckSearch;
  /** False for heartbeats, which may measure nothing. */
  readonly isOrdered: boolean;
}

/** Summary metrics of the selected range over all locations. */
export function MetricsRow({ checkId, search, isOrdered }: MetricsRowProps) {
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
          [figures.p95, formatValue(of?.p95 ?? null, unit)],
          [figures.p99, formatValue(of?.p99 ?? null, unit)],
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
