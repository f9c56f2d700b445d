import { Button } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useMay } from "../../api/session.ts";
import { followPath, type LivePathEvent } from "../../api/try-check.ts";
import { formatCount, formatMs, formatPercent } from "../../parts/figures.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import type { CheckNoteProps } from "../kind.ts";
import { showInLine } from "../run-parts/foreign-text.ts";
import tableStyles from "../run-parts/run-parts.module.css";
import styles from "./run-view.module.css";

type Round = Extract<LivePathEvent, { event: "round" }>;
type Hop = Round["hops"][number];

const words = {
  title: "Live path",
  start: "Trace live",
  stop: "Stop",
  hint: "Traces the path once per second and shows loss and round trips of each hop, as mtr does. Nothing is stored.",
  waiting: "Tracing…",
  rounds: (count: number) => (count === 1 ? "1 trace" : `${formatCount(count)} traces`),
  stopped: "stopped",
  silent: "no response",
  columns: ["Hop", "Host", "Loss", "Last", "Average", "Best", "Worst", "StDev"],
};

interface Live {
  readonly state: "running" | "stopped";
  readonly round: Round | null;
  readonly trouble: string | null;
}

/** Traces a path repeatedly until the user stops it or the component is unmounted. */
function useLivePath(checkId: string) {
  const [live, setLive] = useState<Live | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const start = async () => {
    const own = new AbortController();
    controller.current = own;
    setLive({ state: "running", round: null, trouble: null });
    const change = (more: Partial<Live>) => {
      if (controller.current === own) setLive((before) => before && { ...before, ...more });
    };
    try {
      for await (const event of followPath(checkId, own.signal)) {
        if (event.event === "round") change({ round: event });
        if (event.event === "trouble") change({ trouble: event.message });
      }
    } catch (error) {
      change({ trouble: error instanceof Error ? error.message : String(error) });
    }
    change({ state: "stopped" });
  };
  const stop = () => {
    controller.current?.abort();
    setLive((before) => before && { ...before, state: "stopped" });
  };
  return { live, start: () => void start(), stop };
}

const writeMs = (ms: number | null) => (ms === null ? "" : formatMs(ms));

function HopRow({ hop }: { readonly hop: Hop }) {
  const { addresses, lossPercent, lastMs, averageMs, bestMs, worstMs, standardDeviationMs } = hop;
  const times = [lastMs, averageMs, bestMs, worstMs, standardDeviationMs];
  return (
    <tr>
      <td className={tableStyles.number}>{hop.hop}</td>
      <td>
        {addresses.length === 0 && <span className={textStyles.muted}>{words.silent}</span>}
        {addresses.map(({ address, name }) => (
          <div key={address}>
            <span className={textStyles.mono}>{address}</span>{" "}
            <span className={`${textStyles.muted} ${textStyles.small}`}>
              {name && showInLine(name)}
            </span>
          </div>
        ))}
      </td>
      <td className={tableStyles.number} data-lossy={lossPercent > 0}>
        {formatPercent(lossPercent)}
      </td>
      {times.map((ms, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the column order does not change
        <td key={index} className={tableStyles.number}>
          {writeMs(ms)}
        </td>
      ))}
    </tr>
  );
}

function HopTable({ hops }: Pick<Round, "hops">) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
    <section className={styles.scrolls} aria-label={words.title} tabIndex={0}>
      <table className={`${tableStyles.table} ${styles.hops}`}>
        <thead>
          <tr>
            {words.columns.map((column) => (
              <th
                key={column}
                scope="col"
                className={column === "Host" ? undefined : tableStyles.number}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hops.map((hop) => (
            <HopRow key={hop.hop} hop={hop} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Shows the path of a check, which is traced repeatedly while the user watches it. */
export function LivePath({ check }: CheckNoteProps) {
  const mayRun = useMay("run");
  const { live, start, stop } = useLivePath(check.id);
  if (!mayRun) return null;
  const isRunning = live?.state === "running";
  return (
    <Stack gap={2}>
      <Row>
        <Button variant="default" size="xs" onClick={isRunning ? stop : start}>
          {isRunning ? words.stop : words.start}
        </Button>
        <span className={textStyles.muted} aria-live="polite">
          {live === null && words.hint}
          {live?.round && words.rounds(live.round.round)}
          {isRunning && !live.round && words.waiting}
        </span>
      </Row>
      {live?.trouble && <p className={textStyles.fault}>{showInLine(live.trouble)}</p>}
      {live?.round && <HopTable hops={live.round.hops} />}
    </Stack>
  );
}
