import { type Database, runSql } from "../../../platform/database.ts";

/** A private location as it is watched for silence. */
export interface WatchedLocation {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly slugName: string;
  /** When a trusted probe was last alive there; null: never. */
  readonly servedAt: Date | null;
  /** Since when its silence has been told; null: it has not. */
  readonly silenceToldAt: Date | null;
}

const columns = `id, account_id as "accountId", name, slug_name as "slugName",
  served_at as "servedAt", silence_told_at as "silenceToldAt"`;

export function listWatchedLocations(db: Database): Promise<WatchedLocation[]> {
  return runSql(db, `select ${columns} from private_locations order by id`);
}

/** Null when another server is deciding on it, or when it is gone. */
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

/** Null: it is served again. */
export async function saveToldSilence(db: Database, id: string, at: Date | null): Promise<void> {
  await runSql(db, "update private_locations set silence_told_at = $2 where id = $1", [id, at]);
}

/** The slugs of an account's locations whose silence has been told. */
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
