import { type Database, runSql } from "../../../platform/database.ts";
import type { Service } from "../status-page.ts";
import { type Follow, type FollowingService, type Follows, toFollows } from "./schema.ts";

const columns = `id, account_id as "accountId", name, version, created_at as "createdAt",
  updated_at as "updatedAt"`;

export async function insertService(
  db: Database,
  accountId: string,
  service: Pick<Service, "id" | "name" | "createdAt">,
): Promise<void> {
  const text = "insert into services (id, account_id, name, created_at) values ($1, $2, $3, $4)";
  await runSql(db, text, [service.id, accountId, service.name, service.createdAt]);
}

const selectService = `select ${columns} from services where account_id = $1 and id = $2`;

export async function findService(
  db: Database,
  accountId: string,
  id: string,
): Promise<Service | null> {
  const [row] = await runSql<Service>(db, selectService, [accountId, id]);
  return row ?? null;
}

/** Locks the service until the transaction ends. */
export async function lockService(
  db: Database,
  accountId: string,
  id: string,
): Promise<Service | null> {
  const [row] = await runSql<Service>(db, `${selectService} for update`, [accountId, id]);
  return row ?? null;
}

export interface ServicesQuery {
  readonly limit: number;
  readonly nextId?: string | undefined;
}

export function listServices(
  db: Database,
  accountId: string,
  query: ServicesQuery,
): Promise<Service[]> {
  return runSql(
    db,
    `select ${columns} from services where account_id = $1 and ($2::uuid is null or id >= $2)
      order by id limit $3`,
    [accountId, query.nextId, query.limit],
  );
}

/** Lists the given services that belong to the account, in any order. */
export async function listServicesByIds(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Service[]> {
  if (ids.length === 0) return [];
  const text = `select ${columns} from services where account_id = $1 and id = any($2::uuid[])`;
  return runSql(db, text, [accountId, ids]);
}

export async function countServices(db: Database, accountId: string): Promise<number> {
  const text = "select count(*) as count from services where account_id = $1";
  const [row] = await runSql<{ count: number }>(db, text, [accountId]);
  return row?.count ?? 0;
}

/** Lists the given services of the account, locked against deletion by the transaction. */
export async function holdServices(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await runSql<{ id: string }>(
    db,
    `select id from services where account_id = $1 and id = any($2::uuid[])
      order by id for key share`,
    [accountId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

export async function updateService(
  db: Database,
  accountId: string,
  { id, name, version, updatedAt }: Service,
): Promise<void> {
  await runSql(
    db,
    `update services set name = $3, version = $4, updated_at = $5
      where account_id = $1 and id = $2`,
    [accountId, id, name, version, updatedAt],
  );
}

export async function renameService(
  db: Database,
  accountId: string,
  { id, name, at }: { readonly id: string; readonly name: string; readonly at: Date },
): Promise<void> {
  const text = `update services set name = $3, version = version + 1, updated_at = $4
    where account_id = $1 and id = $2`;
  await runSql(db, text, [accountId, id, name, at]);
}

export async function deleteService(db: Database, accountId: string, id: string): Promise<void> {
  await runSql(db, "delete from services where account_id = $1 and id = $2", [accountId, id]);
}

/** Maps service ids to follows; a service that follows nothing is not in the map. */
export async function mapFollows(
  db: Database,
  accountId: string,
  serviceIds: readonly string[],
): Promise<Map<string, Follow[]>> {
  if (serviceIds.length === 0) return new Map();
  const rows = await runSql<Follow>(
    db,
    `select service_id as "serviceId", check_id as "checkId", tag, since from service_follows
      where account_id = $1 and service_id = any($2::uuid[])`,
    [accountId, serviceIds],
  );
  return Map.groupBy(rows, ({ serviceId }) => serviceId);
}

export async function addFollows(
  db: Database,
  accountId: string,
  services: readonly Service[],
): Promise<FollowingService[]> {
  const ids = services.map(({ id }) => id);
  const follows = await mapFollows(db, accountId, ids);
  return services.map((service) => ({
    ...service,
    follows: toFollows(follows.get(service.id) ?? []),
  }));
}

/** Replaces the follows of a service; follows that stay keep their start time. */
export async function replaceFollows(
  db: Database,
  accountId: string,
  change: { readonly serviceId: string; readonly follows: Follows; readonly at: Date },
): Promise<void> {
  const { serviceId, at } = change;
  const checkIds = [...change.follows.checkIds];
  const tags = [...change.follows.tags];
  await runSql(
    db,
    `delete from service_follows
      where account_id = $1 and service_id = $2
        and not coalesce(check_id = any($3::uuid[]), tag = any($4::text[]))`,
    [accountId, serviceId, checkIds, tags],
  );
  await runSql(
    db,
    `insert into service_follows (service_id, account_id, check_id, tag, since)
      select $1::uuid, $2::uuid, check_id, tag, $3::timestamptz
      from (
        select check_id, null::text as tag from unnest($4::uuid[]) as check_id
        union all
        select null::uuid, tag from unnest($5::text[]) as tag
      ) as requested on conflict do nothing`,
    [serviceId, accountId, at, checkIds, tags],
  );
}

/** Lists the services that follow a check, either by the id of the check or by one of its tags. */
export async function listServicesThatFollow(
  db: Database,
  accountId: string,
  check: { readonly checkId: string; readonly tags: readonly string[] },
): Promise<string[]> {
  const rows = await runSql<{ id: string }>(
    db,
    `select distinct service_id as id from service_follows
      where account_id = $1 and (check_id = $2 or tag = any($3::text[]))`,
    [accountId, check.checkId, check.tags],
  );
  return rows.map(({ id }) => id);
}

/**
 * Moves the creation time of services, and the time since which they follow checks, to an earlier
 * time. Used after an import, whose history may be older than the services.
 */
export async function backdateServices(
  db: Database,
  accountId: string,
  services: readonly { readonly id: string; readonly from: Date }[],
): Promise<void> {
  const values = [accountId, services.map(({ id }) => id), services.map(({ from }) => from)];
  const earlier = "unnest($2::uuid[], $3::timestamptz[]) as earlier (id, starts_at)";
  await runSql(
    db,
    `update services set created_at = least(created_at, starts_at) from ${earlier}
      where account_id = $1 and services.id = earlier.id`,
    values,
  );
  await runSql(
    db,
    `update service_follows set since = least(since, starts_at) from ${earlier}
      where account_id = $1 and service_id = earlier.id`,
    values,
  );
}
