import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import type { AlertChannel, Subscription } from "./alert-channel.ts";
import type { PageTarget } from "./channel-kind.ts";

/** SQL expression for the quiet hours, including the id of the channel that they reroute to. */
export const quietColumn = `case when quiet_hours is null then null else
    quiet_hours || jsonb_build_object('alertChannelId', quiet_reroute_id) end as "quietHours"`;

const columns = `id, type, config, send_recovery as "sendRecovery", send_failure as "sendFailure",
  send_degraded as "sendDegraded", ssl_expiry as "sslExpiry",
  ssl_expiry_threshold as "sslExpiryThreshold", auto_subscribe as "autoSubscribe", digest, ${quietColumn},
  created_at as "createdAt", updated_at as "updatedAt", version, lan_allowed_by as "lanAllowedBy"`;

export async function insertChannel(
  db: Database,
  accountId: string,
  channel: Omit<AlertChannel, "id" | "updatedAt" | "version"> & {
    /** Whether only escalation policies use the channel. Such a channel is not shown to users. */
    readonly isForPolicies?: boolean;
  },
): Promise<number> {
  const [row] = await runSql<{ id: number }>(
    db,
    `insert into alert_channels (account_id, type, config, send_recovery, send_failure,
        send_degraded, ssl_expiry, ssl_expiry_threshold, auto_subscribe, digest, created_at,
        quiet_hours, quiet_reroute_id, for_policies, lan_allowed_by)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::jsonb - 'alertChannelId', $13,
        $14, $15)
      returning id`,
    [
      accountId,
      channel.type,
      channel.config,
      channel.sendRecovery,
      channel.sendFailure,
      channel.sendDegraded,
      channel.sslExpiry,
      channel.sslExpiryThreshold,
      channel.autoSubscribe,
      channel.digest,
      channel.createdAt,
      channel.quietHours,
      channel.quietHours?.alertChannelId ?? null,
      channel.isForPolicies ?? false,
      channel.lanAllowedBy ?? null,
    ],
  );
  return row?.id ?? 0;
}

/** Returns the settings of the hidden channel through which escalation policies page a target. */
export function createTargetChannel({ scheduleId, userId }: PageTarget) {
  const name = scheduleId !== null ? "On-call schedule" : userId !== null ? "Member" : "Fallback";
  return {
    type: "ONCALL",
    config: { name, scheduleId, userId },
    sendRecovery: true,
    sendFailure: true,
    sendDegraded: true,
    sslExpiry: true,
    sslExpiryThreshold: 30,
    autoSubscribe: false,
    digest: false,
    quietHours: null,
  };
}

/**
 * Returns the id of the hidden channel of type ONCALL through which escalation policies page a
 * target. Creates the channel if it does not exist. A target without schedule and member is the
 * fallback. The caller must hold a lock, so that no other transaction creates the same channel.
 */
export async function obtainTargetChannel(
  db: Database,
  accountId: string,
  { target, at }: { readonly target: PageTarget; readonly at: Date },
): Promise<number> {
  const { scheduleId, userId } = target;
  const [row] = await runSql<{ id: number }>(
    db,
    `select id from alert_channels where account_id = $1 and for_policies
        and config ->> 'scheduleId' is not distinct from $2
        and config ->> 'userId' is not distinct from $3`,
    [accountId, scheduleId, userId],
  );
  if (row !== undefined) return row.id;
  const channel = createTargetChannel(target);
  return insertChannel(db, accountId, { ...channel, isForPolicies: true, createdAt: at });
}

const selectChannel = `select ${columns} from alert_channels where account_id = $1 and id = $2`;
const isShown = "not for_policies";

/** Finds a channel, including the hidden channels of escalation policies. */
export async function findChannel(
  db: Database,
  accountId: string,
  id: number,
): Promise<AlertChannel | null> {
  const [row] = await runSql<AlertChannel>(db, selectChannel, [accountId, id]);
  return row ?? null;
}

/** Finds a channel, except the hidden channels of escalation policies. */
export async function findShownChannel(
  db: Database,
  accountId: string,
  id: number,
): Promise<AlertChannel | null> {
  const [row] = await runSql<AlertChannel>(db, `${selectChannel} and ${isShown}`, [accountId, id]);
  return row ?? null;
}

