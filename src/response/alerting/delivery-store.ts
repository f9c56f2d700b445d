import { type AlertMessage, composeDigest } from "../../channels/alert-channels/index.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import type { ClaimedDelivery, DeliveryClaim, DeliveryEnd } from "../../platform/deliverer.ts";
import { collectStorms } from "./digest-store.ts";

export interface NewDelivery {
  readonly id: string;
  readonly accountId: string;
  readonly alertId: string;
  readonly checkId: string;
  /** `null` for a recovery of pages that belong to no channel. */
  readonly alertChannelId: number | null;
  readonly channelType: string;
  readonly recipient: string;
  readonly message: AlertMessage;
  /**
   * Whether the channel may receive the message as part of a digest. A digest combines several
   * messages if a channel would receive more than three messages within a minute.
   */
  readonly acceptsDigests: boolean;
  /**
   * End of the quiet hours that the message waits for, and whether the message joins a digest;
   * `null` or omitted if the message is not held.
   */
  readonly hold?: { readonly untilMs: number; readonly isCollected: boolean } | null;
  /** Id of the channel whose quiet hours rerouted the message; `null` or omitted if none did. */
  readonly reroutedFromId?: number | null;
}

/** Inserts deliveries in the transaction of the decision, so that a crash loses no alert. */
export async function insertDeliveries(
  db: Database,
  deliveries: readonly NewDelivery[],
  decidedAt: Date,
): Promise<void> {
  if (deliveries.length === 0) return;
  const storms = await collectStorms(db, deliveries, decidedAt);
  const collections = deliveries.map(({ acceptsDigests, alertChannelId, hold }) => {
    if (hold) return { dueAtMs: hold.untilMs, isCollected: hold.isCollected };
    const found =
      acceptsDigests && alertChannelId !== null ? storms.get(alertChannelId) : undefined;
    return found ?? { dueAtMs: decidedAt.getTime(), isCollected: false };
  });
  await runPrepared(db, {
    name: "insert-deliveries",
    text: `insert into deliveries (id, account_id, alert_id, check_id, alert_channel_id,
        channel_type, recipient, message, status, next_attempt_at, is_collected, decided_at,
        held_until, rerouted_from_id)
      select id, account_id, alert_id, check_id, channel_id, channel_type, recipient,
        message::jsonb, 'PENDING', due_at, is_collected, $9, held_until, rerouted_from_id
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::text[],
        $7::text[], $8::text[], $10::timestamptz[], $11::boolean[], $12::timestamptz[],
        $13::int[]) as one (id, account_id, alert_id, check_id, channel_id, channel_type,
        recipient, message, due_at, is_collected, held_until, rerouted_from_id)`,
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
      collections.map(({ dueAtMs }) => new Date(dueAtMs)),
      collections.map(({ isCollected }) => isCollected),
      deliveries.map(({ hold }) => (hold ? new Date(hold.untilMs) : null)),
      deliveries.map(({ reroutedFromId }) => reroutedFromId ?? null),
    ],
  });
}

export type DeliveryStatus = "PENDING" | "SENT" | "DEAD" | "CANCELLED";

/** A message to send: one delivery, or all deliveries of one digest. */
export interface AlertDelivery extends ClaimedDelivery {
  /** Ids of all deliveries that the message covers. */
  readonly deliveryIds: readonly string[];
  readonly accountId: string;
  readonly alertChannelId: number | null;
  readonly channelType: string;
  readonly recipient: string;
  readonly message: AlertMessage;
  readonly decidedAt: Date;
  /** End of the quiet hours that the message waited for; `null` if the message was not held. */
  readonly heldUntil: Date | null;
  /** Ids of the pages that the message belongs to; empty if the message belongs to no page. */
  readonly pageIds: readonly string[];
  /** Id of the storm whose earlier alerts the message repeats; `null` if there is none. */
  readonly stormId: string | null;
  /** Id of the member who receives a message of a page; `null` for other messages. */
  readonly userId: string | null;
  /** Id of the contact method that receives a message of a page; `null` for other messages. */
  readonly methodId: string | null;
}

interface ClaimedRow extends Omit<AlertDelivery, "deliveryIds" | "pageIds"> {
  readonly pageId: string | null;
  readonly digestId: string | null;
}

