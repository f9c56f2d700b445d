import { Link } from "@tanstack/react-router";
import { nameKind } from "../../kinds/index.ts";
import { formatMs, formatPercent } from "../../parts/figures.ts";
import { MuteIcon } from "../../parts/icons.tsx";
import { StateMark, stateWords } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
import { Ago, formatClock, Lasting } from "../../parts/time.tsx";
import styles from "./check-table.module.css";
import dayBarStyles from "./day-bar.module.css";
import type { CheckOverview } from "./queries.ts";
import type { Column } from "./search.ts";
import { words } from "./words.ts";

const shortLength = 28;
const tailLength = 12;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Splits a long name so that its end stays visible, because names often differ at the end. */
export function splitName(name: string): readonly [head: string, tail: string] {
  if (name.length <= shortLength) return [name, ""];
  const signs = Array.from(graphemes.segment(name), ({ segment }) => segment);
  const place = Math.max(0, signs.length - tailLength);
  return [signs.slice(0, place).join(""), signs.slice(place).join("")];
}

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

/** Joins consecutive slots with equal state. */
function joinSlots(bar: string): Stretch[] {
  const stretches: Stretch[] = [];
  for (const [slot, letter] of [...bar].entries()) {
    const last = stretches.at(-1);
    if (last?.state === stateOf(letter)) last.to = slot + 1;
    else stretches.push({ state: stateOf(letter), from: slot, to: slot + 1 });
  }
  return stretches;
}

/** Describes the state bar for screen readers: "failing for 1 h, degraded for 0.5 h". */
function describeBar(bar: string): string {
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

/**
 * Shows 24 hours in half-hour slots. The colour and height of a slot show its state, and a tooltip
 * names the state.
 */
function DayBar({ bar, from }: DayBarProps) {
  const startMs = new Date(from).getTime();
  const clockAt = (slot: number) => formatClock(startMs + slot * slotMs);
  return (
    <svg
      className={dayBarStyles.bar}
      viewBox="0 0 144 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`Last 24 hours: ${describeBar(bar)}`}
    >
      {joinSlots(bar).map(({ state, from: first, to }) => (
        <g key={first} data-state={state}>
          <title>{`${clockAt(first)} – ${clockAt(to)}: ${stateWords[state]}`}</title>
          <path className={dayBarStyles.slots} d={drawSlots(state, first, to)} />
          <rect
            className={dayBarStyles.reach}
            x={first * 3}
            y={0}
            width={(to - first) * 3}
            height={20}
          />
        </g>
      ))}
    </svg>
  );
}

/** Height of a slot. Worse states are taller, so that not only the colour differs. */
const heights = { passing: 12, degraded: 16, failing: 20, unknown: 3 } as const;

function drawSlots(state: Stretch["state"], first: number, to: number): string {
  const height = heights[state];
  let path = "";
  for (let slot = first; slot < to; slot += 1) {
    path += `M${slot * 3} ${20 - height}h2.2v${height}h-2.2z`;
  }
  return path;
}

export interface RowProps {
  readonly check: CheckOverview;
  readonly barFrom: string;
  readonly shown: readonly Column[];
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly isBeingDeleted: boolean;
  readonly maySelect: boolean;
  readonly onSelect: (isRange: boolean) => void;
}

const maxTags = 2;

function TagList({ tags }: { readonly tags: readonly string[] }) {
  const more = tags.slice(maxTags);
  return (
    <>
      {tags.slice(0, maxTags).map((tag) => (
        <span className={styles.tag} key={tag} title={tag}>
          <bdi>{tag}</bdi>
        </span>
      ))}
      {more.length > 0 && (
        <span className={styles.more} title={more.join(", ")}>
          +{more.length}
        </span>
      )}
    </>
  );
}

function Availability({ check }: { readonly check: CheckOverview }) {
  if (check.availability !== null && !check.hasEnoughData) {
    return (
      <span className={textStyles.muted} title={words.tooNewHint}>
        {words.tooNew}
      </span>
    );
  }
  return formatPercent(check.availability);
}

/** Shows the state, name and target of a check at every screen width. */
function NameCell({ check, isOpen }: { readonly check: CheckOverview; readonly isOpen: boolean }) {
  const { name, target, state, since, reason, muted } = check;
  const [head, tail] = splitName(name);
  const hasProblem = state === "failing" || state === "degraded";
  const detail = hasProblem && reason ? reason : target;
  return (
    <td className={styles.name}>
      <Link
        to="/checks/$checkId"
        params={{ checkId: check.checkId }}
        className={`${styles.link} ${textStyles.plain}`}
        aria-current={isOpen ? "page" : undefined}
        data-check={check.checkId}
        aria-label={name}
        title={tail === "" ? undefined : name}
      >
        <bdi>
          <span className={styles.nameHead}>{head}</span>
          {tail !== "" && <span className={styles.nameTail}>{tail}</span>}
        </bdi>
      </Link>
      {muted && (
        <span className={styles.muted} title={words.muted}>
          <MuteIcon size={14} />
          <span className="unseen">{words.muted}</span>
        </span>
      )}
      {hasProblem && since !== null && (
        <span className={styles.since} data-state={state} title={reason ?? undefined}>
          <Lasting since={since} />
        </span>
      )}
      {detail !== name && (
        <span className={`${styles.target} ${textStyles.muted} ${textStyles.clip}`} title={detail}>
          <bdi>{detail}</bdi>
        </span>
      )}
    </td>
  );
}

function ColumnCell(props: RowProps & { readonly column: Column }) {
  const { check, column, barFrom } = props;
  switch (column) {
    case "kind":
      return nameKind(check.checkType);
    case "group":
      return check.groupName === null ? null : <bdi>{check.groupName}</bdi>;
    case "tags":
      return <TagList tags={check.tags} />;
    case "bar":
      return <DayBar bar={check.bar} from={barFrom} />;
    case "availability":
      return <Availability check={check} />;
    case "p95":
      return formatMs(check.p95);
    case "lastRun":
      return check.lastRunAt === null ? (
        <span className={textStyles.muted}>{words.never}</span>
      ) : (
        <Ago at={check.lastRunAt} />
      );
  }
}

export function CheckRow(props: RowProps) {
  const { check, shown, isOpen, isSelected, maySelect, onSelect } = props;
  return (
    <>
      {maySelect && (
        <td className={styles.pick}>
          <input
            type="checkbox"
            aria-label={words.select(check.name)}
            checked={isSelected}
            onChange={() => {}}
            onClick={(event) => onSelect(event.shiftKey)}
          />
        </td>
      )}
      <td className={styles.state}>
        <StateMark state={check.state} />
      </td>
      <NameCell check={check} isOpen={isOpen} />
      {shown.map((column) => (
        <td className={styles[column]} key={column}>
          <ColumnCell {...props} column={column} />
        </td>
      ))}
    </>
  );
}
