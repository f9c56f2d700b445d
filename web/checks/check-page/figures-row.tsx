import { useQuery } from "@tanstack/react-query";
import { formatCount, formatPercent } from "../../parts/figures.ts";
import { formatLoss, formatValue } from "./chart/units.ts";
import styles from "./check-page.module.css";
import { seriesQuery } from "./queries.ts";
import type { CheckSearch } from "./search.ts";
import { words } from "./words.ts";

interface FiguresRowProps {
  readonly checkId: string;
  readonly search: CheckSearch;
  /** False for a kind whose runs come in by themselves: it may measure nothing at all. */
  readonly isOrdered: boolean;
}

/** What the chosen range amounts to, over all locations. */
export function FiguresRow({ checkId, search, isOrdered }: FiguresRowProps) {
  const { range, from, to, metric } = search;
  const whole = {
    ...(range && { range }),
    ...(from !== undefined && to !== undefined && { from, to }),
    ...(metric !== undefined && { metric }),
  };
  const { data } = useQuery(seriesQuery(checkId, whole));
  const total = data?.series[0]?.total;
  const unit = data?.metric.unit ?? "milliseconds";
  const isUnknown = isOrdered && (total === undefined || total.runs === 0);
  const isMeasured = isUnknown || (total?.p50 ?? null) !== null;
  const { figures } = words;
  const shown: readonly (readonly [string, string])[] = [
    [
      figures.availability,
      total && total.availability === null ? figures.notEnough : formatPercent(total?.availability),
    ],
    ...(isMeasured
      ? ([
          [figures.p50, formatValue(total?.p50 ?? null, unit)],
          [figures.p95, formatValue(total?.p95 ?? null, unit)],
          [figures.p99, formatValue(total?.p99 ?? null, unit)],
        ] as const)
      : []),
    [figures.runs, total ? formatCount(total.runs) : "–"],
    [figures.failing, total ? formatCount(total.failing) : "–"],
    ...(total && total.loss !== null ? [[figures.loss, formatLoss(total.loss)] as const] : []),
  ];
  return (
    <dl className={styles.figures} aria-label={figures.label}>
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-isword={value === figures.notEnough}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
