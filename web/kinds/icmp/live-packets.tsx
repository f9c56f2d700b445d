import type { TrialStep } from "../../api/try-check.ts";
import { formatMs } from "../../parts/figures.ts";
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
      <ol className={styles.packets} aria-label="Packets">
        {ordered.map(({ sequence, rttMs, lost: why }) => (
          <li className={styles.packet} key={String(sequence)} data-lost={rttMs === null}>
            <span className={styles.number}>{Number(sequence) + 1}</span>
            <meter
              className={styles.bar}
              min={0}
              max={longest}
              value={typeof rttMs === "number" ? rttMs : 0}
              aria-hidden="true"
            />
            <span className={styles.time}>
              {typeof rttMs === "number" ? formatMs(rttMs) : String(why ?? "lost")}
            </span>
          </li>
        ))}
      </ol>
      <p className={styles.sum}>
        {packets.length} {packets.length === 1 ? "packet" : "packets"}, {lost} lost
        {isRunning ? " so far" : ""}
      </p>
    </div>
  );
}
