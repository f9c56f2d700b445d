import { type Database, runPrepared } from "../../../platform/database.ts";
import type { AlertState } from "../alert-state.ts";
import type { DeliveryStatus } from "../delivery-store.ts";

/** The alert state of a check and the first alert of its current problem. */
export interface AlertSummary {
  readonly checkId: string;
  readonly state: AlertState;
  /** Id of the first alert of the current problem; `null` if not sent or no longer stored. */
  readonly alertId: string | null;
}

export function listAlertStates(
  db: Database,
  accountId: string,
  checkIds: readonly string[],
): Promise<AlertSummary[]> {
  return runPrepared<AlertSummary>(db, {
    name: "list-alert-states",
    text: `select check_id as "checkId", state, (select id from alerts
        where check_id = s.check_id and alert_number = (s.state ->> 'alertNumber')::int
          and kind <> 'NO_ALERT' and s.state ->> 'alertedKind' is not null
        order by id limit 1) as "alertId"
      from alert_states s where check_id = any($2::uuid[]) and account_id = $1`,
    values: [accountId, checkIds],
  });
}

/** State of the newest message about an open alert to one recipient. */
export interface NotifiedRow {
  readonly checkId: string;
  readonly alertChannelId: number | null;
  readonly channelType: string;
  readonly recipient: string;
  readonly status: Exclude<DeliveryStatus, "CANCELLED">;
  readonly sentAt: Date | null;
  readonly reason: string | null;
}

/** Maximum number of recipients listed per alert. */
const maxNotified = 10;

/** Lists the newest message to each recipient of the given alerts. */
export function listNotified(
  db: Database,
  accountId: string,
  alerts: readonly { readonly checkId: string; readonly alertNumber: number }[],
): Promise<NotifiedRow[]> {
  if (alerts.length === 0) return Promise.resolve([]);
  return runPrepared<NotifiedRow>(db, {
    name: "list-told",
    text: `select wanted.check_id as "checkId", told.*
      from unnest($1::uuid[], $2::int[]) as wanted (check_id, alert_number)
      cross join lateral (
        select distinct on (d.channel_type, d.recipient) d.alert_channel_id as "alertChannelId",
          d.channel_type as "channelType", d.recipient, d.status, d.sent_at as "sentAt", d.reason
        from (select id from alerts where check_id = wanted.check_id
            and alert_number = wanted.alert_number and kind <> 'NO_ALERT'
            order by id desc limit 20) as a
        join deliveries d on d.alert_id = a.id and d.account_id = $3
          and d.status <> 'CANCELLED'
        order by d.channel_type, d.recipient, d.id desc limit ${maxNotified}
      ) as told`,
    values: [
      alerts.map(({ checkId }) => checkId),
      alerts.map(({ alertNumber }) => alertNumber),
      accountId,
    ],
  });
}
