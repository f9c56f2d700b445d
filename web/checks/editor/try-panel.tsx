import { Button } from "@mantine/core";
import { useCallback } from "react";
import type { TrialResult } from "../../api/try-check.ts";
import { LiveSteps } from "../../kinds/live-steps.tsx";
import { sayAssertion } from "../../kinds/sentences.ts";
import { formatMs } from "../../parts/figures.ts";
import { StateMark } from "../../parts/state-mark.tsx";
import { toNewBody } from "./check-values.ts";
import styles from "./editor.module.css";
import tryStyles from "./try-panel.module.css";
import type { CheckEditor } from "./use-check-editor.ts";
import { type Trial, useTrial } from "./use-trial.ts";
import { words } from "./words.ts";

interface TryPanelProps {
  readonly editor: CheckEditor;
  readonly checkId: string | null;
}

/** Runs the settings as they are typed, and shows the run while it happens. */
export function TryPanel({ editor, checkId }: TryPanelProps) {
  const { refuse: refuseAs } = editor;
  const refuse = useCallback((error: unknown) => refuseAs(error, words.notTried), [refuseAs]);
  const { trial, start, stop } = useTrial(refuse);
  const isRunning = trial?.state === "running";
  const run = () => {
    const { name, ...rest } = toNewBody(editor.values);
    // A name is no matter of a run.
    void start({ ...rest, name: name === "" ? words.tryIt : name }, checkId);
  };
  return (
    <section className={styles.box} aria-label={words.tryIt}>
      <div className={styles.actions}>
        <Button variant="light" onClick={run} disabled={isRunning}>
          {trial === null ? words.tryIt : words.tryAgain}
        </Button>
        {isRunning && (
          <Button variant="default" onClick={stop}>
            {words.stop}
          </Button>
        )}
      </div>
      {trial === null ? (
        <p className={styles.hint}>{words.tryHint}</p>
      ) : (
        <TrialView trial={trial} />
      )}
    </section>
  );
}

function TrialView({ trial }: { readonly trial: Trial }) {
  const { location, steps, result, state, isStarted } = trial;
  return (
    <div className={tryStyles.trial} aria-live="polite" aria-busy={state === "running"}>
      {location !== "" && <p className={styles.hint}>{words.ordered(location)}</p>}
      {isStarted && steps.length === 0 && state === "running" && (
        <p className={styles.hint}>{words.started}</p>
      )}
      <LiveSteps steps={steps} isRunning={state === "running"} />
      {state === "timed-out" && <p className={styles.fault}>{words.timedOut}</p>}
      {result && <ResultView result={result} />}
    </div>
  );
}

function ResultView({ result }: { readonly result: TrialResult }) {
  const { verdict, explanation, reasons, assertions, responseTime } = result;
  const said = explanation.toLowerCase();
  const more = reasons
    .map(({ sentence }) => sentence)
    .filter((sentence) => !said.includes(sentence.toLowerCase().replace(/\.$/, "")));
  return (
    <div className={tryStyles.result}>
      <p className={tryStyles.verdict}>
        <StateMark state={verdict} hasWord size={20} />
        {responseTime !== null && <span>{formatMs(responseTime)}</span>}
      </p>
      {explanation !== "" && <p>{explanation}</p>}
      {more.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {assertions.length > 0 && (
        <ul className={tryStyles.assertions} aria-label={words.assertionResults}>
          {assertions.map(({ assertion, passed, message }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an assertion is known by its place
            <li key={index}>
              <StateMark state={passed === null ? "unknown" : passed ? "passing" : "failing"} />
              <span>{message || sayAssertion(assertion, {})}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
