import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import listStyles from "../parts/list.module.css";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { Ago } from "../parts/time.tsx";
import type { Health } from "./health.ts";
import styles from "./locations.module.css";
import { checkCountsQuery, recordsQuery } from "./queries.ts";
import { words } from "./words.ts";

interface LocationRowProps {
  /** Identifier used by checks: a region code, or the slug of a private location. */
  readonly place: string;
  readonly name: string;
  readonly health: Health;
  /** When a probe last reported; `null` if never. */
  readonly lastSeen: string | null;
  /** Shown beside the health. */
  readonly children?: ReactNode;
}

/** A row of the locations list: health, checks, and agreement with the other locations. */
export function LocationRow({ place, name, health, lastSeen, children }: LocationRowProps) {
  const { data: counts } = useQuery(checkCountsQuery);
  const { data: records } = useQuery(recordsQuery);
  const record = records?.get(place);
  return (
    <li className={`${listStyles.row} ${styles.row}`}>
      <StateMark state={health.state} />
      <span className={textStyles.wrap}>
        <Link to="/locations/$region" params={{ region: place }}>
          <bdi>{name}</bdi>
        </Link>{" "}
        {name !== place && <span className={styles.faint}>{place}</span>}
      </span>
      <span>
        {health.text}
        {children}
      </span>
      <span className={styles.number}>
        {counts && (
          <Link to="/checks" search={{ location: [place] }}>
            {words.checks(counts.get(place) ?? 0)}
          </Link>
        )}
      </span>
      <span className={styles.number}>
        {record !== undefined && record.sharedCount > 0 && (
          <span title={words.agreesLong(record.agreeingCount, record.sharedCount)}>
            {words.agrees(record.agreeingCount, record.sharedCount)}
          </span>
        )}
      </span>
      <span className={styles.faint}>
        {lastSeen !== null && (
          <>
            {words.lastSeen} <Ago at={lastSeen} />
          </>
        )}
      </span>
    </li>
  );
}
