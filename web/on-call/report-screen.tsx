import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, useNavigate, useSearch } from "@tanstack/react-router";
import { downloadFile } from "../api/download.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatCount } from "../parts/figures.ts";
import { Row } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { formatDuration } from "../parts/time.tsx";
import { OnCallFrame } from "./on-call-frame.tsx";
import { type Report, reportQuery } from "./queries.ts";
import { isPeriod, type Period, parseReportSearch, periods } from "./report-search.ts";
import { words } from "./words.ts";

const own = words.report;
const formatHours = (hours: number) => `${formatCount(Math.round(hours * 10) / 10)} h`;

/**
 * Returns the time range of a period in whole local days, so that the query key changes only once a
 * day.
 */
export function findPeriod(period: Period, nowMs: number): { from: string; to: string } {
  const from = new Date(nowMs);
  from.setHours(0, 0, 0, 0);
  const to = new Date(from);
  to.setDate(to.getDate() + 1);
  if (period === "month" || period === "last-month") {
    from.setDate(1);
    if (period === "last-month") {
      to.setTime(from.getTime());
      from.setMonth(from.getMonth() - 1);
    }
  } else from.setDate(from.getDate() - Number.parseInt(period, 10) + 1);
  return { from: from.toISOString(), to: to.toISOString() };
}

function ReportTable({ people }: Pick<Report, "people">) {
  return (
    <table className={`${tableStyles.table} ${tableStyles.cards}`}>
      <caption className="unseen">{own.title}</caption>
      <thead>
        <tr>
          {own.columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {people.map((person) => {
          const { pages, acknowledged, medianSecondsToAcknowledge: median } = person;
          const cells = [
            formatHours(person.hours),
            formatCount(pages),
            formatCount(person.pagesAtNight),
            pages === 0 ? "–" : own.acknowledged(acknowledged, pages),
            median === null ? "–" : formatDuration(median * 1_000),
          ];
          return (
            <tr key={person.userId}>
              <td>
                <span>
                  <strong>
                    <bdi>{person.name}</bdi>
                  </strong>
                  {!person.isMember && <span className={textStyles.muted}> {own.left}</span>}
                </span>
              </td>
              {cells.map((cell, index) => (
                <td key={own.columns[index + 1]} data-label={own.columns[index + 1]}>
                  {cell}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function ReportScreen() {
  const { period = "30d" } = parseReportSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const range = findPeriod(period, Date.now());
  const { data, error, refetch } = useQuery(reportQuery(range));
  const download = useMutation({
    mutationFn: () =>
      downloadFile(`/v1/on-call/report/export?${new URLSearchParams(range)}`, "on-call-report.csv"),
    onError: (fault) => showNotice({ text: fault.message, tone: "bad" }),
  });
  return (
    <OnCallFrame tabTitle={own.title}>
      <Row align="end" gap={3}>
        <NativeSelect
          label={own.period}
          value={period}
          data={periods.map((value) => ({ value, label: own.periods[value] }))}
          onChange={({ currentTarget: { value } }) => {
            if (!isPeriod(value)) return;
            void navigate({ to: "/on-call/report", search: { period: value }, replace: true });
          }}
        />
        <Button
          variant="default"
          loading={download.isPending}
          disabled={!data?.people.length}
          onClick={() => download.mutate()}
        >
          {own.download}
        </Button>
      </Row>
      {error && data === undefined && (
        <ErrorPanel error={error} title={own.notLoaded} onRetry={() => void refetch()} />
      )}
      {data === undefined && !error && <Skeleton rows={4} />}
      {data?.people.length === 0 && (
        <EmptyState title={own.empty}>
          <p>{own.emptyText}</p>
        </EmptyState>
      )}
      {data !== undefined && data.people.length > 0 && (
        <>
          <ReportTable people={data.people} />
          <p className={textStyles.hint}>{own.hint}</p>
        </>
      )}
    </OnCallFrame>
  );
}

export const route = createLazyRoute("/signed-in/on-call/report")({ component: ReportScreen });
