import { formatCount } from "../../../parts/figures.ts";
import { StateMark } from "../../../parts/state-mark.tsx";
import { DateTime, formatDuration } from "../../../parts/time.tsx";
import type { CheckSeries } from "../queries.ts";
import tables from "../tables.module.css";
import { words } from "../words.ts";
import { formatLoss, formatValue } from "./units.ts";

/** The data of the chart as a table, newest first. */
export function ChartTable({ data }: { readonly data: CheckSeries }) {
  const { metric, series, slotSeconds } = data;
  const isByLocation = series.some(({ runLocation }) => runLocation !== null);
  const hasLoss = series.some(({ slots }) => slots.some(({ loss }) => loss !== null));
  const rows = series
    .flatMap(({ runLocation, slots }) => slots.map((slot) => ({ ...slot, runLocation })))
    .filter(({ runs }) => runs > 0)
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const { chart } = words;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
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
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns stay where they are
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
