import { invalid, notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import type { LocationsContext } from "../actions.ts";
import { findPrivateLocation } from "../private-locations/store.ts";
import { listQueuePoints, type QueuePoint } from "./queue-store.ts";

const minuteMs = 60_000;
const maxPoints = 360;

interface Slots {
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

export const keptDays = 31;
const dayMs = 86_400_000;

export async function readQueueSeries(
  { db }: LocationsContext,
  { accountId }: Caller,
  { id, fromMs, toMs }: { readonly id: string; readonly fromMs: number; readonly toMs: number },
) {
  if (toMs - fromMs > keptDays * dayMs) {
    throw invalid("to", `must be at most ${keptDays} days after from`, "querystring");
  }
  if ((await findPrivateLocation(db, accountId, id)) === null) throw notFound();
  const slots = planSlots(fromMs, toMs);
  const points = await listQueuePoints(db, id, {
    ...slots,
    toMs: slots.fromMs + slots.count * slots.stepMs,
  });
  return fillSlots(slots, points);
}
