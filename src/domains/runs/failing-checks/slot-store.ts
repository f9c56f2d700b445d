import { type Database, runSql } from "../../../platform/database.ts";
import { idFloor } from "../run-id.ts";

export interface SlotRow {
  /** Index of the check in the requested list, from 1. */
  readonly place: number;
  readonly slot: number;
  /** 0 unknown, 1 passing, 2 degraded, 3 failing. */
  readonly worst: number;
}

/**
 * Returns the worst final run of each check in each time slot. Not a prepared statement, so that it
 * is planned for the requested days.
 */
export function listSlots(
  db: Database,
  checkIds: readonly string[],
  span: { readonly fromMs: number; readonly toMs: number; readonly slotMs: number },
): Promise<SlotRow[]> {
  if (checkIds.length === 0) return Promise.resolve([]);
  return runSql<SlotRow>(
    db,
    `select place::int, found.* from unnest($1::uuid[]) with ordinality as requested (check_id, place)
      cross join lateral (
        select floor((extract(epoch from started_at) * 1000 - $4::float8) / $5::float8)::int
            as slot, max(verdict)::int as worst
        from results as run
        where run.check_id = requested.check_id and id >= $2 and id < $3 and is_final group by 1
      ) as found`,
    [checkIds, idFloor(span.fromMs), idFloor(span.toMs), span.fromMs, span.slotMs],
  );
}
