import type { QueuePoint } from "./queue-store.ts";

const minuteMs = 60_000;
const maxPoints = 360;

export interface Slots {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly count: number;
}

/** Uses whole minutes, and at most as many slots as a chart can show. */
export function planSlots(fromMs: number, toMs: number): Slots {
  const startMs = Math.floor(fromMs / minuteMs) * minuteMs;
  const minutes = Math.max(1, Math.ceil((toMs - startMs) / minuteMs));
  const stepMinutes = Math.ceil(minutes / maxPoints);
  const count = Math.ceil(minutes / stepMinutes);
  return { fromMs: startMs, stepMs: stepMinutes * minuteMs, count };
}

/** In a slot without a sample the queue was empty. */
export function fillSlots({ fromMs, stepMs, count }: Slots, points: readonly QueuePoint[]) {
  const bySlot = new Map(points.map((point) => [point.slot, point]));
  const slots = Array.from({ length: count }, (_, slot) => slot);
  return {
    timestamps: slots.map((slot) => new Date(fromMs + slot * stepMs)),
    queueSize: slots.map((slot) => bySlot.get(slot)?.size ?? 0),
    oldestScheduledCheckRun: slots.map((slot) => bySlot.get(slot)?.oldestSeconds ?? 0),
  };
}
