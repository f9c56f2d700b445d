import { Link } from "@tanstack/react-router";
import { Row, Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { indexEntries } from "./calendar-views.tsx";
import { type Day, findClockChange, listOfDay, startOfDay, toDay } from "./days.ts";
import styles from "./maintenance.module.css";
import type { Calendar, CalendarEntry, Occurrence } from "./queries.ts";
import { formatCoverage, formatSpan, formatTimes, isSameClock } from "./sentences.ts";
import { StatusWord } from "./window-list.tsx";
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

/** List of maintenance by day, for phones. Past days are collapsed. */
export function Agenda({ days, calendar }: { days: readonly Day[]; calendar: Calendar }) {
  const entries = indexEntries(calendar);
  const today = toDay(new Date());
  const filled = days
    .map((day) => ({
      day,
      entries,
      // An occurrence over several days is listed on its first visible day.
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
