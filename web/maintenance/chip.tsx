import { Link } from "@tanstack/react-router";
import { addDays, type Day, formatLength, startOfDay, toDay } from "./days.ts";
import styles from "./maintenance.module.css";
import { formatCoverage } from "./sentences.ts";
import type { CalendarEntry, Occurrence } from "./wire.ts";
import { words } from "./words.ts";
import { formatSpan, formatTime, isSameClock } from "./zone.ts";

interface ChipProps {
  readonly occurrence: Occurrence;
  readonly entry: CalendarEntry | undefined;
  /** The day of the cell. */
  readonly day: Day;
}

/** Formats the start on that day, the end if it started earlier, or "all day". */
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
      <span className={styles.chipName}>
        <bdi>{entry?.window.name}</bdi>
      </span>
      <span className="unseen">{describe(props)}</span>
    </Link>
  );
}
