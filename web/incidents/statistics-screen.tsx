import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, useNavigate, useSearch } from "@tanstack/react-router";
import type { Schemas } from "../api/client.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatCount, formatPercent } from "../parts/figures.ts";
import layoutStyles from "../parts/layout.module.css";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import textStyles from "../parts/text.module.css";
import { formatDuration } from "../parts/time.tsx";
import { IncidentsFrame, SeverityMark } from "./incidents-frame.tsx";
import { statisticsQuery } from "./queries.ts";
import { type Period, periods, severities } from "./search.ts";
import chartStyles from "./statistics.module.css";
import { words as moduleWords, statisticsWords as words } from "./words.ts";

const from = "/signed-in/incidents/statistics" as const;

type Statistics = Schemas["IncidentStatistics"];

const monthName = new Intl.DateTimeFormat(undefined, {
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

const formatMonth = (month: string) => monthName.format(new Date(`${month}-01T00:00:00Z`));

/** Formats a duration in at most two units, such as "2 h 40 min". */
function formatSeconds(seconds: number | null): string {
  if (seconds === null) return "–";
  const whole = formatDuration(seconds * 1000);
  const unitSeconds = seconds >= 86_400 ? 86_400 : 3_600;
  const rest = seconds % unitSeconds;
  const isRound = seconds < 3_600 || rest < unitSeconds / 60;
  return isRound ? whole : `${whole} ${formatDuration(rest * 1000)}`;
}

function PeriodSelect({ days }: { readonly days: Period }) {
  const navigate = useNavigate();
  return (
    <NativeSelect
      aria-label={words.period}
      value={String(days)}
      data={periods.map((one) => ({ value: String(one), label: words.periods[one] }))}
      onChange={(event) => {
        const next = periods.find((one) => String(one) === event.currentTarget.value) ?? 90;
        const search = next === 90 ? {} : { days: next };
        void navigate({ to: "/incidents/statistics", search, replace: true });
      }}
    />
  );
}

function Figures({ statistics }: { readonly statistics: Statistics }) {
  const figures = [
    [words.count, formatCount(statistics.count)],
    [words.ongoing, formatCount(statistics.ongoing)],
    [words.mean, formatSeconds(statistics.meanDurationSeconds)],
    [words.median, formatSeconds(statistics.medianDurationSeconds)],
    [words.longest, formatSeconds(statistics.longestDurationSeconds)],
    [words.acknowledge, formatSeconds(statistics.meanTimeToAcknowledgeSeconds)],
  ] as const;
  return (
    <dl className={chartStyles.figures}>
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows the incidents per month as bars. The table below the bars contains the same numbers. */
function Months({ statistics }: { readonly statistics: Statistics }) {
  const { byMonth } = statistics;
  const most = Math.max(1, ...byMonth.map(({ count }) => count));
  return (
    <Stack as="section" aria-labelledby="by-month">
      <h2 id="by-month">{words.byMonth}</h2>
      <Row nowrap align="stretch" className={chartStyles.bars} aria-hidden="true">
        {byMonth.map(({ month, count, bySeverity }) => (
          <div key={month} className={chartStyles.month} title={`${formatMonth(month)}: ${count}`}>
            <div className={chartStyles.bar}>
              {severities.map((severity) => (
                <span
                  key={severity}
                  data-severity={severity}
                  style={{ height: `${(bySeverity[severity] / most) * 100}%` }}
                />
              ))}
            </div>
            <span className={chartStyles.monthName}>{formatMonth(month)}</span>
          </div>
        ))}
      </Row>
      <div className={chartStyles.scroll}>
        <table className={chartStyles.table}>
          <thead>
            <tr>
              <th scope="col">{words.month}</th>
              <th scope="col">{words.incidents}</th>
              {severities.map((severity) => (
                <th scope="col" key={severity} className={chartStyles.narrow}>
                  {moduleWords.severities[severity]}
                </th>
              ))}
              <th scope="col">{words.meanDuration}</th>
            </tr>
          </thead>
          <tbody>
            {byMonth.toReversed().map(({ month, count, bySeverity, meanDurationSeconds }) => (
              <tr key={month}>
                <th scope="row">{formatMonth(month)}</th>
                <td>{formatCount(count)}</td>
                {severities.map((severity) => (
                  <td key={severity} className={chartStyles.narrow}>
                    {formatCount(bySeverity[severity])}
                  </td>
                ))}
                <td>{formatSeconds(meanDurationSeconds)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Stack>
  );
}

function Severities({ statistics }: { readonly statistics: Statistics }) {
  return (
    <Stack as="section" aria-labelledby="by-severity">
      <h2 id="by-severity">{words.bySeverity}</h2>
      <ul className={listStyles.list}>
        {severities.map((severity) => (
          <Row as="li" justify="between" className={listStyles.item} key={severity}>
            <SeverityMark severity={severity} />
            <span className={textStyles.strong}>
              {formatCount(statistics.bySeverity[severity])}
            </span>
          </Row>
        ))}
      </ul>
    </Stack>
  );
}

function Services({ statistics }: { readonly statistics: Statistics }) {
  const services = statistics.services.toSorted(
    (one, other) =>
      other.downtimeSeconds - one.downtimeSeconds ||
      other.incidents - one.incidents ||
      one.name.localeCompare(other.name),
  );
  return (
    <Stack as="section" aria-labelledby="by-service">
      <h2 id="by-service">{words.byService}</h2>
      <div className={chartStyles.scroll}>
        <table className={chartStyles.table}>
          <thead>
            <tr>
              <th scope="col">{words.service}</th>
              <th scope="col">{words.incidents}</th>
              <th scope="col">{words.downtime}</th>
              <th scope="col">{words.uptime}</th>
            </tr>
          </thead>
          <tbody>
            {services.map(({ id, name, incidents, downtimeSeconds, uptimePercent }) => (
              <tr key={id}>
                <th scope="row">
                  <bdi>{name}</bdi>
                </th>
                <td>{formatCount(incidents)}</td>
                <td>{formatSeconds(downtimeSeconds)}</td>
                <td>{uptimePercent === null ? words.notKnown : formatPercent(uptimePercent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Stack>
  );
}

function StatisticsScreen() {
  const { days = 90 } = useSearch({ from });
  const { data, error, refetch } = useQuery(statisticsQuery(days));
  const isCalm = data !== undefined && data.count === 0;
  return (
    <IncidentsFrame tabTitle={moduleWords.statistics} actions={<PeriodSelect days={days} />}>
      {error && data === undefined && (
        <ErrorPanel error={error} title={moduleWords.loadFailed} onRetry={() => void refetch()} />
      )}
      {!error && data === undefined && <Skeleton rows={8} />}
      {isCalm && (
        <EmptyState title={words.none}>
          <p>{words.noneText}</p>
        </EmptyState>
      )}
      {data !== undefined && !isCalm && (
        <>
          {data.isTruncated && <p className={textStyles.muted}>{words.truncated}</p>}
          <Figures statistics={data} />
          <div className={layoutStyles.columns}>
            <Months statistics={data} />
            <Severities statistics={data} />
          </div>
        </>
      )}
      {data !== undefined && data.services.length > 0 && <Services statistics={data} />}
    </IncidentsFrame>
  );
}

export const route = createLazyRoute(from)({ component: StatisticsScreen });
