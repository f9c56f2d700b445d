import { formatCount } from "../../../parts/figures.ts";
import { Stack } from "../../../parts/layout.tsx";
import { StateMark } from "../../../parts/state-mark.tsx";
import { formatDateTime } from "../../../parts/time.tsx";
import { nameFields } from "../../field-words.ts";
import type { Slot, Timeline } from "../queries.ts";
import { alertWords, words } from "../words.ts";
import styles from "./chart.module.css";
import { boundSlot, formatLoss, formatValue, type Limits, type Unit } from "./chart-data.ts";

interface SlotTipProps {
  readonly slot: Slot;
  /** Index of the time slot in the series. */
  readonly place: number;
  readonly model: {
    readonly slotSeconds: number;
    readonly unit: Unit;
    readonly limits: Limits;
    /** P50 of the previous period for each time slot of the chart. */
    readonly before: readonly (number | null)[];
    readonly timeline: Timeline | null;
  };
  readonly leftPx: number;
}

/** Returns a short text for each event within a slot, such as an incident or a deployment. */
function listMarks(timeline: Timeline | null, fromMs: number, toMs: number): string[] {
  if (timeline === null) return [];
  const isIn = (at: string) => Date.parse(at) >= fromMs && Date.parse(at) < toMs;
  const overlaps = (from: string, to: string | null) =>
    Date.parse(from) < toMs && (to === null || Date.parse(to) > fromMs);
  return [
    ...timeline.incidents
      .filter(({ from, to }) => overlaps(from, to))
      .map(({ name }) => `${words.marks.incident}: ${name}`),
    ...timeline.maintenance
      .filter(({ from, to }) => overlaps(from, to))
      .map(({ name }) => `${words.marks.maintenance}: ${name}`),
    ...timeline.alerts
      .filter(({ at }) => isIn(at))
      .map(({ alertType }) => alertWords[alertType] ?? alertType),
    ...timeline.annotations
      .filter(({ at }) => isIn(at))
      .map(({ type, text }) => `${words.marks[type === "NOTE" ? "note" : "deployment"]}: ${text}`),
    ...timeline.edits
      .filter(({ at }) => isIn(at))
      .map(({ by, fields }) =>
        [`${words.chart.legend.edit}: ${by}`, nameFields(fields)].filter(Boolean).join(", "),
      ),
  ].slice(0, 4);
}

/** Shows the values of the time slot under the pointer. */
export function SlotTip({ slot, place, model, leftPx }: SlotTipProps) {
  const { unit, slotSeconds, timeline, limits } = model;
  const fromMs = boundSlot(slot, slotSeconds, limits).fromSecond * 1_000;
  const toMs = Date.parse(slot.at) + slotSeconds * 1_000;
  const before = model.before[place] ?? null;
  const { legend } = words.chart;
  return (
    <Stack
      gap={1}
      className={styles.tip}
      ref={(element) => {
        if (element === null) return;
        const room = element.parentElement?.clientWidth ?? 0;
        const isLeft = leftPx > room / 2;
        element.style.left = isLeft ? "auto" : `${leftPx + 12}px`;
        element.style.right = isLeft ? `${room - leftPx + 12}px` : "auto";
      }}
    >
      <strong>{formatDateTime(fromMs)}</strong>
      {slot.state && <StateMark state={slot.state} hasWord />}
      <dl>
        <dt>{legend.p50}</dt>
        <dd>{formatValue(slot.p50, unit)}</dd>
        {before !== null && (
          <>
            <dt>{legend.before}</dt>
            <dd>{formatValue(before, unit)}</dd>
          </>
        )}
        <dt>{legend.p95}</dt>
        <dd>{formatValue(slot.p95, unit)}</dd>
        <dt>{legend.p99}</dt>
        <dd>{formatValue(slot.p99, unit)}</dd>
        <dt>{legend.band}</dt>
        <dd>
          {formatValue(slot.min, unit)} – {formatValue(slot.max, unit)}
        </dd>
        <dt>{words.chart.runs}</dt>
        <dd>{formatCount(slot.runs)}</dd>
        <dt>{words.chart.failing}</dt>
        <dd>{formatCount(slot.failing)}</dd>
        {slot.loss !== null && (
          <>
            <dt>{words.chart.lossColumn}</dt>
            <dd>{formatLoss(slot.loss)}</dd>
          </>
        )}
      </dl>
      {listMarks(timeline, fromMs, toMs).map((text) => (
        <span key={text}>{text}</span>
      ))}
    </Stack>
  );
}
