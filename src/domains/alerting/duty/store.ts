import { type Database, runPrepared } from "../../../platform/database.ts";

/** Pages are counted by times of this length, because offsets of time zones are multiples of it. */
const binMs = 15 * 60_000;
/** With more, the newest are counted by day and night. */
const maxBins = 100_000;

interface PersonPages {
  readonly userId: string;
  readonly pages: number;
  readonly acknowledged: number;
  readonly medianSeconds: number | null;
  /** Start of a quarter of an hour, and the pages in it. */
  readonly bins: readonly (readonly [atMs: number, count: number])[];
}

/** SQL: one row per page of a member; the messages of a digest are one page. */
const pageRows = `select d.user_id, d.page_id, min(coalesce(d.sent_at, d.decided_at)) as paged_at,
    min(k.at) filter (where k.at >= coalesce(d.sent_at, d.decided_at)) as acknowledged_at
  from deliveries d
  left join alerts a on a.id = d.alert_id
  left join alert_acknowledgements k
    on k.check_id = a.check_id and k.alert_number = a.alert_number
  where d.account_id = $1 and d.decided_at >= $2 and d.decided_at < $3
    and d.page_id is not null and d.method_id is null and d.user_id is not null
  group by d.user_id, d.page_id`;

/** Counts the pages of each member that were decided during a range. */
export async function countPages(
  db: Database,
  accountId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<PersonPages[]> {
  return runPrepared(db, {
    name: "count-pages-of-members",
    text: `with pages as materialized (${pageRows}),
      people as (select user_id, count(*)::int as pages,
          count(acknowledged_at)::int as acknowledged,
          percentile_cont(0.5) within group (
            order by extract(epoch from acknowledged_at - paged_at)) as median
        from pages group by user_id),
      bins as (select user_id, floor(extract(epoch from paged_at) * 1000 / $4::int8)::int8 as bin,
          count(*)::int as count
        from pages group by 1, 2 order by 2 desc limit $5)
      select p.user_id as "userId", p.pages, p.acknowledged, p.median::float8 as "medianSeconds",
        (select coalesce(jsonb_agg(jsonb_build_array(b.bin * $4::int8, b.count)), '[]')
          from bins b where b.user_id = p.user_id) as bins
      from people p`,
    values: [accountId, from, to, binMs, maxBins],
  });
}
