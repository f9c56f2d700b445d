import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { Callout, FactList } from "../../parts/blocks.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import tableStyles from "../../parts/table.module.css";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import {
  type Comparison,
  comparisonQuery,
  type Import,
  nameSource,
  startAlerting,
} from "./queries.ts";
import { words } from "./words.ts";

/** Number of rows shown initially. The rows with the most differences come first. */
const firstRows = 50;

type ComparedCheck = Comparison["checks"][number];

interface CheckTableProps {
  readonly checks: readonly ComparedCheck[];
  readonly sourceName: string;
  readonly isCompared: boolean;
  readonly onStart: ((checkIds: readonly string[]) => void) | null;
  readonly isBusy: boolean;
}

function CheckRow({ check, ...props }: { readonly check: ComparedCheck } & CheckTableProps) {
  const { checkId, name, muted, alerts, compared } = check;
  const { sourceName, isCompared, onStart, isBusy } = props;
  return (
    <tr>
      <td className={textStyles.wrap}>
        <Link to="/checks/$checkId" params={{ checkId }}>
          {name}
        </Link>
      </td>
      <td data-label={words.alerts}>{alerts ?? words.tooMany}</td>
      {isCompared && (
        <>
          <td data-label={words.both}>{compared?.both ?? words.noHistory}</td>
          <td data-label={words.onlyHere}>{compared?.onlyHere ?? words.noHistory}</td>
          <td data-label={words.onlyThere(sourceName)}>{compared?.onlyThere ?? words.noHistory}</td>
        </>
      )}
      {onStart && (
        <td className={textStyles.end}>
          {muted ? (
            <Button
              variant="default"
              size="xs"
              disabled={isBusy}
              onClick={() => onStart([checkId])}
              aria-label={words.startOne(name)}
            >
              {words.start}
            </Button>
          ) : (
            words.alerting
          )}
        </td>
      )}
    </tr>
  );
}

function CheckTable(props: CheckTableProps) {
  const { checks, sourceName, isCompared, onStart } = props;
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? checks : checks.slice(0, firstRows);
  return (
    <>
      <table className={`${tableStyles.table} ${tableStyles.cards}`}>
        <thead>
          <tr>
            <th>{words.check}</th>
            <th>{words.alerts}</th>
            {isCompared && (
              <>
                <th>{words.both}</th>
                <th>{words.onlyHere}</th>
                <th>{words.onlyThere(sourceName)}</th>
              </>
            )}
            {onStart && (
              <th>
                <span className="unseen">{words.start}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((check) => (
            <CheckRow key={check.checkId} check={check} {...props} />
          ))}
        </tbody>
      </table>
      {shown.length < checks.length && (
        <Row>
          <Button variant="default" onClick={() => setShowsAll(true)}>
            {words.showAll(checks.length)}
          </Button>
        </Row>
      )}
    </>
  );
}

function Totals({ comparison, sourceName }: { comparison: Comparison; sourceName: string }) {
  const { from, comparedUntil, totals } = comparison;
  const facts: [name: string, value: ReactNode][] = [
    [words.since, from && <DateTime at={from} />],
    [words.alerts, totals.alerts],
  ];
  if (comparedUntil !== null) {
    facts.push(
      [words.both, totals.both],
      [words.onlyHere, totals.onlyHere],
      [words.onlyThere(sourceName), totals.onlyThere],
      [words.until, <DateTime key="until" at={comparedUntil} />],
    );
  }
  return (
    <FactList tiles>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </FactList>
  );
}

interface ResultProps {
  readonly comparison: Comparison;
  readonly sourceName: string;
  readonly onStarted: () => Promise<void>;
}

function ComparisonResult({ comparison, sourceName, onStarted }: ResultProps) {
  const mayWrite = useMay("write");
  const { checks, totals, comparedUntil } = comparison;
  const starting = useMutation({
    mutationFn: startAlerting,
    onSuccess: async (_, ids) => {
      showNotice({ text: words.started(ids.length) });
      await onStarted();
    },
  });
  if (checks.length === 0) return <p>{words.noChecks}</p>;
  const muted = checks.filter((check) => check.muted).map(({ checkId }) => checkId);
  return (
    <>
      <Totals comparison={comparison} sourceName={sourceName} />
      {comparedUntil === null && (
        <Callout tone="accent">
          <p>{words.noFile(sourceName)}</p>
        </Callout>
      )}
      {mayWrite && totals.muted > 0 && (
        <Row>
          <Button loading={starting.isPending} onClick={() => starting.mutate(muted)}>
            {words.startAll(totals.muted)}
          </Button>
        </Row>
      )}
      {starting.error && <ErrorPanel error={starting.error} />}
      <CheckTable
        checks={checks}
        sourceName={sourceName}
        isCompared={comparedUntil !== null}
        onStart={mayWrite ? (ids) => starting.mutate(ids) : null}
        isBusy={starting.isPending}
      />
    </>
  );
}

function SourceComparison({ made }: { readonly made: Import }) {
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const query = comparisonQuery(made.id);
  const { data, error, refetch, isFetching } = useQuery({ ...query, enabled: isOpen });
  const sourceName = nameSource(made);
  return (
    <Stack as="section">
      <Row>
        <h3>{sourceName}</h3>
        <Button
          variant="default"
          size="xs"
          loading={isFetching}
          onClick={() => (isOpen ? refetch() : setIsOpen(true))}
          aria-label={words.compareWith(sourceName)}
        >
          {words.compare}
        </Button>
      </Row>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {isOpen && !error && data === undefined && <Skeleton rows={3} />}
      {data && (
        <ComparisonResult
          comparison={data}
          sourceName={sourceName}
          onStarted={() => renewQueries(client, query.queryKey)}
        />
      )}
    </Stack>
  );
}

/**
 * Returns the latest completed import from each installation of another monitoring tool. `imports`
 * must be sorted newest first.
 */
function listLatest(imports: readonly Import[]): Import[] {
  const latest = new Map<string, Import>();
  for (const one of imports) {
    const installation = `${one.source} ${one.name}`;
    if (one.finished_at !== null && !latest.has(installation)) latest.set(installation, one);
  }
  return [...latest.values()];
}

/**
 * Compares the results of imported checks with those of the old monitor, before the imported checks
 * start to send alerts.
 */
export function ComparisonPart({ imports }: { readonly imports: readonly Import[] }) {
  const latest = listLatest(imports);
  if (latest.length === 0) return null;
  return (
    <Stack as="section">
      <h2>{words.sideBySide}</h2>
      <p className={textStyles.muted}>{words.sideBySideText}</p>
      {latest.map((made) => (
        <SourceComparison key={made.id} made={made} />
      ))}
    </Stack>
  );
}
