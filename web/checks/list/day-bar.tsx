import { stateWords } from "../../parts/state-mark.tsx";
import { formatClock } from "../../parts/time.tsx";
import styles from "./day-bar.module.css";

const slotMs = 1_800_000;
const states = { p: "passing", d: "degraded", f: "failing", "-": "unknown" } as const;
type Letter = keyof typeof states;

const isLetter = (text: string): text is Letter => text in states;
const stateOf = (text: string) => states[isLetter(text) ? text : "-"];

interface Stretch {
  readonly state: (typeof states)[Letter];
  readonly from: number;
  to: number;
}

/** Joins consecutive slots of one state. */
function joinSlots(bar: string): Stretch[] {
  const stretches: Stretch[] = [];
  for (const [slot, letter] of [...bar].entries()) {
    const last = stretches.at(-1);
    if (last?.state === stateOf(letter)) last.to = slot + 1;
    else stretches.push({ state: stateOf(letter), from: slot, to: slot + 1 });
  }
  return stretches;
}

/** Describes a bar for screen readers: "Failing for 1 h, degraded for 30 min". */
export function describeBar(bar: string): string {
  const parts = (["f", "d", "-"] as const).flatMap((letter) => {
    const hours = [...bar].filter((one) => one === letter).length / 2;
    return hours === 0 ? [] : [`${stateWords[states[letter]].toLowerCase()} for ${hours} h`];
  });
  return parts.length === 0 ? "passing for 24 h" : parts.join(", ");
}

interface DayBarProps {
  readonly bar: string;
  readonly from: string;
}

/** The last 24 hours in half-hour slots. Colour and height show the state; its name is on hover. */
export function DayBar({ bar, from }: DayBarProps) {
  const startMs = new Date(from).getTime();
  const clockAt = (slot: number) => formatClock(startMs + slot * slotMs);
  return (
    <svg
      className={styles.bar}
      viewBox="0 0 144 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`Last 24 hours: ${describeBar(bar)}`}
    >
      {joinSlots(bar).map(({ state, from: first, to }) => (
        <g key={first} data-state={state}>
          <title>{`${clockAt(first)} – ${clockAt(to)}: ${stateWords[state]}`}</title>
          <path className={styles.slots} d={drawSlots(state, first, to)} />
          <rect className={styles.reach} x={first * 3} y={0} width={(to - first) * 3} height={20} />
        </g>
      ))}
    </svg>
  );
}

/** Worse states are taller, so that colour is never the only difference. */
const heights = { passing: 12, degraded: 16, failing: 20, unknown: 3 } as const;

function drawSlots(state: Stretch["state"], first: number, to: number): string {
  const height = heights[state];
  let path = "";
  for (let slot = first; slot < to; slot += 1) {
    path += `M${slot * 3} ${20 - height}h2.2v${height}h-2.2z`;
  }
  return path;
}
