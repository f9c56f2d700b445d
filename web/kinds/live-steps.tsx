/** Shows the steps of a run in progress with their durations. */
import type { TrialStep } from "../api/try-check.ts";
import blockStyles from "../parts/blocks.module.css";
import { formatBytes, formatMs } from "../parts/figures.ts";
import { Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import livePacketsStyles from "./icmp/live-packets.module.css";
import styles from "./live-steps.module.css";
import { LiveScript } from "./scripts/live-script.tsx";

interface LivePacketsProps {
  readonly packets: readonly TrialStep[];
  readonly isRunning: boolean;
}

/** Shows packets as one row each, in the order in which they were sent. */
function LivePackets({ packets, isRunning }: LivePacketsProps) {
  const ordered = packets.toSorted((one, other) => Number(one.sequence) - Number(other.sequence));
  const longest = Math.max(0.001, ...packets.map(({ rttMs }) => Number(rttMs ?? 0)));
  const lost = packets.filter(({ rttMs }) => rttMs === null).length;
  return (
    <div>
      <Stack as="ol" gap={1} aria-label="Packets">
        {ordered.map(({ sequence, family, rttMs, lost: why }) => (
          <li
            className={livePacketsStyles.packet}
            key={`${family ?? ""}${sequence}`}
            data-lost={rttMs === null}
          >
            <span className={`${textStyles.muted} ${textStyles.end}`}>
              {family === undefined ? "" : `${family} `}
              {Number(sequence) + 1}
            </span>
            <meter
              className={blockStyles.meter}
              min={0}
              max={longest}
              value={typeof rttMs === "number" ? rttMs : 0}
              aria-hidden="true"
            />
            <span className={textStyles.end}>
              {typeof rttMs === "number" ? formatMs(rttMs) : String(why ?? "lost")}
            </span>
          </li>
        ))}
      </Stack>
      <p className={`${livePacketsStyles.sum} ${textStyles.hint}`}>
        {packets.length} {packets.length === 1 ? "packet" : "packets"}, {lost} lost
        {isRunning ? " so far" : ""}
      </p>
    </div>
  );
}

type FormatStep = (step: TrialStep) => string;

/** Functions that format a step, by step name. An unknown step is shown by its name. */
const stepFormats: Readonly<Record<string, FormatStep>> = {
  resolved: ({ host, address }) =>
    host === address ? `Address ${address}` : `Resolved ${host} to ${address}`,
  connected: ({ port }) => `Connected to port ${port}`,
  secured: ({ protocol }) => `TLS handshake (${protocol ?? "TLS"})`,
  sent: ({ bytes }) => `Sent ${formatBytes(Number(bytes))}`,
  asked: ({ protocol, address, port }) => `Queried ${address} port ${port} over ${protocol}`,
  truncated: () => "The response was truncated; retrying over TCP",
  answered: ({ status, bytes }) =>
    status === undefined ? `Response of ${formatBytes(Number(bytes))}` : `Status ${status}`,
  hop: ({ hop, address }) => `Hop ${hop}: ${address}`,
  received: ({ bytes }) => `Received ${formatBytes(Number(bytes))}`,
  setup: () => "Setup script",
  teardown: () => "Teardown script",
  redirected: ({ status, from }) => `Redirected (${status}) from ${from}`,
};

interface LiveStepsProps {
  readonly steps: readonly TrialStep[];
  readonly isRunning: boolean;
  /**
   * Whether the page also shows the result of the run. The result of a script lists the steps of
   * the script again, so these steps are then omitted here.
   */
  readonly hasResult?: boolean;
}

const isScript = ({ step }: TrialStep) => step === "step" || step === "log";

export function LiveSteps({ steps, isRunning, hasResult = false }: LiveStepsProps) {
  const packets = steps.filter(({ step }) => step === "packet");
  const others = steps.filter((step) => step.step !== "packet" && !isScript(step));
  const longest = Math.max(1, ...others.map(({ durationMs }) => Number(durationMs ?? 0)));
  return (
    <>
      <Stack as="ol" gap={1}>
        {others.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only added at the end
          <li className={styles.step} key={index}>
            <span className={textStyles.wrap}>
              {step.family === undefined ? "" : `${step.family}: `}
              {(stepFormats[step.step] ?? (() => step.step))(step)}
            </span>
            {typeof step.durationMs === "number" && (
              <>
                <meter
                  className={blockStyles.meter}
                  min={0}
                  max={longest}
                  value={step.durationMs}
                  aria-hidden="true"
                />
                <span className={textStyles.end}>{formatMs(step.durationMs)}</span>
              </>
            )}
          </li>
        ))}
      </Stack>
      {!hasResult && <LiveScript steps={steps.filter(isScript)} />}
      {packets.length > 0 && <LivePackets packets={packets} isRunning={isRunning} />}
    </>
  );
}
