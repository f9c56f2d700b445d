import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { formatBytes, formatMs } from "../../parts/figures.ts";
import { listWithKeys } from "../../parts/keys.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
import type { TrialViewProps } from "../kind.ts";
import { showControls, showInLine } from "../run-parts/foreign-text.ts";
import tableStyles from "../run-parts/run-parts.module.css";
import { Facts, ForeignText, Part, RunError } from "../run-parts/run-parts.tsx";
import styles from "./scripts.module.css";
import { words } from "./words.ts";

type Document = NonNullable<TrialViewProps["run"]["multiStepCheckResult"]>;
type Step = Document["steps"][number];

interface ScriptRunViewProps {
  readonly document: Document | undefined;
  /** Content that only some check types show, placed after the steps. */
  readonly children?: ReactNode;
}

/** Shows the run of a script: errors first, then steps, logs and connections. */
export function ScriptRunView({ document, children }: ScriptRunViewProps) {
  if (document === undefined) return <RunError error={{}} />;
  const { error, end, durationMs, cpuMs, memoryBytes, isolation, runtimeVersion } = document;
  const { errors, steps, jobLog, connections, startTime, isCut } = document;
  return (
    <>
      <RunError error={error} />
      <Facts
        facts={[
          [words.end, end && words.ends[end]],
          [words.cpu, cpuMs === null ? null : formatMs(cpuMs)],
          [words.memory, memoryBytes === null ? null : formatBytes(memoryBytes)],
          [words.runtime, runtimeVersion],
          [words.isolation, isolation],
        ]}
      />
      <Errors errors={errors} />
      {end !== null && <Steps steps={steps} durationMs={durationMs ?? 0} />}
      {children}
      <Logs logs={jobLog} startTime={startTime} />
      <Connections connections={connections} />
      {isCut && <p className={textStyles.muted}>{words.isCut}</p>}
    </>
  );
}

export function Errors({ errors }: Pick<Document, "errors">) {
  if (errors.length === 0) return null;
  return (
    <Part title={words.errors}>
      {listWithKeys(errors, ({ message }) => message).map(({ key, item }) => (
        <ErrorView key={key} {...item} />
      ))}
    </Part>
  );
}

function ErrorView({ message, file, line, column, stack }: Document["errors"][number]) {
  return (
    <div className={styles.error}>
      {file !== null && (
        <p className={`${textStyles.hint} ${textStyles.mono} ${textStyles.wrap}`}>
          {showInLine([file, line, column].filter(Boolean).join(":"))}
        </p>
      )}
      <p className={`${textStyles.bad} ${textStyles.lines}`}>{showControls(message)}</p>
      {stack !== null && stack !== message && (
        <details>
          <summary>{words.stack}</summary>
          <ForeignText label={words.stack} text={stack} />
        </details>
      )}
    </div>
  );
}

/** Returns whether a step is hidden by default: a hook or fixture without an error. */
const isMinor = ({ category, error }: Step) =>
  (category === "hook" || category === "fixture") && error === null;

function Steps({
  steps,
  durationMs,
}: {
  readonly steps: readonly Step[];
  readonly durationMs: number;
}) {
  const [areAllShown, showAll] = useState(false);
  const shown = areAllShown ? steps : listMajor(steps);
  const totalMs = Math.max(durationMs, ...steps.map((step) => step.startMs + step.durationMs), 1);
  if (steps.length === 0) {
    return (
      <Part title={words.steps}>
        <p className={textStyles.muted}>{words.noSteps}</p>
      </Part>
    );
  }
  return (
    <Part title={words.steps}>
      <Stack as="ol" gap={1}>
        {listWithKeys(hideRepeatedErrors(shown), writeStepKey).map(({ key, item }) => (
          <StepRow key={key} step={item} totalMs={totalMs} />
        ))}
      </Stack>
      {(shown.length < steps.length || areAllShown) && (
        <Row>
          <Button variant="default" size="compact-sm" onClick={() => showAll(!areAllShown)}>
            {areAllShown ? words.showFewer : words.showAll}
          </Button>
        </Row>
      )}
    </Part>
  );
}

const writeStepKey = ({ startMs, depth, title }: Step) => `${startMs} ${depth} ${title}`;

const comparedLength = 60;

