/** A storm: alerts to one member that follow each other so closely that they share messages. */
export interface Storm {
  readonly startedAtMs: number;
  /** When the latest messages of the storm are due. */
  readonly slotAtMs: number;
}

/** Times after the start at which messages of a storm are sent; afterwards once a minute. */
const firstSlotsMs = [0, 5_000, 10_000, 15_000, 20_000, 30_000];
const slotMs = 60_000;

/**
 * Decides when a new alert to a member is sent. The first one is sent at once. Alerts that follow
 * are collected until the next time at which the member receives an update. A minute without an
 * alert ends the storm.
 */
export function decideSlot(storm: Storm | null, nowMs: number): Storm {
  const isOver = (one: Storm) => nowMs >= one.slotAtMs + slotMs || nowMs < one.startedAtMs;
  if (storm === null || isOver(storm)) return { startedAtMs: nowMs, slotAtMs: nowMs };
  const { startedAtMs } = storm;
  const elapsedMs = nowMs - startedAtMs;
  const early = firstSlotsMs.find((offsetMs) => offsetMs >= elapsedMs);
  return { startedAtMs, slotAtMs: startedAtMs + (early ?? Math.ceil(elapsedMs / slotMs) * slotMs) };
}
