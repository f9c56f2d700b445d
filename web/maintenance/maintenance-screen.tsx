import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { AlertsFrame } from "../alerts/index.ts";
import { useMay } from "../api/session.ts";
import buttonStyles from "../parts/buttons.module.css";
import { Segments } from "../parts/buttons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { BackIcon, ChevronIcon, PlusIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { GoLink } from "../parts/links.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { Agenda } from "./agenda.tsx";
import { Month, Week } from "./calendar-views.tsx";
import { addDays, addMonths, type Day, startOfDay, toDay } from "./days.ts";
import styles from "./maintenance.module.css";
import type { Calendar } from "./queries.ts";
import { calendarQuery, listDays } from "./queries.ts";
import { type View, views } from "./search.ts";
import { ownZone } from "./sentences.ts";
import { WindowList } from "./window-list.tsx";
import { words } from "./words.ts";

const monthName = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" });
const dayName = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

function nameRange(view: View, day: Day): string {
  if (view !== "week") return monthName.format(startOfDay(day));
  const week = listDays("week", day);
  return dayName.formatRange(startOfDay(week[0] ?? day), startOfDay(week.at(-1) ?? day));
}

function AddWindow() {
  return (
    <Button component={GoLink} href="/alerts/maintenance/new" leftSection={<PlusIcon size={16} />}>
      {words.add}
    </Button>
  );
}

function Toolbar({ view, day }: { readonly view: View; readonly day: Day }) {
  const step = (count: 1 | -1) =>
    view === "week" ? addDays(day, 7 * count) : addMonths(day, count);
  const to = "/alerts/maintenance";
  return (
    <Row gap={6}>
      <Segments as="nav" aria-label={words.view}>
        {views.map((one) => (
          <Link
            key={one}
            to={to}
            search={{ view: one, date: day }}
            aria-current={one === view ? "page" : undefined}
          >
            {words.views[one]}
          </Link>
        ))}
      </Segments>
      {view !== "list" && (
        <Row>
          <Link
            to={to}
            search={{ view, date: step(-1) }}
            className={buttonStyles.chip}
            aria-label={words.previous[view]}
          >
            <BackIcon size={18} />
          </Link>
          <Link
            to={to}
            search={{ view, date: step(1) }}
            className={buttonStyles.chip}
            aria-label={words.next[view]}
          >
            <ChevronIcon size={18} />
          </Link>
          <Link to={to} search={{ view }} className={buttonStyles.chip}>
            {words.today}
          </Link>
          <h2 className={styles.range}>{nameRange(view, day)}</h2>
          <span className={styles.faint}>{words.inZone(ownZone)}</span>
        </Row>
      )}
    </Row>
  );
}

function Views({ view, day, calendar }: { view: View; day: Day; calendar: Calendar }) {
  if (view === "list") return <WindowList calendar={calendar} />;
  const days = listDays(view, day);
  return (
    <>
      {calendar.isTruncated && <p className={styles.faint}>{words.truncated}</p>}
      {view === "month" ? (
        <Month days={days} month={day.slice(0, 7)} calendar={calendar} />
      ) : (
        <Week days={days} calendar={calendar} />
      )}
      <div className={styles.onPhone}>
        <Agenda
          days={view === "month" ? days.filter((one) => one.startsWith(day.slice(0, 7))) : days}
          calendar={calendar}
        />
      </div>
    </>
  );
}

function MaintenanceScreen() {
  const { view = "month", date } = route.useSearch();
  const mayWrite = useMay("write");
  const day = date ?? toDay(new Date());
  const { data, error, refetch } = useQuery(calendarQuery(view, day));
  const isEmpty = data?.windows.length === 0;
  return (
    <AlertsFrame
      tabTitle={words.title}
      actions={mayWrite && data !== undefined && !isEmpty && <AddWindow />}
    >
      {error && data === undefined && (
        <ErrorPanel error={error} title={words.notLoaded} onRetry={() => void refetch()} />
      )}
      {data === undefined && !error && <Skeleton rows={12} />}
      {isEmpty && (
        <EmptyState title={words.empty}>
          <p>{words.emptyText}</p>
          {mayWrite && <AddWindow />}
        </EmptyState>
      )}
      {data !== undefined && !isEmpty && (
        <Stack gap={4}>
          <Toolbar view={view} day={day} />
          <Views view={view} day={day} calendar={data} />
        </Stack>
      )}
    </AlertsFrame>
  );
}

export const route = createLazyRoute("/signed-in/alerts/maintenance")({
  component: MaintenanceScreen,
});