/** Hides the error of a step if a step inside it failed with the same error. */
export function hideRepeatedErrors<Some extends Step>(
  steps: readonly Some[],
): (Some & { readonly isErrorHidden: boolean })[] {
  return steps.map((step, place) => {
    const { error, depth } = step;
    const rest = steps.slice(place + 1);
    const end = rest.findIndex((one) => one.depth <= depth);
    const inside = end === -1 ? rest : rest.slice(0, end);
    const start = error?.slice(0, comparedLength);
    const isErrorHidden =
      error !== null && inside.some((one) => one.error?.slice(0, comparedLength) === start);
    return { ...step, isErrorHidden };
  });
}

/** Omits minor steps and all steps inside them. A failed step is never omitted. */
export function listMajor<Some extends Step>(steps: readonly Some[]): Some[] {
  let hiddenDepth = Number.POSITIVE_INFINITY;
  return steps.filter((step) => {
    if (step.depth > hiddenDepth) return step.error !== null;
    hiddenDepth = isMinor(step) ? step.depth : Number.POSITIVE_INFINITY;
    return hiddenDepth === Number.POSITIVE_INFINITY;
  });
}

/**
 * Formats a duration. The clock of a script has a resolution of milliseconds, so "0 µs" would be
 * too precise.
 */
const formatTime = (ms: number) => (ms === 0 ? "0 ms" : formatMs(ms));

interface StepRowProps {
  readonly step: Pick<Step, "title" | "depth" | "startMs" | "durationMs" | "error"> & {
    readonly isErrorHidden?: boolean;
  };
  /** Total duration, for the scale of the bars; `null` while the script is running. */
  readonly totalMs: number | null;
}

export function StepRow({ step, totalMs }: StepRowProps) {
  const { title, depth, startMs, durationMs, error, isErrorHidden = false } = step;
  return (
    <li className={styles.step} data-depth={depth}>
      <Row as="span" nowrap align="baseline">
        <StateMark state={error === null ? "passing" : "failing"} />
        <span className="unseen">{error === null ? words.passed : words.failed}</span>
        <span className={textStyles.wrap}>{showInLine(title)}</span>
      </Row>
      {totalMs !== null && (
        <svg
          viewBox="0 0 1000 12"
          preserveAspectRatio="none"
          aria-hidden="true"
          className={tableStyles.bar}
        >
          <rect
            x={(startMs / totalMs) * 1_000}
            width={Math.max((durationMs / totalMs) * 1_000, 4)}
            y={0}
            height={12}
          />
        </svg>
      )}
      <span className={`${textStyles.end} ${textStyles.nowrap}`}>{formatTime(durationMs)}</span>
      {error !== null && !isErrorHidden && (
        <p
          className={`${styles.stepError} ${textStyles.fault} ${textStyles.lines} ${textStyles.mono}`}
        >
          {showControls(error)}
        </p>
      )}
    </li>
  );
}

export function Logs({
  logs,
  startTime,
}: {
  readonly logs: Document["jobLog"];
  readonly startTime: number;
}) {
  if (logs.length === 0) return null;
  return (
    <Part title={words.logs}>
      <ol className={`${styles.logs} ${textStyles.mono} ${textStyles.small}`}>
        {listWithKeys(logs, ({ time, msg }) => `${time} ${msg}`).map(({ key, item }) => (
          <LogRow
            key={key}
            time={formatTime(Math.max(0, item.time - startTime))}
            level={item.level}
            text={item.msg}
          />
        ))}
      </ol>
    </Part>
  );
}

interface LogRowProps {
  /** Time since the start; `null` while the script is running. */
  readonly time: string | null;
  readonly level: string;
  readonly text: string;
}

export function LogRow({ time, level, text }: LogRowProps) {
  return (
    <Row as="li" align="start" data-level={level.toLowerCase()}>
      {time !== null && <span className={textStyles.muted}>{time}</span>}
      <span className={styles.level}>{level.toLowerCase()}</span>
      <span className={`${styles.logText} ${textStyles.lines}`}>{showControls(text)}</span>
    </Row>
  );
}

function Connections({ connections }: Pick<Document, "connections">) {
  if (connections.length === 0) return null;
  return (
    <Part title={words.connections}>
      <table className={tableStyles.table}>
        <thead>
          <tr>
            <th scope="col">{words.host}</th>
            <th scope="col" className={textStyles.nowrap}>
              {words.count}
            </th>
            <th scope="col" className={textStyles.nowrap}>
              {words.denied}
            </th>
          </tr>
        </thead>
        <tbody>
          {connections.map(({ host, port, count, denial }) => (
            <tr key={`${host}:${port}`} data-lost={denial !== null}>
              <td>{showInLine(`${host.includes(":") ? `[${host}]` : host}:${port}`)}</td>
              <td>{count}</td>
              <td>{denial === null ? "" : showInLine(denial)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  );
}
