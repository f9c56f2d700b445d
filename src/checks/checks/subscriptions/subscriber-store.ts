import { type Database, runSql } from "../../../platform/database.ts";
import { containing } from "../../../platform/text/patterns.ts";

/** A check or a group, and whether it subscribes to the channel. */
export interface PossibleSubscriber {
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly name: string;
  readonly isSubscribed: boolean;
  /** Name of the check's group if the group subscribes to the channel; otherwise `null`. */
  readonly throughGroup: string | null;
}

export interface SubscriberQuery {
  readonly limit: number;
  readonly page: number;
  readonly search?: string | undefined;
  readonly isSubscribed?: boolean | undefined;
}

interface SubscriberIds {
  readonly checkIds: readonly string[];
  readonly groupIds: readonly number[];
}

/** Finds the checks and groups whose subscription would change, and locks them against deletion. */
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
  const checks = await runSql<{ id: string }>(
    db,
    `select c.id from checks c
      where c.account_id = $1 and ($2::text is null or c.name ilike $2)
        and coalesce((select s.activated from channel_subscriptions s where s.check_id = c.id
          and s.alert_channel_id = $3), false) <> $4 order by c.id limit $5 for key share of c`,
    [accountId, pattern, alertChannelId, activated, limit + 1],
  );
  const groups = await runSql<{ id: number }>(
    db,
    `select g.id from check_groups g
      where g.account_id = $1 and ($2::text is null or g.name ilike $2)
        and coalesce((select s.activated from channel_subscriptions s where s.group_id = g.id
          and s.alert_channel_id = $3), false) <> $4 order by g.id limit $5 for key share of g`,
    [accountId, pattern, alertChannelId, activated, limit + 1],
  );
  return { checkIds: checks.map(({ id }) => id), groupIds: groups.map(({ id }) => id) };
}

/** Lists checks and groups with their subscription to a channel, groups first, then by name. */
export async function listPossibleSubscribers(
  db: Database,
  accountId: string,
  { alertChannelId, ...query }: SubscriberQuery & { readonly alertChannelId: number },
): Promise<{ readonly subscribers: PossibleSubscriber[]; readonly total: number }> {
  const { limit, page, search, isSubscribed } = query;
  const pattern = search === undefined ? null : containing(search);
  const all = `(
    select null::uuid as "checkId", g.id as "groupId", g.name,
      coalesce(s.activated, false) as "isSubscribed", null::text as "throughGroup"
    from check_groups g left join channel_subscriptions s
      on s.group_id = g.id and s.alert_channel_id = $2
    where g.account_id = $1 and ($3::text is null or g.name ilike $3)
    union all
    select c.id, null, c.name, coalesce(s.activated, false),
      case when by_group.activated then g.name end
    from checks c left join channel_subscriptions s
      on s.check_id = c.id and s.alert_channel_id = $2
    left join check_groups g on g.id = c.group_id
    left join channel_subscriptions by_group
      on by_group.group_id = c.group_id and by_group.alert_channel_id = $2
    where c.account_id = $1 and ($3::text is null or c.name ilike $3)
  ) as one where $4::boolean is null or "isSubscribed" = $4`;
  const values = [accountId, alertChannelId, pattern, isSubscribed];
  const subscribers = await runSql<PossibleSubscriber>(
    db,
    `select one.* from ${all} order by "groupId" is null, lower(name), "checkId", "groupId"
      limit $5 offset $6`,
    [...values, limit, Math.max(0, page - 1) * limit],
  );
  const text = `select count(*) as total from ${all}`;
  const [counted] = await runSql<{ total: number }>(db, text, values);
  return { subscribers, total: counted?.total ?? 0 };
}
