import { Button, NativeSelect } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { explainRun } from "../../kinds/index.ts";
import { LocationName, useLocationName } from "../../locations/index.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { formatMs } from "../../parts/figures.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import listStyles from "../../parts/list.module.css";
import { Skeleton } from "../../parts/loading.tsx";
import { StateMark, stateWords } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import { type ListedRun, runsQuery, wasMeasured } from "./queries.ts";
import styles from "./run-list.module.css";
import { type CheckSearch, type SearchChange, verdicts } from "./search.ts";
import { words } from "./words.ts";

interface RunListProps {
  readonly checkId: string;
  readonly search: CheckSearch;
  readonly locations: readonly string[];
  readonly onSearch: (change: SearchChange) => void;
}

function Filters({ search, locations, onSearch }: Omit<RunListProps, "checkId">) {
  const { runs } = words;
  const nameOf = useLocationName();
  const listed = [...new Set([...locations, ...(search.location ? [search.location] : [])])];
  return (
    <Row>
      <NativeSelect
        size="xs"
        aria-label={runs.state}
        value={search.state ?? ""}
        data={[
          { value: "", label: runs.all },
          ...verdicts.map((verdict) => ({ value: verdict, label: stateWords[verdict] })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          onSearch({ state: verdicts.find((verdict) => verdict === value) })
        }
      />
      {(locations.length > 1 || search.location !== undefined) && (
        <NativeSelect
          size="xs"
          aria-label={runs.location}
          value={search.location ?? ""}
          data={[
            { value: "", label: runs.allLocations },
            ...listed.map((location) => ({ value: location, label: nameOf(location) })),
          ]}
          onChange={({ currentTarget: { value } }) => onSearch({ location: value || undefined })}
        />
      )}
    </Row>
  );
}

interface RunRowProps {
  readonly run: ListedRun;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function RunRow({ run, isOpen, onOpen }: RunRowProps) {
  const { verdict, startedAt, runLocation, responseTime, attempts } = run;
  const isMeasured = wasMeasured(run);
  return (
    <li className={styles.item}>
      <button
        type="button"
        className={`${listStyles.row} ${styles.row}`}
        aria-current={isOpen ? "true" : undefined}
        onClick={onOpen}
      >
        <StateMark state={verdict} />
        <span className={textStyles.nowrap}>
          <DateTime at={startedAt} hasSeconds />
        </span>
        <span className={`${styles.location} ${textStyles.muted} ${textStyles.clip}`}>
          {isMeasured && <LocationName region={runLocation} />}
        </span>
        <span className={styles.figure}>
          {isMeasured &&
            verdict !== "unknown" &&
            (responseTime > 0 ? formatMs(responseTime) : words.runs.noTime)}
        </span>
        <span className={`${styles.why} ${textStyles.muted} ${textStyles.clip}`}>
          {explainRun(run)}
          {attempts > 1 && ` (${words.runs.attempts(attempts)})`}
        </span>
      </button>
    </li>
  );
}

/** Lists the runs of the selected range, newest first. A selected run opens in a side panel. */
export function RunList({ checkId, search, locations, onSearch }: RunListProps) {
  const runs = useInfiniteQuery(runsQuery(checkId, search));
  const { runs: labels } = words;
  const entries = runs.data?.pages.flatMap((page) => page.entries) ?? [];
  const isFiltered = search.state !== undefined || search.location !== undefined;
  return (
    <Stack as="section" gap={2} align="start" aria-labelledby="runs-title">
      <Row gap={4} justify="between" className={styles.head}>
        <h2 id="runs-title">{labels.title}</h2>
        <Filters search={search} locations={locations} onSearch={onSearch} />
      </Row>
      {runs.data === undefined && runs.error === null && <Skeleton rows={6} />}
      {runs.error && (
        <ErrorPanel
          error={runs.error}
          title={labels.notLoaded}
          onRetry={() => void runs.refetch()}
        />
      )}
      {runs.data !== undefined && entries.length === 0 && (
        <EmptyState title={labels.none}>
          <p>{isFiltered ? labels.noneHint : labels.noneYet}</p>
        </EmptyState>
      )}
      <ol className={`${listStyles.list} ${styles.list}`}>
        {entries.map((run) => (
          <RunRow
            key={run.id}
            run={run}
            isOpen={run.id === search.run}
            onOpen={() => onSearch({ run: run.id === search.run ? undefined : run.id })}
          />
        ))}
      </ol>
      {runs.hasNextPage && (
        <Button
          variant="default"
          loading={runs.isFetchingNextPage}
          onClick={() => void runs.fetchNextPage()}
        >
          {labels.older}
        </Button>
      )}
    </Stack>
  );
}
