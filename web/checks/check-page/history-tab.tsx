import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { LocationName, useNamedLocations } from "../../locations/index.ts";
import { LinkButton } from "../../parts/buttons.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import listStyles from "../../parts/list.module.css";
import { Skeleton } from "../../parts/loading.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
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
    <Row as="ul" gap={3} tight aria-label={labels.perLocation}>
      {votes.map(({ location, verdict, resultId }) => (
        <li key={location}>
          <button type="button" className={styles.vote} onClick={() => onOpenRun(resultId)}>
            <StateMark state={verdict} size={14} />
            <LocationName region={location} />
          </button>
        </li>
      ))}
    </Row>
  );
}

function Change({
  change,
  onOpenRun,
}: { readonly change: StateChange } & Pick<HistoryTabProps, "onOpenRun">) {
  const { from, to, at, until, explanation, resultId } = change;
  const nameLocations = useNamedLocations();
  return (
    <Stack as="li" gap={1} align="start" className={styles.entry}>
      <Row gap={4} tight className={styles.entryHead}>
        <StateMark state={to} hasWord />
        <DateTime at={at} />
        <span className={textStyles.muted}>
          {until === null ? (
            <>
              <Lasting since={at} /> {labels.now}
            </>
          ) : (
            `${labels.lasted} ${formatDuration(Date.parse(until) - Date.parse(at))}`
          )}
        </span>
        <span className={textStyles.muted}>
          {labels.wasBefore} {stateInSentence[from]}
        </span>
      </Row>
      <p>{nameLocations(explanation) || labels.unknownWhy}</p>
      <Row gap={6} tight>
        <Votes change={change} onOpenRun={onOpenRun} />
        <LinkButton onClick={() => onOpenRun(resultId)}>{labels.run}</LinkButton>
      </Row>
    </Stack>
  );
}

/** Lists all state changes of the check with their reasons. */
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
      <ol className={listStyles.list}>
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
