import { Stack } from "../parts/layout.tsx";
import { Chip } from "./chip.tsx";
import { type Day, findClockChange, layOutDay, startOfDay, toDay } from "./days.ts";
import { indexEntries } from "./index-entries.ts";
import styles from "./maintenance.module.css";
import type { Calendar, CalendarEntry } from "./wire.ts";
import { words } from "./words.ts";

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

/** Seven columns in local time, including days of 23 or 25 hours. */
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
