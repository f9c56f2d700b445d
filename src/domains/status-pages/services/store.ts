import type { Generated } from "kysely";
import type { Database } from "../../../platform/database.ts";
import type { Service } from "../status-page.ts";

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