/** Combines the deliveries of each digest into a message whose idempotency key is the digest id. */
function joinDigests(rows: readonly ClaimedRow[]): AlertDelivery[] {
  const ordered = rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const groups = Map.groupBy(ordered, ({ id, digestId }) => digestId ?? id);
  return [...groups].map(([id, members]) => {
    const [first, ...others] = members as [ClaimedRow, ...ClaimedRow[]];
    const deliveryIds = members.map((one) => one.id);
    const pageIds = members.flatMap(({ pageId }) => pageId ?? []);
    if (others.length === 0) return { ...first, deliveryIds, pageIds };
    const messages = members.map(({ message }) => message);
    const attempts = Math.max(...members.map((one) => one.attempts));
    const when = first.heldUntil === null ? "within a minute" : "during quiet hours";
    const digest = { ...first, id, attempts, deliveryIds, pageIds };
    // The message of a page is composed when it is sent, from the alerts that are still open then.
    return first.stormId === null
      ? { ...digest, message: composeDigest(messages, id, when) }
      : digest;
  });
}

/** Maximum number of pages of one channel that one transaction expands into messages. */
const maxPages = 500;

/** SQL condition for pages, as opposed to messages. */
export const isPage = "channel_type = 'ONCALL' and method_id is null";
const isFirstOfCheck = `one.id = (select first.id from deliveries as first
  where first.status = 'PENDING' and first.check_id = one.check_id and not first.is_replay
    and first.alert_channel_id = one.alert_channel_id order by first.id limit 1)`;

const claimedColumns = `id, account_id as "accountId", alert_channel_id as "alertChannelId",
  message, attempts, decided_at as "decidedAt", held_until as "heldUntil",
  channel_type as "channelType", recipient, page_id as "pageId", user_id as "userId",
  method_id as "methodId", storm_id as "stormId"`;

/**
 * Claims due pages, which are expanded into messages. All pages of a channel are expanded together,
 * but a page that failed is expanded alone, so that it does not delay the others.
 */
export async function claimPages(
  db: Database,
  { now, until }: Pick<DeliveryClaim, "now" | "until">,
): Promise<AlertDelivery[]> {
  const rows = await runPrepared<ClaimedRow>(db, {
    name: "claim-pages",
    text: `with chosen as materialized (
        select id from deliveries where status = 'PENDING' and id in (
          select id from (select id, row_number()
              over (partition by alert_channel_id order by next_attempt_at, id) as place
            from deliveries as one where status = 'PENDING' and ${isPage}
              and next_attempt_at <= $1 and (claimed_until is null or claimed_until < $1)
              and (is_replay or alert_channel_id is null or ${isFirstOfCheck})
            order by next_attempt_at limit 5000) as placed where place <= ${maxPages})
        and (claimed_until is null or claimed_until < $1) order by id for update skip locked)
      update deliveries set claimed_until = $2, attempts = attempts + 1
      where id in (select id from chosen)
      returning ${claimedColumns}, null as lane`,
    values: [now, until],
  });
  const batches = Map.groupBy(rows, ({ id, alertChannelId, attempts }) =>
    alertChannelId === null || attempts > 1 ? id : String(alertChannelId),
  );
  return [...batches.values()].map((pages) => {
    const [first] = pages as [ClaimedRow, ...ClaimedRow[]];
    return { ...first, deliveryIds: pages.map(({ id }) => id), pageIds: [] };
  });
}

/**
 * SQL expression that groups messages for the concurrency limit: by channel, or by contact method
 * of a member.
 */
const lane = `coalesce(alert_channel_id::text, user_id::text || ' ' || method_id)`;

/**
 * Claims due messages. The messages of a check to a channel stay in order, so that a recovery
 * never overtakes its failure. A subquery finds the first pending message for each delivery. A join
 * could use a plan that PostgreSQL cached while the queue was empty, and that plan reads the whole
 * queue for every delivery.
 */
