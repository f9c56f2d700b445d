import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import {
  type TrialEvent,
  type TrialResult,
  type TrialStep,
  type TriedAssertion,
  tryCheck,
} from "../../api/try-check.ts";
import { explainRun, findTrialView } from "../../kinds/index.ts";
import type { KindEditor } from "../../kinds/kind.ts";
import { LiveSteps } from "../../kinds/live-steps.tsx";
import { showInLine } from "../../kinds/run-parts/foreign-text.ts";
import { FamilyViews } from "../../kinds/run-parts/run-parts.tsx";
import { formatAssertion } from "../../kinds/sentences.ts";
import {
  findRunLocation,
  isThisServer,
  locationsQuery,
  privateNamesQuery,
} from "../../locations/index.ts";
import blockStyles from "../../parts/blocks.module.css";
import { formatMs } from "../../parts/figures.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
import { toNewBody } from "./check-values.ts";
import tryStyles from "./try-panel.module.css";
import type { CheckEditor } from "./use-check-editor.ts";
import { words } from "./words.ts";

interface Trial {
  readonly state: "running" | "done" | "timed-out" | "stopped";
  readonly location: string;
  readonly isStarted: boolean;
  readonly steps: readonly TrialStep[];
  readonly result: TrialResult | null;
}

const ordered: Trial = {
  state: "running",
  location: "",
  isStarted: false,
  steps: [],
  result: null,
};

function follow(trial: Trial, event: TrialEvent): Trial {
  switch (event.event) {
    case "ordered":
      return { ...trial, location: event.location };
    case "started":
      return { ...trial, isStarted: true };
    case "progress":
      return { ...trial, steps: [...trial.steps, event] };
    case "result":
      return { ...trial, result: event };
    case "end":
      return { ...trial, state: event.reason === "complete" ? "done" : "timed-out" };
    case "waiting":
      return trial;
  }
}

/**
 * State of the test run. Only one test runs at a time: starting another test or unmounting aborts
 * it.
 */
function useTrial(onRefusal: (error: unknown) => void) {
  const [trial, setTrial] = useState<Trial | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const start = useCallback(
    async (body: object, checkId: string | null) => {
      controller.current?.abort();
      const own = new AbortController();
      controller.current = own;
      setTrial(ordered);
      try {
        for await (const event of tryCheck(body, { checkId, signal: own.signal })) {
          if (controller.current !== own) return;
          setTrial((before) => follow(before ?? ordered, event));
        }
        if (controller.current !== own) return;
        setTrial((before) => before && { ...before, state: endOf(before) });
      } catch (error) {
        if (controller.current !== own) return;
        setTrial(null);
        onRefusal(error);
      }
    },
    [onRefusal],
  );
  const stop = useCallback(() => {
    controller.current?.abort();
    controller.current = null;
    setTrial((before) => before && { ...before, state: "stopped" });
  }, []);
  return { trial, start, stop };
}

/** Returns the state after the stream has ended: "stopped" if it had no final event. */
function endOf({ state }: Trial): Trial["state"] {
  return state === "running" ? "stopped" : state;
}

type Sources = NonNullable<KindEditor["assertionSources"]>;

interface TryPanelProps {
  readonly editor: CheckEditor;
  readonly own: KindEditor | null;
  readonly checkId: string | null;
}

/** Runs a test with the unsaved settings and shows its progress live. */
export function TryPanel({ editor, own, checkId }: TryPanelProps) {
  const { refuse: refuseAs } = editor;
  const refuse = useCallback((error: unknown) => refuseAs(error, words.notTried), [refuseAs]);
  const { trial, start, stop } = useTrial(refuse);
  const isRunning = trial?.state === "running";
  const run = () => {
    const { name, ...rest } = toNewBody(editor.values, editor.kind);
    // The API requires a name, although a test run does not need one.
    void start({ ...rest, name: name === "" ? words.tryIt : name }, checkId);
  };
  return (
    <Stack as="section" className={blockStyles.card} aria-label={words.tryIt}>
      <Row>
        <Button variant="light" onClick={run} disabled={isRunning}>
          {trial === null ? words.tryIt : words.tryAgain}
        </Button>
        {isRunning && (
          <Button variant="default" onClick={stop}>
            {words.stop}
          </Button>
        )}
      </Row>
      {trial === null ? (
        <p className={textStyles.hint}>{words.tryHint}</p>
      ) : (
        <TrialView trial={trial} sources={own?.assertionSources ?? {}} />
      )}
    </Stack>
  );
}

interface TrialViewProps {
  readonly trial: Trial;
  readonly sources: Sources;
}

