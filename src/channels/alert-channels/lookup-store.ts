/** Queries for other modules, which must not access the tables of this domain directly. */
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import type { AlertChannel } from "./alert-channel.ts";
import { listSecrets } from "./config-secrets.ts";
import { listNewestConfigs } from "./contacts/contact-store.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";
import { listSealedInPush } from "./push/push-store.ts";
import { quietColumn } from "./store.ts";

const maxPerCheck = 500;

/**
 * Returns, for each check, the ids of the channels to which the check or its group subscribes, in
 * ascending order. At most 500 channels per check.
 */
export async function mapSubscribedChannelIds(
  db: Database,
  checks: readonly { readonly checkId: string; readonly groupId: number | null }[],
): Promise<Map<string, number[]>> {
  const rows = await runPrepared<{ checkId: string; channelIds: number[] }>(db, {
    name: "map-subscribed-channel-ids",
    text: `select check_id as "checkId", array_agg(channel_id order by channel_id) as "channelIds"
      from (
        select requested.check_id, s.alert_channel_id as channel_id
        from unnest($1::uuid[], $2::int[]) as requested (check_id, group_id)
        join alert_channel_subscriptions s on s.check_id = requested.check_id and s.activated
        union
        select requested.check_id, s.alert_channel_id
        from unnest($1::uuid[], $2::int[]) as requested (check_id, group_id)
        join alert_channel_subscriptions s on s.group_id = requested.group_id and s.activated
      ) as subscribed group by check_id`,
    values: [checks.map(({ checkId }) => checkId), checks.map(({ groupId }) => groupId)],
  });
  return new Map(
    rows.map(({ checkId, channelIds }) => [checkId, channelIds.slice(0, maxPerCheck)]),
  );
}

export interface OwnedChannel extends AlertChannel {
  readonly accountId: string;
}

/**
 * Loads channels by id from any account. The caller must check `accountId`. The hidden channels of
 * escalation policies receive certificate alerts. Earlier releases stored them without `ssl_expiry`.
 */
export async function mapChannels(
  db: Database,
  ids: readonly number[],
): Promise<Map<number, OwnedChannel>> {
  if (ids.length === 0) return new Map();
  const rows = await runPrepared<OwnedChannel>(db, {
    name: "map-channels",
    text: `select id, account_id as "accountId", type, config, send_recovery as "sendRecovery",
        send_failure as "sendFailure", send_degraded as "sendDegraded",
        ssl_expiry or for_policies as "sslExpiry", ssl_expiry_threshold as "sslExpiryThreshold",
        auto_subscribe as "autoSubscribe", digest, ${quietColumn}, created_at as "createdAt",
        updated_at as "updatedAt", lan_allowed_by as "lanAllowedBy"
      from alert_channels where id = any($1::int[])`,
    values: [ids],
  });
  return new Map(rows.map((channel) => [channel.id, channel]));
}

export async function hasAnyChannel(db: Database, accountId: string): Promise<boolean> {
  const rows = await runPrepared<{ id: number }>(db, {
    name: "has-any-channel",
    text: "select id from alert_channels where account_id = $1 limit 1",
    values: [accountId],
  });
  return rows.length > 0;
}

/**
 * Lists the encrypted secrets of the newest channels, contact methods and push devices, and the
 * encrypted VAPID key.
 */
export async function listSealedInChannels(db: Database, maxChannels: number): Promise<string[]> {
  const rows = await runSql<{ type: ChannelType; config: Record<string, unknown> }>(
    db,
    "select type, config from alert_channels order by id desc limit $1",
    [maxChannels],
  );
  const ofChannels = rows.flatMap(({ type, config }) => listSecrets(channelKinds[type], config));
  const methods = await listNewestConfigs(db, maxChannels);
  const ofMethods = methods.flatMap(({ type, config }) => listSecrets(channelKinds[type], config));
  return [...ofChannels, ...ofMethods, ...(await listSealedInPush(db, maxChannels))];
}
