import { Link } from "@tanstack/react-router";
import { Row, Stack } from "../parts/layout.tsx";
import { Chip } from "./chip.tsx";
import { type Day, findClockChange, listOfDay, startOfDay, toDay } from "./days.ts";
import { indexEntries } from "./index-entries.ts";
import styles from "./maintenance.module.css";
import type { Calendar, CalendarEntry, Occurrence } from "./wire.ts";
import { words } from "./words.ts";

const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
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
  /** The current month, such as "2026-11"; other days are dimmed. */
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