/** Finds and locks a channel that is not hidden. Concurrent changes and deletions wait. */
export async function lockChannel(
  db: Database,
  accountId: string,
  id: number,
): Promise<AlertChannel | null> {
  const [row] = await runSql<AlertChannel>(db, `${selectChannel} and ${isShown} for update`, [
    accountId,
    id,
  ]);
  return row ?? null;
}

/** Protects a channel from deletion during the transaction. Returns whether it exists. */
export async function holdChannel(db: Database, accountId: string, id: number): Promise<boolean> {
  const text = `${selectChannel} and ${isShown} for key share`;
  return (await runSql(db, text, [accountId, id])).length > 0;
}

export async function listChannels(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly channels: AlertChannel[]; readonly total: number }> {
  const channels = await runSql<AlertChannel>(
    db,
    `select ${columns} from alert_channels where account_id = $1 and ${isShown}
      order by id limit $2 offset $3`,
    [accountId, query.limit, Math.max(0, query.page - 1) * query.limit],
  );
  const [counted] = await runSql<{ total: number }>(
    db,
    `select count(*) as total from alert_channels where account_id = $1 and ${isShown}`,
    [accountId],
  );
  return { channels, total: counted?.total ?? 0 };
}

export async function updateChannel(
  db: Database,
  accountId: string,
  channel: AlertChannel,
): Promise<void> {
  await runSql(
    db,
    `update alert_channels set type = $3, config = $4, send_recovery = $5, send_failure = $6,
        send_degraded = $7, ssl_expiry = $8, ssl_expiry_threshold = $9, auto_subscribe = $10,
        digest = $11, updated_at = $12, version = $13,
        quiet_hours = $14::jsonb - 'alertChannelId', quiet_reroute_id = $15, lan_allowed_by = $16
      where account_id = $1 and id = $2`,
    [
      accountId,
      channel.id,
      channel.type,
      channel.config,
      channel.sendRecovery,
      channel.sendFailure,
      channel.sendDegraded,
      channel.sslExpiry,
      channel.sslExpiryThreshold,
      channel.autoSubscribe,
      channel.digest,
      channel.updatedAt,
      channel.version,
      channel.quietHours,
      channel.quietHours?.alertChannelId ?? null,
      channel.lanAllowedBy ?? null,
    ],
  );
}

export async function deleteChannel(
  db: Database,
  accountId: string,
  id: number,
): Promise<{ readonly type: string } | null> {
  const text = `delete from alert_channels where account_id = $1 and id = $2 and ${isShown}
    returning type`;
  const [row] = await runSql<{ type: string }>(db, text, [accountId, id]);
  return row ?? null;
}

