import { Link } from "@tanstack/react-router";
import { Row, Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import {
  addDays,
  type Day,
  findClockChange,
  formatLength,
  layOutDay,
  listOfDay,
  startOfDay,
  toDay,
} from "./days.ts";
import styles from "./maintenance.module.css";
import type { Calendar, CalendarEntry, Occurrence } from "./queries.ts";
import { formatCoverage, formatSpan, formatTime, isSameClock } from "./sentences.ts";
import { words } from "./words.ts";

/** Returns the maintenance windows of a calendar, indexed by id. */
export function indexEntries({ windows }: Calendar): ReadonlyMap<number, CalendarEntry> {
  return new Map(windows.map((entry) => [entry.window.id, entry]));
}

interface ChipProps {
  readonly occurrence: Occurrence;
  readonly entry: CalendarEntry | undefined;
  /** Day of the calendar cell. */
  readonly day: Day;
}

/**
 * Formats the time of an occurrence for one day of the calendar. The first day shows the start. A
 * later day shows the end if the occurrence ends on that day, otherwise "all day".
 */
function formatChipTime({ startsAt, endsAt }: Occurrence, day: Day): string {
  if (toDay(new Date(startsAt)) === day) return formatTime(startsAt);
  const isLast = Date.parse(endsAt) < startOfDay(addDays(day, 1)).getTime();
  return isLast ? `– ${formatTime(endsAt)}` : words.allDay;
}

/** Describes an occurrence in one line, for tooltips and screen readers. */
function describe({ occurrence, entry }: ChipProps): string {
  const { startsAt, endsAt, status, isMoved } = occurrence;
  const zone = entry?.window.timezone;
  const there =
    zone !== undefined && !isSameClock(zone, startsAt)
      ? `${formatSpan(startsAt, endsAt, zone)} (${zone})`
      : null;
  return [
    entry?.window.name,
    formatSpan(startsAt, endsAt),
    there,
    formatLength(occurrence),
    words.statuses[status],
    isMoved ? words.moved : null,
    entry && words.silences(formatCoverage(entry.silences)),
  ]
    .filter(Boolean)
    .join(" · ");
}

export function Chip(props: ChipProps) {
  const { occurrence, entry, day } = props;
  return (
    <Link
      to="/alerts/maintenance/$windowId"
      params={{ windowId: String(occurrence.maintenanceWindowId) }}
      className={styles.chip}
      data-status={occurrence.status}
      title={describe(props)}
    >
      <span>{formatChipTime(occurrence, day)}</span>
      <span className={`${styles.chipName} ${textStyles.clip}`}>
        <bdi>{entry?.window.name}</bdi>
      </span>
      <span className="unseen">{describe(props)}</span>
    </Link>
  );
}

const heading = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
const hours = Array.from({ length: 24 }, (_, hour) => hour);
const dayMinutes = 1_440;
const percent = (share: number) => `${share * 100}%`;

interface ColumnProps {
  readonly day: Day;
  readonly calendar: Calendar;
  readonly entries: ReadonlyMap<number, CalendarEntry>;
}

function Column({ day, calendar, entries }: ColumnProps) {
  return (
    <li className={styles.column} aria-label={whole.format(startOfDay(day))}>
      {layOutDay(calendar.maintenances, day).map(({ item, top, bottom, lane, lanes }) => (
        <Stack
          gap={0}
          key={item.id}
          className={styles.block}
          data-short={bottom - top < 45 || undefined}
          style={{
            top: percent(top / dayMinutes),
            height: percent((bottom - top) / dayMinutes),
            left: percent(lane / lanes),
            width: percent(1 / lanes),
          }}
        >
          <Chip occurrence={item} entry={entries.get(item.maintenanceWindowId)} day={day} />
        </Stack>
      ))}
    </li>
  );
}

/**
 * Shows a week as columns in local time. Because of clock changes, a day can have 23 or 25 hours.
 */
export function Week({ days, calendar }: { days: readonly Day[]; calendar: Calendar }) {
  const entries = indexEntries(calendar);
  const today = toDay(new Date());
  return (
    <div className={styles.week}>
      <div className={styles.weekHead} aria-hidden="true">
        <span />
        {days.map((day) => {
          const change = findClockChange(day);
          return (
            <span key={day} data-today={day === today || undefined}>
              {heading.format(startOfDay(day))}
              {change !== 0 && <span className={styles.clocks}>{words.clocks(change)}</span>}
            </span>
          );
        })}
      </div>
      <div className={styles.weekBody}>
        <div className={styles.hours} aria-hidden="true">
          {hours.map((hour) => (
            <span key={hour}>{`${String(hour).padStart(2, "0")}:00`}</span>
          ))}
        </div>
        <ol className={styles.columns}>
          {days.map((day) => (
            <Column key={day} day={day} calendar={calendar} entries={entries} />
          ))}
        </ol>
      </div>
    </div>
  );
}

const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const maxChips = 3;

interface CellProps {
  readonly day: Day;
  readonly isOther: boolean;
  readonly occurrences: readonly Occurrence[];
  readonly entries: ReadonlyMap<number, CalendarEntry>;
}

function Cell({ day, isOther, occurrences, entries }: CellProps) {
  const change = findClockChange(day);
  const shown = occurrences.length > maxChips + 1 ? occurrences.slice(0, maxChips) : occurrences;
  return (
    <Stack
      as="li"
      gap={1}
      className={styles.cell}
      data-other={isOther || undefined}
      data-today={day === toDay(new Date()) || undefined}
      aria-label={whole.format(startOfDay(day))}
    >
      <Row tight className={styles.cellHead}>
        <span className={styles.date}>{Number(day.slice(8))}</span>
        {change !== 0 && <span className={styles.clocks}>{words.clocks(change)}</span>}
      </Row>
      <Stack gap={1} className={styles.chips}>
        {shown.map((one) => (
          <Chip
            key={one.id}
            occurrence={one}
            entry={entries.get(one.maintenanceWindowId)}
            day={day}
          />
        ))}
        {shown.length < occurrences.length && (
          <Link
            to="/alerts/maintenance"
            search={{ view: "week", date: day }}
            className={styles.moreLink}
          >
            {words.more(occurrences.length - shown.length)}
          </Link>
        )}
      </Stack>
      {occurrences.length > 0 && (
        <span className={styles.dots} aria-hidden="true">
          {occurrences.slice(0, 4).map((one) => (
            <span key={one.id} className={styles.dot} data-status={one.status} />
          ))}
        </span>
      )}
    </Stack>
  );
}

interface MonthProps {
  readonly days: readonly Day[];
  /** Displayed month, such as "2026-11". Days of other months are dimmed. */
  readonly month: string;
  readonly calendar: Calendar;
}

export function Month({ days, month, calendar }: MonthProps) {
  const entries = indexEntries(calendar);
  return (
    <div>
      <div className={styles.weekdays} aria-hidden="true">
        {days.slice(0, 7).map((day) => (
          <span key={day}>{weekday.format(startOfDay(day))}</span>
        ))}
      </div>
      <ol className={styles.cells}>
        {days.map((day) => (
          <Cell
            key={day}
            day={day}
            isOther={!day.startsWith(month)}
            occurrences={listOfDay(calendar.maintenances, day)}
            entries={entries}
          />
        ))}
      </ol>
    </div>
  );
}
