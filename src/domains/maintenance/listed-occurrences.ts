import type { Database } from "../../platform/database.ts";
import { listOccurrences } from "./maintenance-spans.ts";
import { maxWindows } from "./planned-window.ts";
import { listWindows } from "./store.ts";

/** One occurrence of a window. */
export interface MaintenanceOccurrence {
  readonly id: number;
  readonly name: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** Maximum number of occurrences per window and period; no screen shows more. */
const maxOccurrences = 50;

/** Lists every occurrence that overlaps a period, ordered by start. */
export async function listMaintenanceOccurrences(
  db: Database,
  accountId: string,
  span: { readonly fromMs: number; readonly toMs: number },
): Promise<MaintenanceOccurrence[]> {
  const { windows } = await listWindows(db, accountId, { limit: maxWindows, page: 1 });
  return windows
    .flatMap(({ id, name, schedule }) =>
      listOccurrences(schedule, { ...span, limit: maxOccurrences }).map((one) => ({
        id,
        name,
        ...one,
      })),
    )
    .sort((one, other) => one.startsAtMs - other.startsAtMs);
}
