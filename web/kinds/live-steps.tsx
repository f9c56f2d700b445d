/** The steps of a run in progress, each with its duration. */

import type { TrialStep } from "../api/try-check.ts";
import blockStyles from "../parts/blocks.module.css";
import { formatBytes, formatMs } from "../parts/figures.ts";
import { Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { LivePackets } from "./icmp/live-packets.tsx";
import styles from "./live-steps.module.css";

type FormatStep = (step: TrialStep) => string;

/** Formats each step. An unknown step is shown by its name. */
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
  received: ({ bytes }) => `Received ${formatBytes(Number(bytes))}`,
  redirected: ({ status, from }) => `Redirected (${status}) from ${from}`,
};

interface LiveStepsProps {
  readonly steps: readonly TrialStep[];
  readonly isRunning: boolean;
}

export function LiveSteps({ steps, isRunning }: LiveStepsProps) {
  const packets = steps.filter(({ step }) => step === "packet");
  const others = steps.filter(({ step }) => step !== "packet");
  const longest = Math.max(1, ...others.map(({ durationMs }) => Number(durationMs ?? 0)));
  return (
    <>
      <Stack as="ol" gap={1}>
        {others.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added
          <li className={styles.step} key={index}>
            <span className={textStyles.wrap}>
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
      {packets.length > 0 && <LivePackets packets={packets} isRunning={isRunning} />}
    </>
  );
}
