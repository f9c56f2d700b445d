import { type Database, runSql } from "../../../platform/database.ts";
import type { PrivateLocation } from "./private-location.ts";

const columns = `id, name, slug_name as "slugName", icon, created_at as "createdAt",
  updated_at as "updatedAt", served_at as "servedAt"`;

export async function insertPrivateLocation(
  db: Database,
  accountId: string,
  { id, name, slugName, icon, createdAt }: PrivateLocation,
): Promise<void> {
  await runSql(
    db,
    `insert into private_locations (id, account_id, name, slug_name, icon, created_at)
      values ($1, $2, $3, $4, $5, $6)`,
    [id, accountId, name, slugName, icon, createdAt],
  );
}

/** Unbounded, because an account has few. */
export function listPrivateLocations(db: Database, accountId: string): Promise<PrivateLocation[]> {
  const text = `select ${columns} from private_locations where account_id = $1 order by id`;
  return runSql(db, text, [accountId]);
}

export async function findPrivateLocation(
  db: Database,
  accountId: string,
  id: string,
): Promise<PrivateLocation | null> {
  const text = `select ${columns} from private_locations where account_id = $1 and id = $2`;
  const [row] = await runSql<PrivateLocation>(db, text, [accountId, id]);
  return row ?? null;
}

/** Returns the slugs that exist in the account and locks them against renaming and deletion. */
export async function holdSlugs(
  db: Database,
  accountId: string,
  slugs: readonly string[],
): Promise<Set<string>> {
  if (slugs.length === 0) return new Set();
  const text = `select slug_name as slug from private_locations
    where account_id = $1 and slug_name = any($2::text[]) for key share`;
  const rows = await runSql<{ slug: string }>(db, text, [accountId, slugs]);
  return new Set(rows.map(({ slug }) => slug));
}

/** Locked until the transaction ends. */
export async function findPrivateLocationForUpdate(
  db: Database,
  accountId: string,
  id: string,
): Promise<PrivateLocation | null> {
  const text = `select ${columns} from private_locations where account_id = $1 and id = $2
    for update`;
  const [row] = await runSql<PrivateLocation>(db, text, [accountId, id]);
  return row ?? null;
}

export async function updatePrivateLocation(
  db: Database,
  accountId: string,
  { id, name, slugName, icon, updatedAt }: PrivateLocation,
): Promise<void> {
  await runSql(
    db,
    `update private_locations set name = $3, slug_name = $4, icon = $5, updated_at = $6
      where account_id = $1 and id = $2`,
    [accountId, id, name, slugName, icon, updatedAt],
  );
}

/** Also deletes its keys. */
export async function deletePrivateLocation(
  db: Database,
  accountId: string,
  id: string,
): Promise<void> {
  const text = "delete from private_locations where account_id = $1 and id = $2";
  await runSql(db, text, [accountId, id]);
}

export interface PrivateRoute {
  /** The route of its orders. */
  readonly id: string;
  readonly accountId: string;
  readonly slugName: string;
}

/** Returns the private locations of all accounts, for routing orders. */
export function listPrivateRoutes(db: Database): Promise<PrivateRoute[]> {
  const text = `select id, account_id as "accountId", slug_name as "slugName"
    from private_locations order by id`;
  return runSql(db, text);
}