function TrialView({ trial, sources }: TrialViewProps) {
  const { steps, result, state } = trial;
  // Without a verdict nothing ran, for example because a runtime is missing: the reason is enough.
  const hasRun = result !== null && result.verdict !== "unknown";
  return (
    <Stack aria-live="polite" aria-busy={state === "running"}>
      {result ? (
        <ResultView result={result} sources={sources} />
      ) : (
        <RunningLocation trial={trial} />
      )}
      <LiveSteps steps={steps} isRunning={state === "running"} hasResult={result !== null} />
      {state === "timed-out" && <p className={textStyles.fault}>{words.timedOut}</p>}
      {hasRun && <AnswerView result={result} />}
    </Stack>
  );
}

function useKnownLocations() {
  const { data: places = [] } = useQuery(locationsQuery);
  const { data: own = [] } = useQuery(privateNamesQuery);
  return { places, own };
}

/** Shows where a test is running, until the result arrives. */
function RunningLocation({ trial }: { readonly trial: Trial }) {
  const { places, own } = useKnownLocations();
  const { location, isStarted, state } = trial;
  if (state !== "running") return null;
  if (!isStarted) return <p className={textStyles.hint}>{words.waiting}</p>;
  const place = places.find(({ region }) => region === location);
  const name = own.find(({ slugName }) => slugName === location)?.name ?? place?.name ?? location;
  const isHere = place !== undefined && (isThisServer(place) || place.servedBy !== "own-probe");
  return <p className={textStyles.hint}>{isHere ? words.runningHere : words.runningFrom(name)}</p>;
}

/**
 * Shows where a test run was executed. If a location has no probe, the server executes the run
 * instead.
 */
function RunLocationFacts({ result }: { readonly result: TrialResult }) {
  const known = useKnownLocations();
  const { name, isServer, isStandIn } = findRunLocation(result, known);
  if (name === null) return null;
  const asked = known.places.find(({ region }) => region === result.runLocation)?.name;
  const said = isServer
    ? isStandIn && asked !== undefined
      ? words.ranInstead(asked)
      : words.ranHere
    : words.ranFrom(name);
  return <p className={textStyles.hint}>{said}</p>;
}

const toSentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;

/** Formats the reasons of the verdict, except failed assertions, which are shown separately. */
function listSentences(result: TrialResult): string[] {
  const { assertions } = result;
  const explanation = explainRun(result);
  const reasons = result.reasons.filter(({ name }) => name !== "all-within-limits");
  const others = reasons.filter(({ name }) => name !== "assertion-failed");
  if (others.length === reasons.length) {
    const said = explanation.toLowerCase();
    const more = reasons
      .map(({ sentence }) => toSentence(sentence))
      .filter((sentence) => !said.includes(sentence.toLowerCase().replace(/\.$/, "")));
    return [...(explanation === "" ? [] : [explanation]), ...more];
  }
  const failed = assertions.filter(({ passed }) => passed === false).length;
  return [
    words.assertionsFailed(failed, assertions.length),
    ...others.map(({ sentence }) => toSentence(sentence)),
  ];
}

interface ResultViewProps {
  readonly result: TrialResult;
  readonly sources: Sources;
}

function ResultView({ result, sources }: ResultViewProps) {
  const { verdict, assertions, responseTime } = result;
  return (
    <Stack gap={2}>
      <Row as="p" nowrap gap={4} className={textStyles.strong}>
        <StateMark state={verdict} hasWord size={20} />
        {responseTime !== null && <span>{formatMs(responseTime)}</span>}
      </Row>
      {listSentences(result).map((sentence) => (
        <p key={sentence}>{showInLine(sentence)}</p>
      ))}
      {assertions.length > 0 && (
        <Stack as="ul" gap={2} className={tryStyles.assertions} aria-label={words.assertionResults}>
          {assertions.map((tried, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order does not change
            <li key={index}>
              <StateMark state={toState(tried)} />
              <span>{formatOutcome(tried, sources)}</span>
            </li>
          ))}
        </Stack>
      )}
      {verdict !== "unknown" && <RunLocationFacts result={result} />}
    </Stack>
  );
}

function toState({ passed }: TriedAssertion) {
  if (passed === null) return "unknown";
  return passed ? "passing" : "failing";
}

const maxFoundLength = 200;

function formatOutcome({ assertion, passed, actual }: TriedAssertion, sources: Sources): string {
  const said = toSentence(formatAssertion(assertion, sources));
  if (passed !== false || actual === undefined) return said;
  const text = typeof actual === "string" ? actual : JSON.stringify(actual);
  const shown = showInLine(text.slice(0, maxFoundLength));
  return `${said.slice(0, -1)}: ${words.found(shown === "" ? "nothing" : shown)}.`;
}

function AnswerView({ result }: { readonly result: TrialResult }) {
  const View = findTrialView(result.checkType);
  if (View === null) return null;
  return (
    <Suspense fallback={<Skeleton rows={3} />}>
      <FamilyViews run={result}>{(one) => <View run={one} />}</FamilyViews>
    </Suspense>
  );
}
