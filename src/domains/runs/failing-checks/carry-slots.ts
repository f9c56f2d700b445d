import type { Verdict } from "../../../kinds/verdict.ts";

interface Carried {
  /** The worst run in each slot, oldest first; `null` if nothing ran. */
  readonly slots: readonly (Verdict | null)[];
  readonly slotMs: number;
  readonly fromMs: number;
  /** Time between two runs of the check. */
  readonly periodMs: number;
  readonly status: Verdict;
  readonly since: Date;
}

/**
 * Fills the slots between two runs with the verdict of the earlier run, which holds until the next
 * run is due. Otherwise a ten-minute check that always fails would look intermittent. A slot stays
 * empty if a run was due but missing.
 */
export function carrySlots(carried: Carried): (Verdict | null)[] {
  const { slots, slotMs, fromMs, periodMs, status, since } = carried;
  // A run may start slightly late and fall into the next slot.
  const reach = periodMs > slotMs ? Math.ceil(periodMs / slotMs) : 0;
  const first = slots.findIndex((slot) => slot !== null);
  const runsBefore = (place: number) => slots.slice(Math.max(0, place - reach), place);
  const holdsSince = (place: number) => fromMs + (place + 1) * slotMs > since.getTime();
  return slots.map((slot, place) => {
    if (slot !== null) return slot;
    const earlier = runsBefore(place).findLast((one) => one !== null);
    if (earlier !== undefined) return earlier;
    // The run that this slot belongs to is older than the first slot.
    const isBeforeFirst = place <= (first === -1 ? slots.length : first) && place < reach;
    return isBeforeFirst && holdsSince(place) ? status : null;
  });
}
