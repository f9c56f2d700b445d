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
import textStyles from "../parts/text.module.css";
import { ownZone } from "../parts/time-zones.ts";
import { indexEntries, Month, Week } from "./calendar-views.tsx";
import {
  addDays,
  addMonths,
  type Day,
  findClockChange,
  listOfDay,
  startOfDay,
  toDay,
} from "./days.ts";
import styles from "./maintenance.module.css";
import {
  type Calendar,
  type CalendarEntry,
  calendarQuery,
  listDays,
  type Occurrence,
} from "./queries.ts";
import { type View, views } from "./search.ts";
import { formatCoverage, formatSpan, formatTimes, isSameClock } from "./sentences.ts";
import { StatusWord, WindowList } from "./window-list.tsx";
import { words } from "./words.ts";

const heading = new Intl.DateTimeFormat(undefined, {
  weekday: "long",
  day: "numeric",
  month: "long",
});

function AgendaRow({
  occurrence,
  entry,
}: {
  occurrence: Occurrence;
  entry: CalendarEntry | undefined;
}) {
  const { startsAt, endsAt, status, maintenanceWindowId } = occurrence;
  const zone = entry?.window.timezone ?? "UTC";
  return (
    <li>
      <Link
        to="/alerts/maintenance/$windowId"
        params={{ windowId: String(maintenanceWindowId) }}
        className={styles.agendaRow}
      >
        <span>{formatTimes(startsAt, endsAt).join(" – ")}</span>
        <span className={textStyles.wrap}>
          <bdi>{entry?.window.name}</bdi>
        </span>
        <span className={styles.faint}>
          <StatusWord status={status} />
          {entry && ` · ${words.silences(formatCoverage(entry.silences))}`}
        </span>
        {!isSameClock(zone, startsAt) && (
          <span className={styles.faint}>
            {formatSpan(startsAt, endsAt, zone)} ({zone})
          </span>
        )}
      </Link>
    </li>
  );
}

function DaySection({ day, occurrences, entries }: DayProps) {
  const change = findClockChange(day);
  return (
    <Stack as="section" gap={1} className={styles.agendaDay}>
      <Row as="h3" tight align="baseline">
        {heading.format(startOfDay(day))}
        {change !== 0 && <span className={styles.clocks}>{words.clocks(change)}</span>}
      </Row>
      <ul>
        {occurrences.map((one) => (
          <AgendaRow key={one.id} occurrence={one} entry={entries.get(one.maintenanceWindowId)} />
        ))}
      </ul>
    </Stack>
  );
}

interface DayProps {
  readonly day: Day;
  readonly occurrences: readonly Occurrence[];
  readonly entries: ReadonlyMap<number, CalendarEntry>;
}

/** Lists maintenance by day, for phones. Past days are collapsed. */
function Agenda({ days, calendar }: { days: readonly Day[]; calendar: Calendar }) {
  const entries = indexEntries(calendar);
  const today = toDay(new Date());
  const filled = days
    .map((day) => ({
      day,
      entries,
      // An occurrence that spans several days is listed only on its first visible day and on today.
      occurrences: listOfDay(calendar.maintenances, day).filter(
        ({ startsAt }) => toDay(new Date(startsAt)) === day || day === days[0] || day === today,
      ),
    }))
    .filter(({ occurrences }) => occurrences.length > 0);
  if (filled.length === 0) return <p className={styles.faint}>{words.nothingOn}</p>;
  const isPresent = days.includes(today);
  const past = isPresent ? filled.filter(({ day }) => day < today) : [];
  return (
    <>
      {filled.slice(past.length).map((one) => (
        <DaySection key={one.day} {...one} />
      ))}
      {past.length > 0 && (
        <details>
          <summary>{words.earlier}</summary>
          {past.map((one) => (
            <DaySection key={one.day} {...one} />
          ))}
        </details>
      )}
    </>
  );
}

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
