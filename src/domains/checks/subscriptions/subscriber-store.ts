import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import { containing } from "../../../platform/text/patterns.ts";
import { subscriptionRows } from "../../alert-channels/index.ts";

/** A check or a group and whether it subscribes to a channel. */
export interface PossibleSubscriber {
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly name: string;
  readonly isSubscribed: boolean;
  /** For a check: its group if the group subscribes; `null` otherwise. */
  readonly throughGroup: string | null;
}

export interface SubscriberQuery {
  readonly limit: number;
  readonly page: number;
  readonly search?: string | undefined;
  readonly isSubscribed?: boolean | undefined;
}

const subscriptions = sql.raw(subscriptionRows);

export interface SubscriberIds {
  readonly checkIds: readonly string[];
  readonly groupIds: readonly number[];
}

/** Returns those whose subscription would change, locked against deletion. */
export async function holdSubscribersToChange(
  db: Database,
  accountId: string,
  change: {
    readonly alertChannelId: number;
    readonly activated: boolean;
    readonly search?: string | undefined;
    readonly limit: number;
  },
): Promise<SubscriberIds> {
  const { alertChannelId, activated, search, limit } = change;
  const pattern = search === undefined ? null : containing(search);
  const checks = await sql<{ id: string }>`select c.id from checks c
    where c.account_id = ${accountId} and (${pattern}::text is null or c.name ilike ${pattern})
      and coalesce((select s.activated from ${subscriptions} s where s.check_id = c.id
        and s.alert_channel_id = ${alertChannelId}), false) <> ${activated}
    order by c.id limit ${limit + 1} for key share of c`.execute(db);
  const groups = await sql<{ id: number }>`select g.id from check_groups g
    where g.account_id = ${accountId} and (${pattern}::text is null or g.name ilike ${pattern})
      and coalesce((select s.activated from ${subscriptions} s where s.group_id = g.id
        and s.alert_channel_id = ${alertChannelId}), false) <> ${activated}
    order by g.id limit ${limit + 1} for key share of g`.execute(db);
  return { checkIds: checks.rows.map(({ id }) => id), groupIds: groups.rows.map(({ id }) => id) };
}

/** Sorted by groups first, then by name. */
export async function listPossibleSubscribers(
  db: Database,
  accountId: string,
  { alertChannelId, ...query }: SubscriberQuery & { readonly alertChannelId: number },
): Promise<{ readonly subscribers: PossibleSubscriber[]; readonly total: number }> {
  const { limit, page, search, isSubscribed = null } = query;
  const pattern = search === undefined ? null : containing(search);
  const all = sql`(
    select null::uuid as "checkId", g.id as "groupId", g.name,
      coalesce(s.activated, false) as "isSubscribed", null::text as "throughGroup"
    from check_groups g left join ${subscriptions} s
      on s.group_id = g.id and s.alert_channel_id = ${alertChannelId}
    where g.account_id = ${accountId} and (${pattern}::text is null or g.name ilike ${pattern})
    union all
    select c.id, null, c.name, coalesce(s.activated, false),
      case when by_group.activated then g.name end
    from checks c left join ${subscriptions} s
      on s.check_id = c.id and s.alert_channel_id = ${alertChannelId}
    left join check_groups g on g.id = c.group_id
    left join ${subscriptions} by_group
      on by_group.group_id = c.group_id and by_group.alert_channel_id = ${alertChannelId}
    where c.account_id = ${accountId} and (${pattern}::text is null or c.name ilike ${pattern})
  ) as one where ${isSubscribed}::boolean is null or "isSubscribed" = ${isSubscribed}`;
  const { rows } = await sql<PossibleSubscriber>`select one.* from ${all}
    order by "groupId" is null, lower(name), "checkId", "groupId"
    limit ${limit} offset ${Math.max(0, page - 1) * limit}`.execute(db);
  const counted = await sql<{ total: number }>`select count(*) as total from ${all}`.execute(db);
  return { subscribers: rows, total: Number(counted.rows[0]?.total ?? 0) };
}
