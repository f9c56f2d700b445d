import { randomUUID } from "node:crypto";
import { type AlertMessage, decideUrgency } from "../../../channels/alert-channels/index.ts";
import { type Database, runPrepared } from "../../../platform/database.ts";
import type { AlertDelivery } from "../delivery-store.ts";
import { isRecoveryKind, recoveryKinds } from "./page.ts";
import { decideSlot } from "./storm.ts";

/** A message to one contact method of a member as part of a page, or to the fallback channel. */
export interface NewPageMessage {
  readonly id: string;
  readonly accountId: string;
  readonly alertId: string;
  readonly checkId: string;
  /** Id of the fallback channel; `null` for a message to a member. */
  readonly alertChannelId: number | null;
  readonly channelType: string;
  readonly recipient: string;
  readonly message: AlertMessage;
  readonly pageId: string;
  readonly userId: string | null;
  readonly methodId: string;
  readonly afterMinutes: number;
  /** Whether the message may be combined with others to the same member. */
  readonly isGrouped: boolean;
}

interface StormRow {
  readonly id: string;
  readonly slotAt: Date;
}

/** Adds an alert to the storm of a member, or starts one. Returns when the alert is sent. */
async function joinStorm(
  db: Database,
  { accountId, userId, kind, at }: { accountId: string; userId: string; kind: string; at: Date },
): Promise<StormRow> {
  const key = [accountId, userId, kind];
  const begun = await runPrepared<StormRow>(db, {
    name: "begin-page-storm",
    text: `insert into page_storms (account_id, user_id, kind, id, started_at, slot_at)
      values ($1, $2, $3, gen_random_uuid(), $4, $4) on conflict do nothing
      returning id, slot_at as "slotAt"`,
    values: [...key, at],
  });
  if (begun[0] !== undefined) return begun[0];
  const [known] = await runPrepared<{ startedAt: Date; slotAt: Date }>(db, {
    name: "lock-page-storm",
    text: `select started_at as "startedAt", slot_at as "slotAt" from page_storms
      where account_id = $1 and user_id = $2 and kind = $3 for update`,
    values: key,
  });
  const storm = known && {
    startedAtMs: known.startedAt.getTime(),
    slotAtMs: known.slotAt.getTime(),
  };
  const next = decideSlot(storm ?? null, at.getTime());
  const [row] = await runPrepared<StormRow>(db, {
    name: "continue-page-storm",
    text: `update page_storms set started_at = $4, slot_at = $5,
        id = case when started_at = $4 then id else gen_random_uuid() end
      where account_id = $1 and user_id = $2 and kind = $3 returning id, slot_at as "slotAt"`,
    values: [...key, new Date(next.startedAtMs), new Date(next.slotAtMs)],
  });
  return row ?? { id: randomUUID(), slotAt: at };
}

const stormKind = ({ message }: NewPageMessage) =>
  isRecoveryKind(message.kind) ? "RECOVERY" : (message.urgency ?? decideUrgency(message.kind));

/** Returns the storms that messages join, by message. */
async function joinStorms(
  db: Database,
  messages: readonly NewPageMessage[],
  at: Date,
): Promise<(message: NewPageMessage) => StormRow | undefined> {
  const storms = new Map<string, StormRow>();
  const keyOf = (message: NewPageMessage) => `${message.userId} ${stormKind(message)}`;
  for (const message of messages) {
    const { accountId, userId, isGrouped } = message;
    if (userId === null || !isGrouped || storms.has(keyOf(message))) continue;
    const about = { accountId, userId, kind: stormKind(message), at };
    storms.set(keyOf(message), await joinStorm(db, about));
  }
  return (message) => (message.isGrouped ? storms.get(keyOf(message)) : undefined);
}

/**
 * Stores messages of pages. Messages to a member who is already being paged about other alerts wait
 * for the next update of the storm.
 */
export async function insertPageMessages(
  db: Database,
  messages: readonly NewPageMessage[],
  decidedAt: Date,
): Promise<void> {
  if (messages.length === 0) return;
  const stormOf = await joinStorms(db, messages, decidedAt);
  await runPrepared(db, {
    name: "insert-page-messages",
    text: `insert into deliveries (id, account_id, alert_id, check_id, alert_channel_id,
        channel_type, recipient, message, status, next_attempt_at, decided_at, page_id, user_id,
        method_id, after_minutes, storm_id, is_collected)
      select id, account_id, alert_id, check_id, channel_id, channel_type, recipient,
        message::jsonb, 'PENDING', sent_at + after_minutes * interval '1 minute', $14,
        page_id, user_id, method_id, after_minutes, storm_id, storm_id is not null
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::text[],
        $7::text[], $8::text[], $9::uuid[], $10::uuid[], $11::text[], $12::int[], $13::int[],
        $15::uuid[], $16::timestamptz[])
        as one (id, account_id, alert_id, check_id, channel_id, channel_type, recipient, message,
          page_id, user_id, method_id, after_minutes, place, storm_id, sent_at) order by place`,
    values: [
      messages.map((one) => one.id),
      messages.map((one) => one.accountId),
      messages.map((one) => one.alertId),
      messages.map((one) => one.checkId),
      messages.map((one) => one.alertChannelId),
      messages.map((one) => one.channelType),
      messages.map((one) => one.recipient),
      messages.map((one) => JSON.stringify(one.message)),
      messages.map((one) => one.pageId),
      messages.map((one) => one.userId),
      messages.map((one) => one.methodId),
      messages.map((one) => one.afterMinutes),
      messages.map((_, place) => place),
      decidedAt,
      messages.map((one) => stormOf(one)?.id ?? null),
      messages.map((one) => stormOf(one)?.slotAt ?? decidedAt),
    ],
  });
}