export async function claimDeliveries(
  db: Database,
  claim: DeliveryClaim,
  perChannel: number,
): Promise<AlertDelivery[]> {
  const { now, until, limit, underWay } = claim;
  const lanes = [...underWay.keys()];
  // The backlog of a channel at its limit must not hide the deliveries of other channels.
  const full = [...underWay].filter(([, count]) => count >= perChannel).map(([lane]) => lane);
  const rows = await runPrepared<ClaimedRow>(db, {
    name: "claim-deliveries",
    text: `with chosen as materialized (
        select id, digest_id from (
          select id, digest_id, next_attempt_at, coalesce(busy.count, 0) + row_number()
            over (partition by due.lane order by next_attempt_at, id) as place
          from (select id, digest_id, next_attempt_at, ${lane} as lane from deliveries as one
            where status = 'PENDING' and next_attempt_at <= $1
              and (claimed_until is null or claimed_until < $1)
              and (${lane} is null or ${lane} <> all($7::text[]))
              and not (${isPage})
              and case when one.digest_id is not null then one.id = (
                select first.id from deliveries as first where first.status = 'PENDING'
                  and first.digest_id = one.digest_id order by first.id limit 1)
                else one.is_replay or one.alert_channel_id is null or ${isFirstOfCheck} end
            order by next_attempt_at limit 2000) as due
          left join unnest($5::text[], $6::int[]) as busy (lane, count)
            on busy.lane = due.lane) as placed
        where place <= $4 order by next_attempt_at limit $3),
      -- A claim skips what another transaction has locked: a claim that waits for a row while it
      -- has locked others may deadlock. The first row of a digest stands for the whole digest, so
      -- that no two servers claim parts of it.
      leaders as materialized (select one.id, one.digest_id from deliveries as one
        where one.id in (select id from chosen) and one.status = 'PENDING'
          and (one.claimed_until is null or one.claimed_until < $1) for update skip locked),
      locked as materialized (select one.id from deliveries as one
        where one.id in (select id from leaders union all
          select member.id from leaders join deliveries as member
            on member.digest_id = leaders.digest_id and member.status = 'PENDING')
        and one.status = 'PENDING' and (one.claimed_until is null or one.claimed_until < $1)
        for update skip locked)
      update deliveries set claimed_until = $2, attempts = attempts + 1
      where id in (select id from locked)
      returning ${claimedColumns}, ${lane} as lane, digest_id as "digestId"`,
    values: [now, until, limit, perChannel, lanes, [...underWay.values()], full],
  });
  return joinDigests(rows);
}

/** An entry of the delivery history: one attempt or one manual replay. */
export interface DeliveryStep {
  readonly at: string;
  readonly what: "sent" | "failed" | "replayed";
  readonly statusCode: number | null;
  readonly reason: string | null;
  /** Name of the person or API key that requested the replay; `null` for attempts. */
  readonly by: string | null;
}

/**
 * Maximum number of entries in the delivery history of a message. Automatic attempts alone do not
 * reach this maximum, but each manual replay adds an entry and allows new attempts. If the history
 * is full, a new entry replaces the oldest entry.
 */
export const maxSteps = 40;

/** SQL expression for the delivery history, without its oldest step if the maximum is reached. */
export const trimmedHistory = `(case when jsonb_array_length(history) >= ${maxSteps}
  then history - 0 else history end)`;

/** Stores the outcome of an attempt in all deliveries of a message. */
export async function finishDeliveries(
  db: Database,
  ids: readonly string[],
  { at, ...end }: DeliveryEnd & { readonly at: Date },
): Promise<void> {
  const { status, statusCode, reason } = end;
  const what = status === "SENT" ? "sent" : "failed";
  const step: DeliveryStep = { at: at.toISOString(), what, statusCode, reason, by: null };
  await runPrepared(db, {
    name: "finish-deliveries",
    text: `update deliveries set status = $2, next_attempt_at = $3, sent_at = $4,
      status_code = $5, reason = $6, claimed_until = null, history = ${trimmedHistory} || $7::jsonb
      where id = any($1::uuid[]) and status = 'PENDING'`,
    values: [ids, status, end.nextAttemptAt, end.sentAt, statusCode, reason, JSON.stringify(step)],
  });
}

/** SQL condition for alerts about problems that have not ended, of checks and of locations. */
const isOpen = `(exists (select 1 from alert_states s where s.check_id = a.check_id
    and s.state ->> 'alertedKind' is not null
    and (s.state ->> 'alertNumber')::int = a.alert_number)
  or a.alert_number = 0 and a.kind = 'ALERT_NO_DATA' and not exists (select 1 from alerts later
    where later.check_id = a.check_id and later.id > a.id and later.kind = 'ALERT_RECOVERY'))`;

/** Deletes old alerts and deliveries, except of open problems: they name who receives the end. */
export async function deleteDeliveriesBefore(db: Database, before: Date): Promise<void> {
  await runSql(
    db,
    `delete from deliveries d where decided_at < $1 and status <> 'PENDING'
      and not exists (select 1 from alerts a where a.id = d.alert_id and ${isOpen})`,
    [before],
  );
  await runSql(db, `delete from alerts a where decided_at < $1 and not ${isOpen}`, [before]);
  await runSql(db, "delete from alert_acknowledgements where at < $1", [before]);
  await runSql(db, "delete from alert_responses where at < $1", [before]);
}
