import { invalid, notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import type { LocationsContext } from "../actions.ts";
import { findPrivateLocation } from "../private-locations/store.ts";
import { fillSlots, planSlots } from "./queue-series.ts";
import { listQueuePoints } from "./queue-store.ts";

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
