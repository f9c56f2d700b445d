import { formatMs } from "../../parts/figures.ts";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import type { RunViewProps } from "../kind.ts";
import { Facts, ForeignText, Part, RunError } from "../run-parts/run-parts.tsx";
import { words } from "../run-parts/words.ts";
import { PingAddress } from "./ping-address.tsx";

const stateWords = {
  EARLY: "early",
  RECEIVED: "on time",
  GRACE: "late, within the grace",
  LATE: "after it was missed",
  FAILING: "the job failed",
} as const;

const toTime = (at: string | null) => (at === null ? null : <DateTime at={at} />);

export function HeartbeatRunView({ run, check }: RunViewProps) {
  const found = run.heartbeatCheckResult;
  if (!found) return <RunError error={{}} />;
  return (
    <>
      <RunError error={found.error} />
      <Facts
        facts={[
          [
            words.state,
            found.method === null ? words.missed : found.state && stateWords[found.state],
          ],
          [words.schedule, found.schedule],
          [words.expectedAt, toTime(found.expectedAt)],
          [words.lastPing, toTime(found.lastPingAt)],
          [words.jobStarted, toTime(found.startedAt)],
          [words.exitCode, found.exitCode === null ? null : String(found.exitCode)],
          [words.duration, found.duration === null ? null : formatMs(found.duration)],
          [words.method, found.method],
          [words.from, found.source],
          [words.client, found.userAgent],
        ]}
      />
      {found.body !== null && found.body !== "" && (
        <Part title={words.message}>
          <ForeignText label={words.message} text={found.body} />
          {found.isCut && <p className={textStyles.muted}>{words.cutMessage}</p>}
        </Part>
      )}
      <PingAddress check={check} />
    </>
  );
}
