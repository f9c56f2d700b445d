import { type Generated, sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import type { Service } from "../status-page.ts";
import { type Follow, type FollowingService, type Follows, toFollows } from "./follows.ts";

export interface ServiceRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date | null;
}

type ServiceTables = {
  services: {
    id: string;
    account_id: string;
    name: string;
    version: Generated<number>;
    created_at: Date;
    updated_at: Date | null;
  };
};

const tables = (db: Database) => db.withTables<ServiceTables>();
const columns = ["id", "account_id", "name", "version", "created_at", "updated_at"] as const;

export function toService(row: ServiceRow): Service {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export async function insertService(
  db: Database,
  accountId: string,
  service: Pick<Service, "id" | "name" | "createdAt">,
): Promise<void> {
  await tables(db)
    .insertInto("services")
    .values({
      id: service.id,
      account_id: accountId,
      name: service.name,
      created_at: service.createdAt,
      updated_at: null,
    })
    .execute();
}

const selectService = (db: Database, accountId: string, id: string) =>
  tables(db)
    .selectFrom("services")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "=", id);

export async function findService(
  db: Database,
  accountId: string,
  id: string,
): Promise<Service | null> {
  const row = await selectService(db, accountId, id).executeTakeFirst();
  return row === undefined ? null : toService(row);
}

/** Locks the service until the transaction ends. */
export async function lockService(
  db: Database,
  accountId: string,
  id: string,
): Promise<Service | null> {
  const row = await selectService(db, accountId, id).forUpdate().executeTakeFirst();
  return row === undefined ? null : toService(row);
}

export interface ServicesQuery {
  readonly limit: number;
  readonly nextId?: string | undefined;
}

export async function listServices(
  db: Database,
  accountId: string,
  query: ServicesQuery,
): Promise<Service[]> {
  let select = tables(db)
    .selectFrom("services")
    .select(columns)
    .where("account_id", "=", accountId)
    .orderBy("id")
    .limit(query.limit);
  if (query.nextId !== undefined) select = select.where("id", ">=", query.nextId);
  return (await select.execute()).map(toService);
}

/** Lists the given services that belong to the account, unordered. */
export async function listServicesByIds(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Service[]> {
  if (ids.length === 0) return [];
  const rows = await tables(db)
    .selectFrom("services")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "in", [...ids])
    .execute();
  return rows.map(toService);
}

export async function countServices(db: Database, accountId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("services")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function updateService(
  db: Database,
  accountId: string,
  service: Service,
): Promise<void> {
  await tables(db)
    .updateTable("services")
    .set({ name: service.name, version: service.version, updated_at: service.updatedAt })
    .where("account_id", "=", accountId)
    .where("id", "=", service.id)
    .execute();
}

export async function deleteService(db: Database, accountId: string, id: string): Promise<void> {
  await tables(db)
    .deleteFrom("services")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .execute();
}

/** Maps services to their follows; a service that follows nothing is absent. */
export async function mapFollows(
  db: Database,
  accountId: string,
  serviceIds: readonly string[],
): Promise<Map<string, Follow[]>> {
  if (serviceIds.length === 0) return new Map();
  const { rows } = await sql<Follow>`select service_id as "serviceId", check_id as "checkId", tag,
      since from service_follows
    where account_id = ${accountId} and service_id = any(${[...serviceIds]}::uuid[])`.execute(db);
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

/** Replaces follows; existing ones keep the time they started. */
export async function replaceFollows(
  db: Database,
  accountId: string,
  change: { readonly serviceId: string; readonly follows: Follows; readonly at: Date },
): Promise<void> {
  const { serviceId, at } = change;
  const checkIds = [...change.follows.checkIds];
  const tags = [...change.follows.tags];
  await sql`delete from service_follows
    where account_id = ${accountId} and service_id = ${serviceId}
      and not coalesce(check_id = any(${checkIds}::uuid[]), tag = any(${tags}::text[]))`.execute(
    db,
  );
  await sql`insert into service_follows (service_id, account_id, check_id, tag, since)
    select ${serviceId}::uuid, ${accountId}::uuid, check_id, tag, ${at}::timestamptz
    from (
      select check_id, null::text as tag from unnest(${checkIds}::uuid[]) as check_id
      union all
      select null::uuid, tag from unnest(${tags}::text[]) as tag
    ) as requested
    on conflict do nothing`.execute(db);
}

/** Lists the services that follow a check, by its id or one of its tags. */
export async function listServicesThatFollow(
  db: Database,
  accountId: string,
  check: { readonly checkId: string; readonly tags: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select distinct service_id as id from service_follows
    where account_id = ${accountId}
      and (check_id = ${check.checkId} or tag = any(${[...check.tags]}::text[]))`.execute(db);
  return rows.map(({ id }) => id);
}
