/** Which channels received the alerts about a problem, and therefore receive its end. */
import { type Database, runPrepared, runSql } from "../../platform/database.ts";

/** A channel that received alerts about a problem. */
export interface ReachedChannel {
  /** Id of the recovery alert. */
  readonly alertId: string;
  /** `null` for pages that a person requested, and for pages of deleted channels. */
  readonly alertChannelId: number | null;
  readonly reroutedFromId: number | null;
}

/** Lists, for each recovery, the channels that received earlier alerts about the same problem. */
export function listReachedChannels(
  db: Database,
  alertIds: readonly string[],
): Promise<ReachedChannel[]> {
  return runPrepared<ReachedChannel>(db, {
    name: "list-reached-channels",
    text: `select distinct on (ending.id, d.alert_channel_id) ending.id as "alertId",
        d.alert_channel_id as "alertChannelId", d.rerouted_from_id as "reroutedFromId"
      from alerts ending
      join alerts a on a.check_id = ending.check_id and a.alert_number = ending.alert_number
      join deliveries d on d.alert_id = a.id
      where ending.id = any($1::uuid[]) and a.id <> ending.id and d.method_id is null
        and (d.alert_channel_id is not null or d.page_id is not null)
      order by ending.id, d.alert_channel_id, d.rerouted_from_id nulls first`,
    values: [alertIds],
  });
}

/** A channel that received the newest alert about an offline private location. */
export interface NotifiedChannel {
  readonly locationId: string;
  readonly alertChannelId: number;
  readonly reroutedFromId: number | null;
}

export function listNotifiedChannels(
  db: Database,
  locationIds: readonly string[],
): Promise<NotifiedChannel[]> {
  return runSql(
    db,
    `select distinct on (location.id, d.alert_channel_id) location.id as "locationId",
        d.alert_channel_id as "alertChannelId", d.rerouted_from_id as "reroutedFromId"
      from unnest($1::uuid[]) as location (id)
      cross join lateral (select id from alerts where check_id = location.id
        and kind = 'ALERT_NO_DATA' order by id desc limit 1) as alert
      join deliveries d on d.alert_id = alert.id
      where d.alert_channel_id is not null and d.method_id is null
      order by location.id, d.alert_channel_id, d.rerouted_from_id nulls first`,
    [locationIds],
  );
}