export async function listChannelsByIds(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<AlertChannel[]> {
  if (ids.length === 0) return [];
  return runSql(
    db,
    `select ${columns} from alert_channels
      where account_id = $1 and id = any($2::int[]) and ${isShown} order by id`,
    [accountId, ids],
  );
}

/**
 * Returns the ids of the account's channels that are in `ids`, or of all its channels if `ids` is
 * `null`. Hidden channels of escalation policies are not included.
 */
export async function listExistingChannelIds(
  db: Database,
  accountId: string,
  ids: readonly number[] | null,
): Promise<Set<number>> {
  const rows = await runSql<{ id: number }>(
    db,
    `select id from alert_channels
      where account_id = $1 and ($2::int[] is null or id = any($2)) and ${isShown}`,
    [accountId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Lists the channels to which new checks and groups are subscribed automatically. */
export async function listAutoSubscribing(db: Database, accountId: string): Promise<number[]> {
  const text = "select id from alert_channels where account_id = $1 and auto_subscribe order by id";
  const rows = await runSql<{ id: number }>(db, text, [accountId]);
  return rows.map(({ id }) => id);
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
  await runSql(db, "delete from alert_channel_subscriptions where check_id = $1 or group_id = $2", [
    checkId,
    groupId,
  ]);
  if (subscriptions.length === 0) return;
  const ids = subscriptions.map((one) => one.alertChannelId);
  const flags = subscriptions.map((one) => one.activated);
  await runSql(
    db,
    `insert into alert_channel_subscriptions (alert_channel_id, check_id, group_id, activated)
      select c.id, $1::uuid, $2::int, requested.activated
      from unnest($3::int[], $4::boolean[]) as requested (id, activated)
      join alert_channels c on c.id = requested.id and c.account_id = $5 and not c.for_policies
      for key share of c
      on conflict do nothing`,
    [checkId, groupId, ids, flags, accountId],
  );
}

/** Subscribes checks to channels. Channels that no longer exist are ignored. */
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
        where account_id = $1 and id = any($2::int[]) and ${isShown} order by id for key share)
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
  const target = checkId === null ? "group_id" : "check_id";
  const [row] = await runSql<{ id: number }>(
    db,
    `insert into alert_channel_subscriptions as existing
        (alert_channel_id, check_id, group_id, activated)
      select c.id, $3::uuid, $4::int, $5
      from alert_channels c where c.account_id = $1 and c.id = $2 and not c.for_policies
      on conflict (alert_channel_id, ${target}) where ${target} is not null
        do update set activated = excluded.activated returning existing.id`,
    [accountId, alertChannelId, checkId, groupId, activated],
  );
  return row?.id ?? 0;
}

export function listSubscriptions(
  db: Database,
  accountId: string,
  of:
    | { readonly channelIds: readonly number[] }
    | { readonly checkIds: readonly string[] }
    | { readonly groupIds: readonly number[] },
): Promise<Subscription[]> {
  const [filter, ids] =
    "channelIds" in of
      ? ["s.alert_channel_id = any($2::int[])", of.channelIds]
      : "groupIds" in of
        ? ["s.group_id = any($2::int[])", of.groupIds]
        : ["s.check_id = any($2::uuid[])", of.checkIds];
  return runSql(
    db,
    `select s.id, s.alert_channel_id as "alertChannelId", s.check_id as "checkId",
        s.group_id as "groupId", s.activated
      from alert_channel_subscriptions s join alert_channels c on c.id = s.alert_channel_id
      where c.account_id = $1 and ${filter} order by s.id limit 10000`,
    [accountId, ids],
  );
}

/** Subscriptions to add or remove: each of the checks and groups is combined with each channel. */
export interface ManySubscriptions {
  readonly alertChannelIds: readonly number[];
  readonly checkIds: readonly string[];
  readonly groupIds: readonly number[];
}

/**
 * Subscribes checks and groups to all given channels, and activates existing subscriptions. The
 * caller must have locked the checks and groups.
 */
export async function addSubscriptions(
  db: Database,
  accountId: string,
  { alertChannelIds, checkIds, groupIds }: ManySubscriptions,
): Promise<void> {
  const channels = `(select id from alert_channels
    where account_id = $1 and id = any($2::int[]) and ${isShown} for key share) as c`;
  await runSql(
    db,
    `insert into alert_channel_subscriptions (alert_channel_id, check_id, activated)
      select c.id, one.id, true from ${channels}
      cross join unnest($3::uuid[]) as one (id) order by c.id, one.id
      on conflict (alert_channel_id, check_id) where check_id is not null
        do update set activated = true`,
    [accountId, alertChannelIds, checkIds],
  );
  await runSql(
    db,
    `insert into alert_channel_subscriptions (alert_channel_id, group_id, activated)
      select c.id, one.id, true from ${channels}
      cross join unnest($3::int[]) as one (id) order by c.id, one.id
      on conflict (alert_channel_id, group_id) where group_id is not null
        do update set activated = true`,
    [accountId, alertChannelIds, groupIds],
  );
}

export async function removeSubscriptions(
  db: Database,
  accountId: string,
  { alertChannelIds, checkIds, groupIds }: ManySubscriptions,
): Promise<void> {
  await runSql(
    db,
    `delete from alert_channel_subscriptions s using alert_channels c
      where c.id = s.alert_channel_id and c.account_id = $1 and c.id = any($2::int[])
        and (s.check_id = any($3::uuid[]) or s.group_id = any($4::int[]))`,
    [accountId, alertChannelIds, checkIds, groupIds],
  );
}

/** Maps the id of each channel that reroutes alerts during quiet hours to its target's id. */
export async function mapReroutes(db: Database, accountId: string): Promise<Map<number, number>> {
  const rows = await runSql<{ id: number; target: number }>(
    db,
    `select id, quiet_reroute_id as target from alert_channels
      where account_id = $1 and quiet_reroute_id is not null`,
    [accountId],
  );
  return new Map(rows.map(({ id, target }) => [id, target]));
}
