import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useLocationName } from "../../locations/location-name.tsx";
import { DateTime } from "../../parts/time.tsx";
import { nameFields } from "../field-words.ts";
import styles from "./check-page.module.css";
import { type Timeline, timelineQuery } from "./queries.ts";
import type { CheckSearch } from "./search.ts";
import { words } from "./words.ts";

interface Mark {
  readonly key: string;
  readonly at: string;
  readonly kind: "incident" | "maintenance" | "edit" | "missed";
  readonly text: string;
  /** The maintenance window that it is about. */
  readonly windowId?: number;
}

const shownMarks = 6;

/** What the chart marks, as text, newest first. Alerts have a tab of their own. */
function listMarks(timeline: Timeline, nameLocation: (code: string) => string): Mark[] {
  const { incidents, maintenance, edits, missedRuns } = timeline;
  const { marks } = words;
  const found: Mark[] = [
    ...incidents.map(({ id, name, from, to }) => ({
      key: id,
      at: from,
      kind: "incident" as const,
      text: `${marks.incident}: ${name}${to === null ? ` (${marks.open})` : ""}`,
    })),
    ...maintenance.map(({ id, name, from }) => ({
      key: `${id} ${from}`,
      at: from,
      kind: "maintenance" as const,
      text: `${marks.maintenance}: ${name}`,
      windowId: id,
    })),
    ...missedRuns.map(({ to, location, count }) => ({
      key: `${to} ${location}`,
      at: to,
      kind: "missed" as const,
      text: marks.missed(count, location && nameLocation(location)),
    })),
    ...edits.map(({ id, at, by, action, fields }) => ({
      key: id,
      at,
      kind: "edit" as const,
      text:
        action === "check.created"
          ? `${by} ${marks.created}`
          : `${by} ${marks.changed} ${nameFields(fields) || marks.thisCheck}`,
    })),
  ];
  return found.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

export function MarksList({
  checkId,
  search,
}: {
  readonly checkId: string;
  readonly search: CheckSearch;
}) {
  const { data } = useQuery(timelineQuery(checkId, search));
  const nameLocation = useLocationName();
  const marks = data === undefined ? [] : listMarks(data, nameLocation).slice(0, shownMarks);
  if (marks.length === 0) return null;
  return (
    <ul className={styles.marks} aria-label={words.marks.label}>
      {marks.map(({ key, at, kind, text, windowId }) => (
        <li key={key} data-kind={kind}>
          <span className={styles.markTime}>
            <DateTime at={at} />
          </span>
          {windowId === undefined ? (
            <span>{text}</span>
          ) : (
            <Link to="/alerts/maintenance/$windowId" params={{ windowId: String(windowId) }}>
              {text}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
