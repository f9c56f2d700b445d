import { type Database, runPrepared } from "../../platform/database.ts";
import type { Neighbours } from "./late-result.ts";
import { verdictNames } from "./result-store.ts";
import { idFloor, readDueAtMs } from "./run-id.ts";

export interface LateRun {
  readonly checkId: string;
  readonly dueAtMs: number;
  /** `null` for any location, if locations take turns. */
  readonly location: string | null;
}

interface NeighbourRow {
  readonly before: number | null;
  readonly id: string | null;
  readonly location: string | null;
  readonly verdict: number | null;
}

/** Older runs are not considered neighbours. */
const lookBackMs = 86_400_000;

/**
 * Finds the neighbours of each late run, in order. Runs that are not folded yet are not considered
 * as later neighbours.
 */
export async function findNeighbours(
  db: Database,
  late: readonly LateRun[],
  unfoldedIds: readonly string[],
): Promise<Neighbours[]> {
  if (late.length === 0) return [];
  const rows = await runPrepared<NeighbourRow>(db, {
    name: "find-neighbours-of-late-runs",
    text: `select earlier.verdict as before, later.id, later.location, later.verdict
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) with ordinality
        as late (check_id, oldest_id, first_id, end_id, place, number)
      left join lateral (select verdict from results as one
        where one.check_id = late.check_id and one.id >= oldest_id and one.id < first_id
          and one.is_final and one.verdict <> 0
          and (place is null or one.location = place)
        order by one.id desc limit 1) as earlier on true
      left join lateral (select id, location, verdict from results as one
        where one.check_id = late.check_id and one.id >= end_id
          and one.is_final and one.verdict <> 0 and one.id <> all($6::uuid[])
          and (place is null or one.location = place)
        order by one.id limit 1) as later on true
      order by late.number`,
    values: [
      late.map(({ checkId }) => checkId),
      late.map(({ dueAtMs }) => idFloor(dueAtMs - lookBackMs)),
      late.map(({ dueAtMs }) => idFloor(dueAtMs)),
      late.map(({ dueAtMs }) => idFloor(dueAtMs + 1)),
      late.map(({ location }) => location),
      unfoldedIds,
    ],
  });
  return rows.map(({ before, id, location, verdict }) => ({
    before: before === null ? null : (verdictNames[before] ?? null),
    after:
      id === null || verdict === null
        ? null
        : {
            resultId: id,
            location: location ?? "",
            verdict: verdictNames[verdict] ?? "unknown",
            dueAtMs: readDueAtMs(id),
          },
  }));
}
