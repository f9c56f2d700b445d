import { formatCount } from "../../parts/figures.ts";
import textStyles from "../../parts/text.module.css";
import type { TrialViewProps } from "../kind.ts";
import { showExchange } from "../run-parts/foreign-text.ts";
import { Facts, ForeignText, Part, RunError, Waterfall } from "../run-parts/run-parts.tsx";
import { words } from "../run-parts/words.ts";

export function TcpRunView({ run }: TrialViewProps) {
  const response = run.tcpCheckResult?.response;
  if (response === undefined) return <RunError error={{}} />;
  const { timings } = response;
  const phases = [
    { name: words.dns, ms: timings.dns },
    { name: words.connect, ms: timings.connection },
    { name: words.data, ms: timings.data },
  ];
  return (
    <>
      <RunError error={response.error} />
      <Facts
        facts={[
          [words.host, `${response.hostname}:${response.port}`],
          [words.address, response.resolvedIp],
          [words.waitEnd, response.answer],
          [words.bytesSent, formatCount(response.bytesSent)],
          [words.bytesReceived, formatCount(response.bytesReceived)],
        ]}
      />
      <Part title={words.phases}>
        <Waterfall phases={phases} />
      </Part>
      {response.answer !== null && (
        <Part title={words.exchange}>
          {response.data === "" ? (
            <p className={textStyles.muted}>{words.nothingCame}</p>
          ) : (
            <ForeignText label={words.exchange} text={showExchange(response.data)} />
          )}
          {response.isCut && <p className={textStyles.muted}>{words.bodyCut}</p>}
        </Part>
      )}
    </>
  );
}
