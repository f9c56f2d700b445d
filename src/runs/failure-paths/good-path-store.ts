/** Stores the last good path of each check and location, traced while the check was passing. */
import type { Path } from "../../kinds/kit/paths/path.ts";
import { type Database, runSql } from "../../platform/database.ts";

/** A check with one of its locations. */
export interface CheckPlace {
  readonly checkId: string;
  readonly location: string;
}

/**
 * Claims locations of checks whose path was not traced since `before`, in the order of check ids.
 * Servers that claim concurrently receive different locations.
 */
export function claimGoodPaths(
  db: Database,
  places: readonly CheckPlace[],
  claim: {
    readonly now: Date;
    readonly before: Date;
    /** Used instead of `before` for locations without a stored path. */
    readonly unknownBefore: Date;
    readonly limit: number;
  },
): Promise<CheckPlace[]> {
  return runSql(
    db,
    `insert into good_paths as good (check_id, location, tried_at)
      select check_id, location, $3
        from unnest($1::uuid[], $2::text[]) as place (check_id, location)
        left join good_paths using (check_id, location)
        where tried_at is null
          or tried_at < case when path is null then $6::timestamptz else $4::timestamptz end
        order by check_id limit $5
      on conflict (check_id, location) do update set tried_at = excluded.tried_at
        where good.tried_at
          < case when good.path is null then $6::timestamptz else $4::timestamptz end
      returning check_id as "checkId", location`,
    [
      places.map(({ checkId }) => checkId),
      places.map(({ location }) => location),
      claim.now,
      claim.before,
      claim.limit,
      claim.unknownBefore,
    ],
  );
}

export async function saveGoodPath(
  db: Database,
  { checkId, location }: CheckPlace,
  learned: { readonly path: Path; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `update good_paths set path = $3, learned_at = $4 where check_id = $1 and location = $2`,
    [checkId, location, JSON.stringify(learned.path), learned.at],
  );
}

interface GoodPathRow extends CheckPlace {
  readonly path: Path;
  readonly learnedAt: Date;
}

/** Lists the good paths of the given checks from all their locations. */
export function listGoodPaths(db: Database, checkIds: readonly string[]): Promise<GoodPathRow[]> {
  return runSql(
    db,
    `select check_id as "checkId", location, path, learned_at as "learnedAt" from good_paths
      where check_id = any($1::uuid[]) and path is not null order by check_id, location limit 10000`,
    [checkIds],
  );
}

/** Hops on the good paths of passing checks. */
interface UsedHops {
  /** Number of passing checks whose good paths were searched. */
  readonly checkCount: number;
  /** The requested addresses that are hops on these good paths. */
  readonly addresses: readonly string[];
}

/** Finds which of the given addresses are hops on the most recent good paths of passing checks. */
export async function findUsedHops(
  db: Database,
  accountId: string,
  query: { readonly addresses: readonly string[]; readonly limit: number },
): Promise<UsedHops> {
  const rows = await runSql<UsedHops>(
    db,
    `with known as materialized (
        select check_id, path from good_paths join checks_with_period on id = check_id
        where account_id = $1 and status = 'passing' and path is not null
        order by learned_at desc limit $3)
      select (select count(distinct check_id)::int from known) as "checkCount",
        array(select distinct hop ->> 'address' from known
            cross join lateral jsonb_array_elements(path -> 'hops') as hop
          where hop ->> 'address' = any($2::text[])) as addresses`,
    [accountId, query.addresses, query.limit],
  );
  return rows[0] ?? { checkCount: 0, addresses: [] };
}
