import { type Database, runSql } from "../../../platform/database.ts";

/** A private location that is monitored for silence. */
export interface WatchedLocation {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly slugName: string;
  /** When a trusted probe was last alive there; `null` if never. */
  readonly servedAt: Date | null;
  /** When an alert about its silence was sent; `null` if none is active. */
  readonly outageReportedAt: Date | null;
}

const columns = `id, account_id as "accountId", name, slug_name as "slugName",
  served_at as "servedAt", silence_told_at as "outageReportedAt"`;

export function listWatchedLocations(db: Database): Promise<WatchedLocation[]> {
  return runSql(db, `select ${columns} from private_locations order by id`);
}

/** Returns `null` if another server is processing it, or if it was deleted. */
export async function lockWatchedLocation(
  db: Database,
  id: string,
): Promise<WatchedLocation | null> {
  const text = `select ${columns} from private_locations where id = $1 for update skip locked`;
  const [row] = await runSql<WatchedLocation>(db, text, [id]);
  return row ?? null;
}

export async function noteServed(db: Database, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  const text = "update private_locations set served_at = $2 where id = any($1::uuid[])";
  await runSql(db, text, [ids, at]);
}

/** `null` if it is served again. */
export async function saveReportedOutage(db: Database, id: string, at: Date | null): Promise<void> {
  await runSql(db, "update private_locations set silence_told_at = $2 where id = $1", [id, at]);
}

/** Returns the slugs of an account's locations with an active silence alert. */
export async function mapSilentSlugs(
  db: Database,
  accountIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const rows = await runSql<{ accountId: string; slug: string }>(
    db,
    `select account_id as "accountId", slug_name as slug from private_locations
      where account_id = any($1::uuid[]) and silence_told_at is not null`,
    [accountIds],
  );
  const silent = new Map<string, Set<string>>();
  for (const { accountId, slug } of rows) {
    silent.set(accountId, (silent.get(accountId) ?? new Set()).add(slug));
  }
  return silent;
}
