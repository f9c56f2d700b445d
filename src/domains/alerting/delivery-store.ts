import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import type {
  ClaimedDelivery,
  DeliveryClaim,
  DeliveryEnd,
} from "../../platform/deliveries/deliverer.ts";
import type { AlertMessage } from "../alert-channels/index.ts";

export interface NewDelivery {
  readonly id: string;
  readonly accountId: string;
  readonly alertId: string;
  readonly checkId: string;
  readonly alertChannelId: number;
  readonly channelType: string;
  readonly recipient: string;
  readonly message: AlertMessage;
}

/** Part of the transaction of the decision, so that no alert is lost in a crash. */
export async function insertDeliveries(
  db: Database,
  deliveries: readonly NewDelivery[],
  decidedAt: Date,
): Promise<void> {
  if (deliveries.length === 0) return;
  await runPrepared(db, {
    name: "insert-deliveries",
    text: `insert into deliveries (id, account_id, alert_id, check_id, alert_channel_id,
        channel_type, recipient, message, status, next_attempt_at, decided_at)
      select id, account_id, alert_id, check_id, channel_id, channel_type, recipient,
        message::jsonb, 'PENDING', $9, $9
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::text[],
        $7::text[], $8::text[]) as one (id, account_id, alert_id, check_id, channel_id,
        channel_type, recipient, message)`,
    values: [
      deliveries.map((one) => one.id),
      deliveries.map((one) => one.accountId),
      deliveries.map((one) => one.alertId),
      deliveries.map((one) => one.checkId),
      deliveries.map((one) => one.alertChannelId),
      deliveries.map((one) => one.channelType),
      deliveries.map((one) => one.recipient),
      deliveries.map((one) => JSON.stringify(one.message)),
      decidedAt,
    ],
  });
}

/** Who was sent the newest alert about the silence of a private location. */
export async function listToldChannelIds(db: Database, locationId: string): Promise<number[]> {
  const rows = await runSql<{ id: number }>(
    db,
    `select distinct alert_channel_id as id from deliveries
      where alert_channel_id is not null and alert_id = (
        select id from alerts where check_id = $1 and kind = 'ALERT_NO_DATA'
        order by id desc limit 1)`,
    [locationId],
  );
  return rows.map(({ id }) => id);
}

export interface AlertDelivery extends ClaimedDelivery {
  readonly accountId: string;
  readonly alertChannelId: number | null;
  readonly message: AlertMessage;
  readonly decidedAt: Date;
}

/**
 * Messages of a check to a channel stay in order: a recovery never overtakes its failure. The first
 * one is looked up for each: a join would be planned by what PostgreSQL knew of the table when the
 * statement was new, and a queue that was empty then is read again for every delivery in it.
 */
export function claimDeliveries(
  db: Database,
  claim: DeliveryClaim,
  perChannel: number,
): Promise<AlertDelivery[]> {
  const { now, until, limit, underWay } = claim;
  const channelIds = [...underWay.keys()].map(Number);
  // A busy channel with a long backlog must not hide the deliveries of others.
  const full = [...underWay].filter(([, count]) => count >= perChannel).map(([id]) => Number(id));
  return runPrepared<AlertDelivery>(db, {
    name: "claim-deliveries",
    text: `update deliveries set claimed_until = $2, attempts = attempts + 1
      where id in (
        select id from (
          select id, next_attempt_at, coalesce(busy.count, 0) + row_number()
            over (partition by alert_channel_id order by next_attempt_at, id) as place
          from (select id, next_attempt_at, alert_channel_id from deliveries as one
            where status = 'PENDING' and next_attempt_at <= $1
              and (claimed_until is null or claimed_until < $1)
              and (alert_channel_id is null or alert_channel_id <> all($7::int[]))
              and (one.alert_channel_id is null or one.id = (
                select first.id from deliveries as first
                where first.status = 'PENDING' and first.check_id = one.check_id
                  and first.alert_channel_id = one.alert_channel_id order by first.id limit 1))
            order by next_attempt_at limit 2000) as due
          left join unnest($5::int[], $6::int[]) as busy (channel_id, count)
            on busy.channel_id = due.alert_channel_id) as placed
        where place <= $4 order by next_attempt_at limit $3)
      and status = 'PENDING' and (claimed_until is null or claimed_until < $1)
      returning id, account_id as "accountId", alert_channel_id as "alertChannelId",
        alert_channel_id::text as lane, message, attempts, decided_at as "decidedAt"`,
    values: [now, until, limit, perChannel, channelIds, [...underWay.values()], full],
  });
}

/** One attempt, or one time that somebody had it sent again. */
export interface DeliveryStep {
  /** ISO 8601. */
  readonly at: string;
  readonly what: "sent" | "failed" | "replayed";
  readonly statusCode: number | null;
  readonly reason: string | null;
  /** Who had it sent again. */
  readonly by: string | null;
}

/** More than all attempts at one message; of one that is replayed often, the newest. */
export const maxSteps = 40;

/** SQL: the history with room for one more step. */
export const roomyHistory = `(case when jsonb_array_length(history) >= ${maxSteps}
  then history - 0 else history end)`;

export async function finishDelivery(
  db: Database,
  id: string,
  { at, ...end }: DeliveryEnd & { readonly at: Date },
): Promise<void> {
  const { status, statusCode, reason } = end;
  const what = status === "SENT" ? "sent" : "failed";
  const step: DeliveryStep = { at: at.toISOString(), what, statusCode, reason, by: null };
  await runPrepared(db, {
    name: "finish-delivery",
    text: `update deliveries set status = $2, next_attempt_at = $3, sent_at = $4,
      status_code = $5, reason = $6, claimed_until = null, history = ${roomyHistory} || $7::jsonb
      where id = $1`,
    values: [id, status, end.nextAttemptAt, end.sentAt, statusCode, reason, JSON.stringify(step)],
  });
}

export async function deleteDeliveriesBefore(db: Database, moment: Date): Promise<void> {
  await runSql(db, "delete from deliveries where decided_at < $1 and status <> 'PENDING'", [
    moment,
  ]);
  await runSql(db, "delete from alerts where decided_at < $1", [moment]);
  await runSql(db, "delete from alert_acknowledgements where at < $1", [moment]);
}
