import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef } from "react";
import { explainRun, kinds } from "../../kinds/index.ts";
import { showInLine } from "../../kinds/run-parts/foreign-text.ts";
import { PathComparison } from "../../kinds/run-parts/path-comparison.tsx";
import { FamilyViews } from "../../kinds/run-parts/run-parts.tsx";
import { formatActual, formatAssertion } from "../../kinds/sentences.ts";
import { LocationName, RunLocation, useLocationName } from "../../locations/index.ts";
import { FactList } from "../../parts/blocks.tsx";
import { IconButton, LinkButton } from "../../parts/buttons.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { formatMs } from "../../parts/figures.ts";
import { CloseIcon } from "../../parts/icons.tsx";
import layoutStyles from "../../parts/layout.module.css";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import {
  type AnyCheck,
  attemptsQuery,
  type Run,
  runQuery,
  sourcesQuery,
  wasMeasured,
} from "./queries.ts";
import styles from "./run-panel.module.css";
import { words } from "./words.ts";

interface RunPanelProps {
  readonly check: AnyCheck;
  readonly resultId: string;
  readonly onOpen: (resultId: string) => void;
  readonly onClose: () => void;
}

const { run: labels } = words;

/**
 * Lists the failed assertions of a run. They are those reasons of the run's verdict that have the
 * name `assertion-failed`.
 */
function FailedAssertions({ run }: { readonly run: Run }) {
  const failed = run.reasons.flatMap((reason) => {
    if (reason.name !== "assertion-failed") return [];
    const { message, assertion, actual } = reason as Readonly<Record<string, unknown>>;
    return [{ message: String(message), assertion, actual }];
  });
  if (failed.length === 0) return null;
  const show = (value: unknown) => showInLine(formatActual(value));
  return (
    <Stack as="section" gap={2}>
      <h3>{labels.failedAssertions}</h3>
      {failed.map(({ message, assertion, actual }, place) => {
        const expected =
          typeof assertion === "object" && assertion !== null
            ? formatAssertion({ ...assertion }, {})
            : message;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: assertions may be equal
          <FactList tiles key={place}>
            <div>
              <dt>{labels.expected}</dt>
              <dd>{show(expected)}</dd>
            </div>
            <div>
              <dt>{labels.actual}</dt>
              <dd>{show(actual)}</dd>
            </div>
          </FactList>
        );
      })}
    </Stack>
  );
}

function Attempts({ run, onOpen }: { readonly run: Run; readonly onOpen: (id: string) => void }) {
  const { data = [] } = useQuery(attemptsQuery(run.checkId, run));
  const attempts = data.filter(({ sequenceId }) => sequenceId === run.sequenceId);
  const shown = attempts.length > 1 ? attempts : data;
  if (shown.length < 2) return null;
  return (
    <Stack as="section" gap={2}>
      <h3>{labels.attempts}</h3>
      <Stack as="ol" gap={1}>
        {shown.map((one) => (
          <Row as="li" key={one.id}>
            <StateMark state={one.verdict} />
            <span>
              {labels.attempt} {one.attempts}, <LocationName region={one.runLocation} />,{" "}
              {one.resultType === "FINAL" ? labels.counts : labels.triedAgain}
            </span>
            {one.id === run.id ? (
              <span className={textStyles.muted}>{labels.thisOne}</span>
            ) : (
              <LinkButton onClick={() => onOpen(one.id)}>
                <DateTime at={one.startedAt} />
              </LinkButton>
            )}
          </Row>
        ))}
      </Stack>
    </Stack>
  );
}

function RunFacts({ run }: { readonly run: Run }) {
  return (
    <FactList tiles>
      <div>
        <dt>{labels.when}</dt>
        <dd>
          <DateTime at={run.startedAt} hasSeconds />
        </dd>
      </div>
      {wasMeasured(run) && <ProbeFacts run={run} />}
      {run.attempts > 1 && (
        <div>
          <dt>{labels.attempt}</dt>
          <dd>{run.attempts}</dd>
        </div>
      )}
    </FactList>
  );
}

function ProbeFacts({ run }: { readonly run: Run }) {
  const { data: sources } = useQuery(sourcesQuery);
  const addresses = sources?.[run.runLocation] ?? [];
  const tookMs = Date.parse(run.stoppedAt) - Date.parse(run.startedAt);
  return (
    <>
      {run.verdict !== "unknown" && (
        <div>
          <dt>{labels.responseTime}</dt>
          <dd>{run.responseTime > 0 ? formatMs(run.responseTime) : words.runs.noTime}</dd>
        </div>
      )}
      {run.responseTime <= 0 && (
        <div>
          <dt>{labels.took}</dt>
          <dd>{formatMs(tookMs)}</dd>
        </div>
      )}
      <div>
        <dt>{labels.location}</dt>
        <dd>
          <RunLocation run={run} />
        </dd>
      </div>
      <div>
        <dt>{labels.probe}</dt>
        <dd>{run.probeId}</dd>
      </div>
      {addresses.length > 0 && (
        <div>
          <dt>{labels.sources}</dt>
          <dd>{addresses.join(", ")}</dd>
        </div>
      )}
    </>
  );
}

function RunBody({
  check,
  run,
  onOpen,
}: {
  check: AnyCheck;
  run: Run;
  onOpen: (id: string) => void;
}) {
  const { runView: View, filesView: Files } = kinds[check.checkType] ?? {};
  const nameLocation = useLocationName();
  const why = explainRun(run);
  return (
    <>
      {why !== "" && <p className={textStyles.wrap}>{showInLine(why)}</p>}
      <RunFacts run={run} />
      {View && (
        <Suspense fallback={<Skeleton rows={4} />}>
          <FamilyViews run={run}>{(one) => <View run={one} check={check} />}</FamilyViews>
          {Files && <Files checkId={check.id} resultId={run.id} />}
        </Suspense>
      )}
      {run.path && <PathComparison report={run.path} nameLocation={nameLocation} />}
      <FailedAssertions run={run} />
      <Attempts run={run} onOpen={onOpen} />
    </>
  );
}

/** Shows one run beside the run list, or full screen on a phone. */
export function RunPanel({ check, resultId, onOpen, onClose }: RunPanelProps) {
  const { data: run, error, refetch } = useQuery(runQuery(check.id, resultId));
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new run moves the focus
  useEffect(() => heading.current?.focus(), [resultId]);
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) onClose();
    };
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [onClose]);
  return (
    <Stack
      as="aside"
      gap={4}
      className={`${layoutStyles.panel} ${styles.panel}`}
      aria-labelledby="run-title"
    >
      <Row nowrap gap={3} className={styles.head}>
        {run && <StateMark state={run.verdict} hasWord />}
        <h2 id="run-title" ref={heading} tabIndex={-1}>
          {labels.title}
        </h2>
        <IconButton aria-label={labels.close} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </Row>
      {error ? (
        <ErrorPanel error={error} title={labels.notLoaded} onRetry={() => void refetch()} />
      ) : run === undefined ? (
        <Skeleton rows={8} />
      ) : (
        <RunBody check={check} run={run} onOpen={onOpen} />
      )}
    </Stack>
  );
}
