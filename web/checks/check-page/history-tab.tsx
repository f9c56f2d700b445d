import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { LocationName, useNamedLocations } from "../../locations/index.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { DateTime, formatDuration, Lasting } from "../../parts/time.tsx";
import styles from "./lists.module.css";
import { historyQuery, type StateChange } from "./queries.ts";
import { stateInSentence, words } from "./words.ts";

interface HistoryTabProps {
  readonly checkId: string;
  readonly onOpenRun: (resultId: string) => void;
}

const { history: labels } = words;

function Votes({
  change,
  onOpenRun,
}: { readonly change: StateChange } & Pick<HistoryTabProps, "onOpenRun">) {
  const votes = change.decision?.votes ?? [];
  if (votes.length < 2) return null;
  return (
    <ul className={styles.votes} aria-label={labels.perLocation}>
      {votes.map(({ location, verdict, resultId }) => (
        <li key={location}>
          <button type="button" className={styles.vote} onClick={() => onOpenRun(resultId)}>
            <StateMark state={verdict} size={14} />
            <LocationName region={location} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Change({
  change,
  onOpenRun,
}: { readonly change: StateChange } & Pick<HistoryTabProps, "onOpenRun">) {
  const { from, to, at, until, explanation, resultId } = change;
  const nameLocations = useNamedLocations();
  return (
    <li className={styles.entry}>
      <div className={styles.entryHead}>
        <StateMark state={to} hasWord />
        <DateTime at={at} />
        <span className={styles.quiet}>
          {until === null ? (
            <>
              <Lasting since={at} /> {labels.now}
            </>
          ) : (
            `${labels.lasted} ${formatDuration(Date.parse(until) - Date.parse(at))}`
          )}
        </span>
        <span className={styles.quiet}>
          {labels.wasBefore} {stateInSentence[from]}
        </span>
      </div>
      <p>{nameLocations(explanation) || labels.unknownWhy}</p>
      <div className={styles.foot}>
        <Votes change={change} onOpenRun={onOpenRun} />
        <button type="button" className={styles.link} onClick={() => onOpenRun(resultId)}>
          {labels.run}
        </button>
      </div>
    </li>
  );
}

/** All state changes of the check, with their reasons. */
export function HistoryTab({ checkId, onOpenRun }: HistoryTabProps) {
  const history = useInfiniteQuery(historyQuery(checkId));
  if (history.data === undefined) {
    if (history.error === null) return <Skeleton rows={8} />;
    const retry = () => void history.refetch();
    return <ErrorPanel error={history.error} title={labels.notLoaded} onRetry={retry} />;
  }
  const changes = history.data.pages.flatMap(({ entries }) => entries);
  if (changes.length === 0) {
    return (
      <EmptyState title={labels.none}>
        <p>{labels.noneHint}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <ol className={styles.list}>
        {changes.map((change) => (
          <Change key={change.id} change={change} onOpenRun={onOpenRun} />
        ))}
      </ol>
      {history.hasNextPage && (
        <Button
          variant="default"
          className={styles.more ?? ""}
          loading={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          {labels.older}
        </Button>
      )}
    </>
  );
}
