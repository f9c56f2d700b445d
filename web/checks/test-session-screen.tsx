import { createLazyRoute, Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { nameKind } from "../kinds/index.ts";
import { formatMs } from "../parts/figures.ts";
import { Row, ScreenBody } from "../parts/layout.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { type ShownState, StateMark } from "../parts/state-mark.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { DateTime, formatDuration } from "../parts/time.tsx";
import { testSessionQuery } from "./check-page/queries.ts";

const words = {
  title: "Test session",
  intro: "Checks that a command line ran once. Nobody was alerted, and no statistics changed.",
  started: "Started",
  took: (duration: string) => `took ${duration}`,
  running: (duration: string) => `running for ${duration}`,
  check: "Check",
  result: "Result",
  kind: "Kind",
  file: "File",
  responseTime: "Response time",
  reason: "Reason",
  none: "–",
  statuses: { RUNNING: "Running", PASSED: "Passed", FAILED: "Failed", CANCELLED: "Cancelled" },
  degraded: "Degraded",
} as const;

type Result = Schemas["TestSessionResult"];

const states: Readonly<Record<Result["status"], ShownState>> = {
  RUNNING: "unknown",
  PASSED: "passing",
  FAILED: "failing",
  CANCELLED: "inactive",
};

interface StatusProps {
  readonly status: Result["status"];
  readonly isDegraded?: boolean;
}

function Status({ status, isDegraded = false }: StatusProps) {
  const isSlow = status === "PASSED" && isDegraded;
  const word = isSlow ? words.degraded : words.statuses[status];
  return <StateMark state={isSlow ? "degraded" : states[status]} word={word} hasWord />;
}

function ResultRow({ result }: { readonly result: Result }) {
  const { checkId, checkType, name, filePath, error, responseTime, status, isDegraded } = result;
  return (
    <tr id={result.testSessionResultId}>
      <td>
        {checkId === null ? (
          <strong>{name}</strong>
        ) : (
          <Link to="/checks/$checkId" params={{ checkId }}>
            {name}
          </Link>
        )}
      </td>
      <td data-label={words.result}>
        <Status status={status} isDegraded={isDegraded} />
      </td>
      <td data-label={words.kind} className={textStyles.nowrap}>
        {nameKind(checkType)}
      </td>
      <td data-label={words.responseTime}>
        {responseTime === null ? words.none : formatMs(responseTime)}
      </td>
      <td data-label={words.reason} className={textStyles.wrap}>
        {error ?? words.none}
      </td>
      <td data-label={words.file} className={textStyles.wrap}>
        {filePath ?? words.none}
      </td>
    </tr>
  );
}

function ResultTable({ results }: { readonly results: readonly Result[] }) {
  const { check, result, kind, responseTime, reason, file } = words;
  return (
    <table className={`${tableStyles.table} ${tableStyles.cards}`}>
      <thead>
        <tr>
          {[check, result, kind, responseTime, reason, file].map((title) => (
            <th key={title}>{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {results.map((one) => (
          <ResultRow key={one.testSessionResultId} result={one} />
        ))}
      </tbody>
    </table>
  );
}

/** Shows a test session that a command-line tool started with `test` or `trigger`. */
function TestSessionScreen() {
  const { testSessionId } = route.useParams();
  const { data } = useLoaded(testSessionQuery(testSessionId));
  const describe = data.status === "RUNNING" ? words.running : words.took;
  return (
    <>
      <PageHeader title={data.name} tabTitle={words.title}>
        <p className={textStyles.muted}>{words.intro}</p>
      </PageHeader>
      <ScreenBody>
        <Row gap={4} tight>
          <Status status={data.status} />
          <span className={textStyles.muted}>
            {words.started} <DateTime at={data.startedAt} hasSeconds />,{" "}
            {describe(formatDuration(data.timeElapsed))}
          </span>
        </Row>
        <ResultTable results={data.results} />
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/test-sessions/$testSessionId")({
  component: TestSessionScreen,
});
