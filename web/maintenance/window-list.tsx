import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Row } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { pageNamesQuery } from "../parts/queries.ts";
import styles from "./maintenance.module.css";
import type { Calendar, CalendarEntry, Status } from "./queries.ts";
import { formatCoverage, formatParts, formatRule, formatSpan, isSameClock } from "./sentences.ts";
import { words } from "./words.ts";

/** Shows a status as an icon with text. The icon is a ring, a filled circle, a tick or a cross. */
export function StatusWord({ status }: { readonly status: Status }) {
  return (
    <Row as="span" inline gap={1} align="baseline" className={styles.status} data-status={status}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {status === "SCHEDULED" && (
          <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="2" />
        )}
        {(status === "IN_PROGRESS" || status === "VERIFYING") && (
          <circle cx="8" cy="8" r="6.5" fill="currentColor" />
        )}
        {status === "COMPLETED" && (
          <path d="M3 8.5l3.5 3.5L13 4.5" fill="none" stroke="currentColor" strokeWidth="2" />
        )}
        {status === "CANCELLED" && (
          <path d="M4 4l8 8M12 4l-8 8" fill="none" stroke="currentColor" strokeWidth="2" />
        )}
      </svg>
      {words.statuses[status]}
    </Row>
  );
}

/** Sorts windows by their current or next occurrence. Finished windows come last. */
function sortEntries(entries: readonly CalendarEntry[]): CalendarEntry[] {
  const rank = ({ next }: CalendarEntry) => (next === null ? "9999" : next.startsAt);
  return entries.toSorted(
    (one, other) =>
      rank(one).localeCompare(rank(other)) || one.window.name.localeCompare(other.window.name),
  );
}

/** Returns the names of the status pages that show the window; `null` if no page shows it. */
function usePageNames({ window }: CalendarEntry): readonly string[] | null {
  const { data } = useQuery(pageNamesQuery);
  const { enabled, statusPageIds } = window.statusPageVisibility;
  if (!enabled) return null;
  const names = new Map(data?.map(({ id, name }) => [id, name]));
  return data === undefined ? [] : statusPageIds.map((id) => names.get(id) ?? words.deletedPage);
}

function WindowRow({ entry }: { readonly entry: CalendarEntry }) {
  const { window, silences, next } = entry;
  const pages = usePageNames(entry);
  const isHere = next === null || isSameClock(window.timezone, next.startsAt);
  return (
    <li className={styles.listRow}>
      <Row gap={3} tight align="baseline" className={styles.listName}>
        <Link to="/alerts/maintenance/$windowId" params={{ windowId: String(window.id) }}>
          <bdi>{window.name}</bdi>
        </Link>
        <span className={styles.faint}>{formatRule(window)}</span>
      </Row>
      <Row gap={3} tight align="baseline" className={styles.listNext}>
        {next === null ? (
          <span className={styles.faint}>{words.never}</span>
        ) : (
          <>
            <StatusWord status={next.status} />
            <span>{formatSpan(next.startsAt, next.endsAt)}</span>
            {!isHere && (
              <span className={styles.faint}>
                {formatSpan(next.startsAt, next.endsAt, window.timezone)} in {window.timezone}
              </span>
            )}
          </>
        )}
      </Row>
      <Row gap={3} tight align="baseline" className={styles.listWhat}>
        <span title={formatParts(silences)}>{words.silences(formatCoverage(silences))}</span>
        <span className={styles.faint}>
          {pages === null ? words.noPages : words.onPages(pages)}
        </span>
      </Row>
    </li>
  );
}

export function WindowList({ calendar }: { readonly calendar: Calendar }) {
  return (
    <ul className={listStyles.list}>
      {sortEntries(calendar.windows).map((entry) => (
        <WindowRow key={entry.window.id} entry={entry} />
      ))}
    </ul>
  );
}
