import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import type { Service } from "../status-page.ts";
import { type Follow, type FollowingService, type Follows, toFollows } from "./follows.ts";

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
