import { type Database, runPrepared } from "../../../platform/database.ts";
import { checkRows } from "../../checks/index.ts";

/** Statistics of one location from the newest runs of an account's checks. */
export interface PlaceRecord {
  readonly region: string;
  /** Checks with a result from this location. */
  readonly checkCount: number;
  /** Checks that also have a result from another location. */
  readonly sharedCount: number;
  /** Shared checks with the same verdict at most other locations. */
  readonly agreeingCount: number;
  /** Shared checks that fail only at this location. */
  readonly failingOnlyThereCount: number;
  readonly lastResultAt: Date;
}

/** A run without a verdict has no vote. */
export function listPlaceRecords(db: Database, accountId: string): Promise<PlaceRecord[]> {
  return runPrepared<PlaceRecord>(db, {
    name: "list-place-records",
    text: `with votes as (
        select c.id, place.key as region, (place.value -> 'atMs')::float8 as at_ms,
          place.value ->> 'verdict' as verdict
        from ${checkRows} c join check_states s on s.check_id = c.id
          cross join lateral jsonb_each(s.locations) as place
        where c.account_id = $1
      ), compared as (
        select region, at_ms, verdict, count(*) over all_places as places,
          count(*) over same_places as same,
          count(*) filter (where verdict = 'failing') over all_places as failing
        from votes where verdict <> 'unknown'
        window all_places as (partition by id), same_places as (partition by id, verdict)
      )
      select region, count(*)::int as "checkCount",
        (count(*) filter (where places > 1))::int as "sharedCount",
        (count(*) filter (where places > 1 and 2 * (same - 1) >= places - 1))::int
          as "agreeingCount",
        (count(*) filter (where places > 1 and verdict = 'failing' and failing = 1))::int
          as "failingOnlyThereCount",
        to_timestamp(max(at_ms) / 1000) as "lastResultAt"
      from compared group by region order by region limit 1000`,
    values: [accountId],
  });
}
