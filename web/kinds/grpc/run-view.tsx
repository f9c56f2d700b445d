import { formatCount, formatMs } from "../../parts/figures.ts";
import textStyles from "../../parts/text.module.css";
import type { TrialViewProps } from "../kind.ts";
import {
  Facts,
  ForeignText,
  formatDaysLeft,
  HeaderFields,
  Part,
  RunError,
  Waterfall,
} from "../run-parts/run-parts.tsx";
import { words } from "../run-parts/words.ts";

/** Indents JSON; returns other text unchanged. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function GrpcRunView({ run }: TrialViewProps) {
  const response = run.grpcCheckResult?.response;
  if (response === undefined) return <RunError error={{}} />;
  const { timingPhases, grpcStatusCode, tls } = response;
  return (
    <>
      <RunError error={response.error} />
      <Facts
        facts={[
          [
            words.status,
            grpcStatusCode === null ? null : `${grpcStatusCode} ${response.grpcStatusName}`,
          ],
          [words.message, response.grpcStatusMessage],
          [words.health, response.healthStatusLabel],
          [words.host, `${response.host}:${response.port}`],
          [words.address, response.resolvedIp],
          [words.method, response.grpcMethod],
          [
            words.reflection,
            timingPhases.reflection === null ? null : formatMs(timingPhases.reflection),
          ],
          [words.bytesReceived, formatCount(response.bytesReceived)],
          [words.certificate, tls && formatDaysLeft(tls.daysUntilExpiry)],
          [words.issuer, tls?.issuerCN],
        ]}
      />
      <Part title={words.phases}>
        <Waterfall
          phases={[
            { name: words.dns, ms: timingPhases.dns },
            { name: words.connect, ms: timingPhases.tcp },
            { name: words.tls, ms: timingPhases.tls },
            { name: words.call, ms: timingPhases.call },
          ]}
        />
      </Part>
      {response.responseMessage !== "" && (
        <Part title={words.response}>
          <ForeignText label={words.response} text={indent(response.responseMessage)} />
          {response.isCut && <p className={textStyles.muted}>{words.bodyCut}</p>}
        </Part>
      )}
      {Object.keys(response.metadata).length > 0 && (
        <Part title={words.metadata}>
          <HeaderFields headers={response.metadata} />
        </Part>
      )}
    </>
  );
}
