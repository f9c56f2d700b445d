import { formatBytes } from "../../parts/figures.ts";
import type { RunViewProps } from "../kind.ts";
import { AnswerPart, PhasesPart, Redirects, TlsPart } from "../run-parts/http-view.tsx";
import { Facts, RunError } from "../run-parts/run-parts.tsx";
import { words } from "../run-parts/words.ts";

export function UrlRunView({ run }: RunViewProps) {
  const response = run.urlCheckResult?.response;
  if (response === undefined) return <RunError error={{}} />;
  const { timingPhases, status, statusText } = response;
  return (
    <>
      <RunError error={response.error} />
      <Facts
        facts={[
          [words.status, status === null ? null : `${status} ${statusText}`],
          [words.url, response.url],
          [words.address, response.resolvedIp],
          [words.version, response.httpVersion],
          [words.size, formatBytes(response.bytesReceived)],
        ]}
      />
      <PhasesPart phases={timingPhases} />
      <Redirects hops={response.redirects} />
      <AnswerPart
        headers={response.headers}
        body={response.bodyFault ?? response.body}
        isBodyCut={response.isBodyCut}
      />
      <TlsPart tls={response.certificate} />
    </>
  );
}
