import type { TrialStep } from "../../api/try-check.ts";
import blockStyles from "../../parts/blocks.module.css";
import { formatMs } from "../../parts/figures.ts";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./live-packets.module.css";

interface LivePacketsProps {
  readonly packets: readonly TrialStep[];
  readonly isRunning: boolean;
}

/** One row per packet, in the order sent. */
export function LivePackets({ packets, isRunning }: LivePacketsProps) {
  const ordered = packets.toSorted((one, other) => Number(one.sequence) - Number(other.sequence));
  const longest = Math.max(0.001, ...packets.map(({ rttMs }) => Number(rttMs ?? 0)));
  const lost = packets.filter(({ rttMs }) => rttMs === null).length;
  return (
    <div>
      <Stack as="ol" gap={1} aria-label="Packets">
        {ordered.map(({ sequence, rttMs, lost: why }) => (
          <li className={styles.packet} key={String(sequence)} data-lost={rttMs === null}>
            <span className={`${textStyles.muted} ${textStyles.end}`}>{Number(sequence) + 1}</span>
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
      <p className={styles.sum}>
        {packets.length} {packets.length === 1 ? "packet" : "packets"}, {lost} lost
        {isRunning ? " so far" : ""}
      </p>
    </div>
  );
}
