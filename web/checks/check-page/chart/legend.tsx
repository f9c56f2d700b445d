import { Row } from "../../../parts/layout.tsx";
import type { CheckSeries } from "../queries.ts";
import {
  type ChartPart,
  type CheckSearch,
  listHidden,
  type SearchChange,
  toggleHidden,
} from "../search.ts";
import { words } from "../words.ts";
import styles from "./chart.module.css";
import { hasValues, listBars } from "./chart-data.ts";

const lines = ["p50", "p95", "p99", "band"] as const;
const marks = ["incident", "maintenance", "alert", "edit", "note", "deployment"] as const;

interface LegendProps {
  readonly data: CheckSeries;
  readonly search: CheckSearch;
  readonly onSearch: (change: SearchChange) => void;
}

/** Labels the parts of the chart and toggles them. */
export function Legend({ data, search, onSearch }: LegendProps) {
  const { legend } = words.chart;
  const isLoss = data.series.some((one) => listBars(one).isLoss);
  const isByLocation = data.series.some(({ runLocation }) => runLocation !== null);
  const hasLines = hasValues(data.series);
  const hidden = listHidden(search.hide);
  const parts: readonly ChartPart[] = [
    ...(hasLines ? lines : []),
    ...(hasLines && search.compare === "before" ? (["before"] as const) : []),
    "bars",
    ...(isByLocation ? [] : marks),
  ];
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
