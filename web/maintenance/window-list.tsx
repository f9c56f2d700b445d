import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Row } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import styles from "./maintenance.module.css";
import { pagesQuery } from "./queries.ts";
import { formatCoverage, formatParts, formatRule } from "./sentences.ts";
import { StatusWord } from "./status-word.tsx";
import type { Calendar, CalendarEntry } from "./wire.ts";
import { words } from "./words.ts";
import { formatSpan, isSameClock } from "./zone.ts";

/** Sorts by next occurrence, those in progress first and finished windows last. */
function sortEntries(entries: readonly CalendarEntry[]): CalendarEntry[] {
  const rank = ({ next }: CalendarEntry) => (next === null ? "9999" : next.startsAt);
  return entries.toSorted(
    (one, other) =>
      rank(one).localeCompare(rank(other)) || one.window.name.localeCompare(other.window.name),
  );
}

/** Names of the status pages that show it; `null` if none does. */
function usePageNames({ window }: CalendarEntry): readonly string[] | null {
  const { data } = useQuery(pagesQuery);
  const { enabled, statusPageIds } = window.statusPageVisibility;
  if (!enabled) return null;
  const names = new Map(data?.entries.map(({ id, name }) => [id, name]));
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