/** One alert of a message to a member, or of an earlier message of the same storm. */
export interface StormMessage {
  readonly id: string;
  readonly checkId: string;
  readonly alertNumber: number;
  readonly message: AlertMessage;
  /** Whether this message sends the alert; otherwise, an earlier message has sent it. */
  readonly isOwn: boolean;
  /**
   * Whether the member still has to know: a problem that exists and that nobody has acknowledged or
   * reassigned since the page, or a recovery from the latest problem.
   */
  readonly isNeeded: boolean;
}

/** Lists the alerts of a message, and those that earlier messages of the storm have sent. */
export function listStormMessages(
  db: Database,
  { deliveryIds, stormId, userId, methodId }: AlertDelivery,
): Promise<StormMessage[]> {
  return runPrepared(db, {
    name: "list-storm-messages",
    text: `select d.id, d.check_id as "checkId", coalesce(a.alert_number, 0) as "alertNumber",
        d.message, d.id = any($1::uuid[]) as "isOwn",
        d.is_replay or case when d.message ->> 'kind' = any($5::text[])
          then not exists (select 1 from alert_states s where s.check_id = d.check_id
            and (s.state ->> 'alertNumber')::int > a.alert_number
            and s.state ->> 'alertedKind' is not null)
          else not exists (select 1 from alert_responses r where r.check_id = d.check_id
              and r.alert_number = a.alert_number and r.action = 'REASSIGNED'
              and r.at > d.decided_at)
            and exists (select 1 from deliveries p left join alerts own on own.id = p.alert_id
            left join alert_states s on s.check_id = p.check_id
              and (s.state ->> 'alertNumber')::int = own.alert_number
              and s.state ->> 'alertedKind' is not null
            where p.page_id = d.page_id and p.method_id is null
              and (coalesce(own.alert_number, 0) = 0 or p.message ->> 'kind' = 'ALERT_SSL'
                or (s.check_id is not null and (s.state ->> 'acknowledgedAtMs' is null
                  or (s.state ->> 'acknowledgedAtMs')::float8
                    <= extract(epoch from d.decided_at) * 1000)))) end as "isNeeded"
      from deliveries d left join alerts a on a.id = d.alert_id
      where d.id = any($1::uuid[]) or (d.storm_id = $2 and d.user_id = $3 and d.method_id = $4
        and d.status = 'SENT' and d.id < all($1::uuid[]))
      order by d.id`,
    values: [deliveryIds, stormId, userId, methodId, recoveryKinds],
  });
}

/** Returns the account of a delivery; `null` if the delivery does not exist. */
export async function findDeliveryAccount(db: Database, id: string): Promise<string | null> {
  const [row] = await runPrepared<{ accountId: string }>(db, {
    name: "find-delivery-account",
    text: `select account_id as "accountId" from deliveries where id = $1`,
    values: [id],
  });
  return row?.accountId ?? null;
}

/**
 * Lists the alerts that a grouped message contains, by the id of its newest delivery: those of its
 * storm so far, or those of its digest.
 */
export function listGroupedAlerts(
  db: Database,
  newestId: string,
): Promise<{ readonly checkId: string; readonly alertNumber: number }[]> {
  return runPrepared(db, {
    name: "list-grouped-alerts",
    text: `select distinct one.check_id as "checkId", a.alert_number as "alertNumber"
      from (select * from deliveries where id = $1) as newest
      cross join lateral (
        select check_id, alert_id from deliveries as member
        where member.storm_id = newest.storm_id and member.user_id = newest.user_id
          and member.method_id = newest.method_id and member.id <= newest.id
          and member.status in ('SENT', 'PENDING')
        union all select check_id, alert_id from deliveries as member
        where newest.storm_id is null and member.digest_id = newest.digest_id) as one
      join alerts a on a.id = one.alert_id
      order by 1`,
    values: [newestId],
  });
}
