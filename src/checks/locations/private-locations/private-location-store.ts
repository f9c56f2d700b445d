import { type Database, runSql } from "../../../platform/database.ts";
import { isAlive, type Probe } from "../probe.ts";
import type { ProbeKey } from "../probe-key-store.ts";

/** A location that belongs to one account. Checks refer to it by its slug. */
export interface PrivateLocation {
  readonly id: string;
  readonly name: string;
  readonly slugName: string;
  readonly icon: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** Last time at which the location had a live probe that was not quarantined; `null` if never. */
  readonly servedAt: Date | null;
}

/** A private location with its keys and probes. */
export interface ServedLocation extends PrivateLocation {
  readonly keys: readonly ProbeKey[];
  /** Probes of the location, including silent ones. */
  readonly probes: readonly Probe[];
}

export interface LocationInput {
  readonly name: string;
  readonly slugName: string;
  readonly icon?: string | undefined;
}

export type LocationChange = Omit<LocationInput, "slugName"> & {
  readonly slugName?: string | undefined;
};

export const maxLocationsPerAccount = 100;
export const maxKeysPerLocation = 20;
export const defaultIcon = "location";
/**
 * Pattern of slugs. Excludes names like those of cloud regions, which are reserved for public
 * locations.
 */
export const slugPattern =
  "^(?!(?:us(?:-gov)?|ap|ca|cn|eu|sa|af|me)-(?:central|(?:north|south)?(?:east|west)?)-\\d+)" +
  "[a-zA-Z0-9-]{1,30}$";

type LocationStatus = "no-probe-yet" | "served" | "silent";

/**
 * Returns the status of a location. The status `silent` requires that the location once had a
 * probe.
 */
export function decideLocationStatus(
  { probes, servedAt }: Pick<ServedLocation, "probes" | "servedAt">,
  now: Date,
): LocationStatus {
  if (probes.some((probe) => isAlive(probe, now))) return "served";
  return probes.length === 0 && servedAt === null ? "no-probe-yet" : "silent";
}

interface RunningVersion {
  readonly version: string;
  readonly isOutdated: boolean;
  readonly probes: readonly Probe[];
}

/** Groups the live probes of a location by their version. */
export function groupByVersion(
  probes: readonly Probe[],
  now: Date,
  serverVersion: string,
): RunningVersion[] {
  const alive = probes.filter((probe) => isAlive(probe, now));
  return [...Map.groupBy(alive, ({ version }) => version)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([version, some]) => ({ version, isOutdated: version !== serverVersion, probes: some }));
}

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

/**
 * Lists the private locations of an account. There is no limit, because an account has few of them.
 */
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

/** Returns the slugs that exist in the account, locked against renaming and deletion. */
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

/** Finds a private location and locks its row until the transaction ends. */
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

/** Deletes a private location with its keys. */
export async function deletePrivateLocation(
  db: Database,
  accountId: string,
  id: string,
): Promise<void> {
  const text = "delete from private_locations where account_id = $1 and id = $2";
  await runSql(db, text, [accountId, id]);
}

export interface PrivateRoute {
  /** Id of the location, which is also the route of its orders. */
  readonly id: string;
  readonly accountId: string;
  readonly slugName: string;
}

/** Lists the private locations of all accounts. */
export function listPrivateRoutes(db: Database): Promise<PrivateRoute[]> {
  const text = `select id, account_id as "accountId", slug_name as "slugName"
    from private_locations order by id`;
  return runSql(db, text);
}

/** A private location that is monitored for outages. */
export interface WatchedLocation {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly slugName: string;
  /** Last time at which the location had a live probe that was not quarantined; `null` if never. */
  readonly servedAt: Date | null;
  /** Time of the alert about the current outage; `null` if no outage is reported. */
  readonly outageReportedAt: Date | null;
}

const watchedColumns = `id, account_id as "accountId", name, slug_name as "slugName",
  served_at as "servedAt", silence_told_at as "outageReportedAt"`;

export function listWatchedLocations(db: Database): Promise<WatchedLocation[]> {
  return runSql(db, `select ${watchedColumns} from private_locations order by id`);
}

/** Locks a location. Returns `null` if another server has locked it or it was deleted. */
export async function lockWatchedLocation(
  db: Database,
  id: string,
): Promise<WatchedLocation | null> {
  const text = `select ${watchedColumns} from private_locations where id = $1 for update skip locked`;
  const [row] = await runSql<WatchedLocation>(db, text, [id]);
  return row ?? null;
}

/**
 * Stores that locations are served. Also writes the rows of silent locations without changing them,
 * so that the call fails if the database cannot store heartbeats either.
 */
export async function noteServed(
  db: Database,
  { served, silent }: { readonly served: readonly string[]; readonly silent: readonly string[] },
  at: Date,
): Promise<void> {
  if (served.length + silent.length === 0) return;
  await runSql(
    db,
    `update private_locations
      set served_at = case when id = any($1::uuid[]) then $3 else served_at end
      where id = any($1::uuid[]) or id = any($2::uuid[])`,
    [served, silent, at],
  );
}

/** Stores the time of the outage alert; `null` ends the outage. */
export async function saveReportedOutage(db: Database, id: string, at: Date | null): Promise<void> {
  await runSql(db, "update private_locations set silence_told_at = $2 where id = $1", [id, at]);
}

/** Returns the ids of private locations with a reported outage, by account id and slug. */
export async function mapSilentLocations(
  db: Database,
  accountIds: readonly string[],
): Promise<Map<string, Map<string, string>>> {
  const rows = await runSql<{ id: string; accountId: string; slug: string }>(
    db,
    `select id, account_id as "accountId", slug_name as slug from private_locations
      where account_id = any($1::uuid[]) and silence_told_at is not null`,
    [accountIds],
  );
  const silent = new Map<string, Map<string, string>>();
  for (const { id, accountId, slug } of rows) {
    silent.set(accountId, (silent.get(accountId) ?? new Map()).set(slug, id));
  }
  return silent;
}
