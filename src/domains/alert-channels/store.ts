import { sql } from "kysely";
import { type Database, runPrepared } from "../../platform/database.ts";
import type { AlertChannel, Subscription } from "./alert-channel.ts";

type Config = Readonly<Record<string, unknown>>;

type ChannelColumns = {
  account_id: string;
  type: string;
  config: Config;
  send_recovery: boolean;
  send_failure: boolean;
  send_degraded: boolean;
  ssl_expiry: boolean;
  ssl_expiry_threshold: number;
  auto_subscribe: boolean;
  digest: boolean;
  created_at: Date;
};
type ChannelTables = {
  alert_channels: ChannelColumns & { id: number; updated_at: Date | null; version: number };
};

const tables = (db: Database) => db.withTables<ChannelTables>();
const columns = [
  "id",
  "type",
  "config",
  "send_recovery as sendRecovery",
  "send_failure as sendFailure",
  "send_degraded as sendDegraded",
  "ssl_expiry as sslExpiry",
  "ssl_expiry_threshold as sslExpiryThreshold",
  "auto_subscribe as autoSubscribe",
  "digest",
  "created_at as createdAt",
  "updated_at as updatedAt",
  "version",
] as const;

export async function insertChannel(
  db: Database,
  accountId: string,
  channel: Omit<AlertChannel, "id" | "updatedAt" | "version">,
): Promise<number> {
  const { id } = await db
    .withTables<{ alert_channels: ChannelColumns & { id?: number } }>()
    .insertInto("alert_channels")
    .values({
      account_id: accountId,
      type: channel.type,
      config: channel.config,
      send_recovery: channel.sendRecovery,
      send_failure: channel.sendFailure,
      send_degraded: channel.sendDegraded,
      ssl_expiry: channel.sslExpiry,
      ssl_expiry_threshold: channel.sslExpiryThreshold,
      auto_subscribe: channel.autoSubscribe,
      digest: channel.digest,
      created_at: channel.createdAt,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id ?? 0;
}

const selectChannel = (db: Database, accountId: string, id: number) =>
  tables(db)
    .selectFrom("alert_channels")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "=", id);

export async function findChannel(
  db: Database,
  accountId: string,
  id: number,
): Promise<AlertChannel | null> {
  return (await selectChannel(db, accountId, id).executeTakeFirst()) ?? null;
}

/** Locks the channel against changes and deletion until the transaction ends. */
export async function lockChannel(
  db: Database,
  accountId: string,
  id: number,
): Promise<AlertChannel | null> {
  return (await selectChannel(db, accountId, id).forUpdate().executeTakeFirst()) ?? null;
}

/** Locks the channel against deletion until the transaction ends. */
export async function holdChannel(db: Database, accountId: string, id: number): Promise<boolean> {
  const row = await selectChannel(db, accountId, id).forKeyShare().executeTakeFirst();
  return row !== undefined;
}

export async function listChannels(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly channels: AlertChannel[]; readonly total: number }> {
  const select = tables(db).selectFrom("alert_channels").where("account_id", "=", accountId);
  const channels = await select
    .select(columns)
    .orderBy("id")
    .limit(query.limit)
    .offset(Math.max(0, query.page - 1) * query.limit)
    .execute();
  const { total } = await select
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return { channels, total };
}

export async function updateChannel(
  db: Database,
  accountId: string,
  channel: AlertChannel,
): Promise<void> {
  await tables(db)
    .updateTable("alert_channels")
    .set({
      type: channel.type,
      config: channel.config,
      send_recovery: channel.sendRecovery,
      send_failure: channel.sendFailure,
      send_degraded: channel.sendDegraded,
      ssl_expiry: channel.sslExpiry,
      ssl_expiry_threshold: channel.sslExpiryThreshold,
      auto_subscribe: channel.autoSubscribe,
      digest: channel.digest,
      updated_at: channel.updatedAt,
      version: channel.version,
    })
    .where("account_id", "=", accountId)
    .where("id", "=", channel.id)
    .execute();
}

export async function deleteChannel(
  db: Database,
  accountId: string,
  id: number,
): Promise<{ readonly type: string } | null> {
  const row = await tables(db)
    .deleteFrom("alert_channels")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .returning("type")
    .executeTakeFirst();
  return row ?? null;
}

export async function listChannelsByIds(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<AlertChannel[]> {
  if (ids.length === 0) return [];
  return tables(db)
    .selectFrom("alert_channels")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "in", [...ids])
    .orderBy("id")
    .execute();
}

/** Returns those of the ids that are channels of the account. */
export async function listExistingChannelIds(
  db: Database,
  accountId: string,
  ids: readonly number[] | null,
): Promise<Set<number>> {
  let select = tables(db)
    .selectFrom("alert_channels")
    .select("id")
    .where("account_id", "=", accountId);
  if (ids !== null) select = select.where("id", "in", ids.length === 0 ? [0] : [...ids]);
  return new Set((await select.execute()).map((row) => row.id));
}

/** Lists the channels to which every new check and group subscribes. */
export async function listAutoSubscribing(db: Database, accountId: string): Promise<number[]> {
  const rows = await tables(db)
    .selectFrom("alert_channels")
    .select("id")
    .where("account_id", "=", accountId)
    .where("auto_subscribe", "=", true)
    .orderBy("id")
    .execute();
  return rows.map((row) => row.id);
}

export type Subscriber = { readonly checkId: string } | { readonly groupId: number };

export async function replaceSubscriptions(
  db: Database,
  accountId: string,
  change: {
    readonly subscriber: Subscriber;
    readonly subscriptions: readonly { alertChannelId: number; activated: boolean }[];
  },
): Promise<void> {
  const { subscriber, subscriptions } = change;
  const checkId = "checkId" in subscriber ? subscriber.checkId : null;
  const groupId = "groupId" in subscriber ? subscriber.groupId : null;
  await sql`delete from alert_channel_subscriptions
    where check_id = ${checkId} or group_id = ${groupId}`.execute(db);
  if (subscriptions.length === 0) return;
  const ids = subscriptions.map((one) => one.alertChannelId);
  const flags = subscriptions.map((one) => one.activated);
  await sql`insert into alert_channel_subscriptions (alert_channel_id, check_id, group_id, activated)
    select c.id, ${checkId}::uuid, ${groupId}::int, requested.activated
    from unnest(${ids}::int[], ${flags}::boolean[]) as requested (id, activated)
    join alert_channels c on c.id = requested.id and c.account_id = ${accountId}
    for key share of c
    on conflict do nothing`.execute(db);
}

/** Subscribes checks that have no subscriptions yet. Channels that no longer exist are ignored. */
export async function insertCheckSubscriptions(
  db: Database,
  accountId: string,
  subscriptions: readonly {
    readonly alertChannelId: number;
    readonly checkId: string;
    readonly activated: boolean;
  }[],
): Promise<void> {
  if (subscriptions.length === 0) return;
  await runPrepared(db, {
    name: "insert-check-subscriptions",
    text: `with held as (select id from alert_channels
        where account_id = $1 and id = any($2::int[]) order by id for key share)
      insert into alert_channel_subscriptions (alert_channel_id, check_id, activated)
      select held.id, requested.check_id, requested.activated
      from unnest($2::int[], $3::uuid[], $4::boolean[]) as requested (id, check_id, activated)
      join held on held.id = requested.id
      on conflict do nothing`,
    values: [
      accountId,
      subscriptions.map(({ alertChannelId }) => alertChannelId),
      subscriptions.map(({ checkId }) => checkId),
      subscriptions.map(({ activated }) => activated),
    ],
  });
}

export async function saveSubscription(
  db: Database,
  accountId: string,
  { alertChannelId, checkId, groupId, activated }: Omit<Subscription, "id">,
): Promise<number> {
  const target = checkId === null ? sql`group_id` : sql`check_id`;
  const { rows } = await sql<{ id: number }>`
    insert into alert_channel_subscriptions as existing
      (alert_channel_id, check_id, group_id, activated)
    select c.id, ${checkId}::uuid, ${groupId}::int, ${activated}
    from alert_channels c where c.id = ${alertChannelId} and c.account_id = ${accountId}
    on conflict (alert_channel_id, ${target}) where ${target} is not null
      do update set activated = excluded.activated returning existing.id`.execute(db);
  return rows[0]?.id ?? 0;
}

function filterSubscriptions(of: Parameters<typeof listSubscriptions>[2]) {
  if ("channelIds" in of) return sql`s.alert_channel_id = any(${[...of.channelIds]}::int[])`;
  if ("groupIds" in of) return sql`s.group_id = any(${[...of.groupIds]}::int[])`;
  return sql`s.check_id = any(${[...of.checkIds]}::uuid[])`;
}

export async function listSubscriptions(
  db: Database,
  accountId: string,
  of:
    | { readonly channelIds: readonly number[] }
    | { readonly checkIds: readonly string[] }
    | { readonly groupIds: readonly number[] },
): Promise<Subscription[]> {
  const filter = filterSubscriptions(of);
  const { rows } = await sql<Subscription>`
    select s.id, s.alert_channel_id as "alertChannelId", s.check_id as "checkId",
      s.group_id as "groupId", s.activated
    from alert_channel_subscriptions s join alert_channels c on c.id = s.alert_channel_id
    where c.account_id = ${accountId} and ${filter} order by s.id limit 10000`.execute(db);
  return rows;
}

/** Subscriptions to add or remove in one statement. */
export interface ManySubscriptions {
  readonly alertChannelIds: readonly number[];
  readonly checkIds: readonly string[];
  readonly groupIds: readonly number[];
}

/**
 * Connects each check and group to each channel of the account. The caller must have locked them.
 */
export async function addSubscriptions(
  db: Database,
  accountId: string,
  { alertChannelIds, checkIds, groupIds }: ManySubscriptions,
): Promise<void> {
  const channels = sql`(select id from alert_channels
    where account_id = ${accountId} and id = any(${[...alertChannelIds]}::int[])
    for key share) as c`;
  await sql`insert into alert_channel_subscriptions (alert_channel_id, check_id, activated)
    select c.id, one.id, true from ${channels}
    cross join unnest(${[...checkIds]}::uuid[]) as one (id) order by c.id, one.id
    on conflict (alert_channel_id, check_id) where check_id is not null
      do update set activated = true`.execute(db);
  await sql`insert into alert_channel_subscriptions (alert_channel_id, group_id, activated)
    select c.id, one.id, true from ${channels}
    cross join unnest(${[...groupIds]}::int[]) as one (id) order by c.id, one.id
    on conflict (alert_channel_id, group_id) where group_id is not null
      do update set activated = true`.execute(db);
}

export async function removeSubscriptions(
  db: Database,
  accountId: string,
  { alertChannelIds, checkIds, groupIds }: ManySubscriptions,
): Promise<void> {
  await sql`delete from alert_channel_subscriptions s using alert_channels c
    where c.id = s.alert_channel_id and c.account_id = ${accountId}
      and c.id = any(${[...alertChannelIds]}::int[])
      and (s.check_id = any(${[...checkIds]}::uuid[])
        or s.group_id = any(${[...groupIds]}::int[]))`.execute(db);
}
