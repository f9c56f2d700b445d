import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { LinkButton } from "../parts/buttons.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatMs, formatPercent } from "../parts/figures.ts";
import { Row } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { type ShownState, StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { formatClock, formatDateTime } from "../parts/time.tsx";
import styles from "./lately.module.css";
import type { Trend } from "./queries.ts";
import { activityQuery, type Range, trendsQuery } from "./queries.ts";
import {
  chooseLines,
  formatActivity,
  formatNames,
  joinEdits,
  type ShownActivity,
} from "./sentences.ts";
import { words } from "./words.ts";

const firstShown = 8;

/** Formats a time, with the date if the time is not today. */
function writeTime(at: string): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return isToday ? formatClock(at) : formatDateTime(at);
}

function CheckLink({ id, name }: { readonly id: string | null; readonly name: string | null }) {
  if (name === null) return id === null ? null : <span>{words.gone}</span>;
  const address: string = `/checks/${id}`;
  const text = <bdi>{name}</bdi>;
  return id === null ? text : <Link to={address}>{text}</Link>;
}

function ActivityRow({ one }: { readonly one: ShownActivity }) {
  const { type, at, checkId, name, what } = one;
  const named = formatNames(one);
  return (
    <li className={styles.row}>
      <time
        className={`${textStyles.muted} ${textStyles.nowrap}`}
        dateTime={at}
        title={formatDateTime(at)}
      >
        {writeTime(at)}
      </time>
      <span className={styles.sign}>
        {type === "state" && <StateMark state={what as ShownState} size={14} />}
      </span>
      <span className={textStyles.wrap}>
        {type === "edit" ? (
          <>
            <bdi>{formatActivity(one)}</bdi>
            {named === "" ? " " : ": "}
            <CheckLink id={checkId} name={name} />
            <bdi>{named}</bdi>
          </>
        ) : (
          <>
            <CheckLink id={checkId} name={name ?? words.gone} /> {formatActivity(one)}
          </>
        )}
      </span>
    </li>
  );
}

/** Lists recent state changes, maintenance and edits together, newest first. */
export function RecentActivity({ range }: { readonly range: Range }) {
  const [isWhole, setWhole] = useState(false);
  const { data, error, refetch } = useQuery(activityQuery(range));
  const lines = data && joinEdits(data);
  const shown = isWhole || lines === undefined ? lines : chooseLines(lines, firstShown);
  return (
    <section className={styles.part} aria-labelledby="lately">
      <h2 id="lately">{words.since[range]}</h2>
      {error && data === undefined && (
        <ErrorPanel error={error} title={words.activityNotLoaded} onRetry={refetch} />
      )}
      {data === undefined && !error && <Skeleton rows={4} />}
      {data?.length === 0 && <p className={textStyles.muted}>{words.nothingHappened}</p>}
      <ol>
        {shown?.map((one) => (
          <ActivityRow
            key={`${one.at} ${one.type} ${one.checkId} ${one.name} ${one.what}`}
            one={one}
          />
        ))}
      </ol>
      {lines !== undefined && !isWhole && lines.length > firstShown && (
        <LinkButton className={styles.all} onClick={() => setWhole(true)}>
          {words.showAll}
        </LinkButton>
      )}
    </section>
  );
}

function formatTrend({ type, earlier, recent, host }: Trend): string {
  if (type === "certificate") return words.expiresIn(host ?? "", recent);
  if (type === "latency") return `${words.p95} ${formatMs(earlier)} → ${formatMs(recent)}`;
  const word = type === "loss" ? words.loss : words.notPassing;
  return `${word} ${formatPercent(earlier)} → ${formatPercent(recent)}`;
}

/** Lists metrics that are worse than in the week before, and expiring certificates. */
export function GettingWorse() {
  const { data, error, refetch } = useQuery(trendsQuery);
  return (
    <section className={styles.part} aria-labelledby="worse">
      <h2 id="worse">{words.worse}</h2>
      {error && data === undefined && (
        <ErrorPanel error={error} title={words.trendsNotLoaded} onRetry={refetch} />
      )}
      {data === undefined && !error && <Skeleton rows={4} />}
      {data?.trends.length === 0 && <p className={textStyles.muted}>{words.nothingWorse}</p>}
      <ul>
        {data?.trends.slice(0, 20).map((trend) => (
          <Row
            as="li"
            gap={3}
            tight
            className={styles.trend}
            key={`${trend.type} ${trend.checkId} ${trend.host}`}
          >
            <CheckLink id={trend.checkId} name={trend.name} />
            <span>{formatTrend(trend)}</span>
          </Row>
        ))}
      </ul>
    </section>
  );
}
