import type { Verdict } from "../../../kinds/verdict.ts";
import { type Database, runPrepared } from "../../../platform/database.ts";

/** Status changes of one check within one time slot. */
export interface SlotChanges {
  /** Index of the check in the requested list. */
  readonly place: number;
  readonly slot: number;
  /** The status before the first change in the slot. */
  readonly first: Verdict;
  /** Every status in the slot, including the first. */
  readonly seen: readonly Verdict[];
}

/** Returns a row for each check and slot with a change. */
export function listSlotChanges(
  db: Database,
  checkIds: readonly string[],
  { fromMs, slotMs }: { readonly fromMs: number; readonly slotMs: number },
): Promise<SlotChanges[]> {
  return runPrepared<SlotChanges>(db, {
    name: "list-slot-changes",
    text: `select place::int, slot, first, seen
      from unnest($1::uuid[]) with ordinality as requested (check_id, place)
      cross join lateral (
        select
          floor((extract(epoch from at)::float8 * 1000 - $2::float8) / $3::float8)::int as slot,
          (array_agg(from_status order by id))[1] as first,
          array_agg(distinct from_status) || array_agg(distinct to_status) as seen
        from state_changes
        where state_changes.check_id = requested.check_id and at >= to_timestamp($2::float8 / 1000)
        group by 1
      ) as found`,
    values: [checkIds, fromMs, slotMs],
  });
}
