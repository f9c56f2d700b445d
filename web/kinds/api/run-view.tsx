import { formatBytes, formatMs } from "../../parts/figures.ts";
import type { RunViewProps } from "../kind.ts";
import { showInLine } from "../run-parts/foreign-text.ts";
import { AnswerPart, PhasesPart, Redirects, TlsPart } from "../run-parts/http-view.tsx";
import styles from "../run-parts/run-parts.module.css";
import { Facts, ForeignText, HeaderFields, Part, RunError } from "../run-parts/run-parts.tsx";
import { words } from "../run-parts/words.ts";
import { Errors, Logs } from "../scripts/script-run-view.tsx";
import { words as scriptWords } from "../scripts/words.ts";
import { formatComparison, formatSource } from "../sentences.ts";
import { assertionSources } from "./describe.ts";

type Found = NonNullable<RunViewProps["run"]["apiCheckResult"]>;
type Assertion = Found["assertions"][number];

function formatActual(actual: unknown): string {
  const text = typeof actual === "string" ? actual : JSON.stringify(actual);
  return showInLine(text ?? "");
}

function formatSubject({ source, property }: Assertion): string {
  const words: Readonly<Record<string, string>> = assertionSources;
  return [words[source] ?? formatSource(source), property].filter(Boolean).join(" ");
}

function formatResult({ passed }: Assertion): string {
  if (passed === null) return words.notChecked;
  return passed ? words.held : words.failed;
}

function Assertions({ assertions }: { readonly assertions: readonly Assertion[] }) {
  if (assertions.length === 0) return null;
  return (
    <Part title={words.assertions}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{words.what}</th>
            <th scope="col">{words.expected}</th>
            <th scope="col">{words.actual}</th>
            <th scope="col">{words.state}</th>
          </tr>
        </thead>
        <tbody>
          {assertions.map((assertion, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: assertions may be equal
            <tr key={place} data-lost={assertion.passed === false}>
              <td>{showInLine(formatSubject(assertion))}</td>
              <td>
                {formatComparison(assertion.comparison)} {showInLine(assertion.target)}
              </td>
              <td>{formatActual(assertion.actual)}</td>
              <td>{formatResult(assertion)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  );
}

const hooks = [
  ["setup", words.setupScript],
  ["teardown", words.tearDownScript],
] as const;

/** Shows the errors and logs of setup and teardown scripts. */
function Scripts({ scripts, jobLog }: Pick<Found, "scripts" | "jobLog">) {
  return hooks.map(([name, title]) => {
    const hook = scripts?.[name];
    if (!hook) return null;
    const logs = jobLog?.[name] ?? [];
    return (
      <Part key={name} title={title}>
        <Facts
          facts={[
            [scriptWords.end, scriptWords.ends[hook.end]],
            [words.duration, formatMs(hook.durationMs)],
            [scriptWords.runtime, hook.runtimeVersion],
            [scriptWords.isolation, hook.isolation],
          ]}
        />
        <Errors errors={hook.errors} />
        <Logs logs={logs} startTime={logs[0]?.time ?? 0} />
      </Part>
    );
  });
}

export function ApiRunView({ run }: RunViewProps) {
  const found = run.apiCheckResult;
  if (!found) return <RunError error={{}} />;
  const { request, response } = found;
  return (
    <>
      {found.requestError !== null && <RunError error={{ message: found.requestError }} />}
      <Facts
        facts={[
          [words.request, `${request.method} ${request.url}`],
          [words.status, response && `${response.status} ${response.statusText}`],
          [words.address, response?.resolvedIp],
          [words.version, response?.httpVersion],
          [words.size, response && formatBytes(response.bytesReceived)],
        ]}
      />
      <Assertions assertions={found.assertions} />
      <Scripts scripts={found.scripts} jobLog={found.jobLog} />
      {response && (
        <>
          <PhasesPart phases={response.timingPhases} />
          <Redirects hops={response.redirects} />
          <AnswerPart
            headers={response.headers}
            body={response.bodyError ?? response.body}
            isBodyCut={response.isBodyCut}
          />
        </>
      )}
      {Object.keys(request.headers).length > 0 && (
        <Part title={words.requestHeaders}>
          <HeaderFields headers={request.headers} />
        </Part>
      )}
      {request.data !== "" && (
        <Part title={words.requestBody}>
          <ForeignText label={words.requestBody} text={request.data} />
        </Part>
      )}
      <TlsPart tls={found.certificate} />
    </>
  );
}
