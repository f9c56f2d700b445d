import type { Verdict } from "../../../kinds/verdict.ts";
import type { SlotChanges } from "../state-change-store.ts";

/** The last day in half hours, including the current one. */
export const slotCount = 48;
export const slotMs = 1_800_000;

/** Severity ranks: a slot shows the worst status in it. */
const ranks: Readonly<Record<Verdict, number>> = {
  unknown: 0,
  passing: 1,
  degraded: 2,
  failing: 3,
};

function findWorst(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce((worst, one) => (ranks[one] > ranks[worst] ? one : worst), "unknown");
}

/** Returns when the first slot begins. */
export function findBarStart(nowMs: number): number {
  return (Math.floor(nowMs / slotMs) + 1 - slotCount) * slotMs;
}

/**
 * Returns the worst status of each slot, oldest first. Works backwards from the current status:
 * each slot starts with the status before its first change.
 */
export function drawStates(current: Verdict, changes: readonly SlotChanges[]): Verdict[] {
  const bySlot = new Map(changes.map((change) => [change.slot, change]));
  const states: Verdict[] = [];
  let state = current;
  for (let slot = slotCount - 1; slot >= 0; slot -= 1) {
    const change = bySlot.get(slot);
    states.push(change === undefined ? state : findWorst(change.seen));
    state = change?.first ?? state;
  }
  return states.reverse();
}
