import { type Database, inTransaction, runPrepared, runSql } from "../../platform/database.ts";
import type { ClaimedDelivery, DeliveryClaim, DeliveryEnd } from "../../platform/deliverer.ts";
import { type AlertMessage, composeDigest } from "../alert-channels/index.ts";

/** Length of the window in which the messages to a channel are counted. */
const windowMs = 60_000;
/** Maximum number of separate messages per window. Further messages form a digest. */
const singleMessages = 3;

interface ChannelWindow {
  readonly endsAtMs: number;
  /** Number of messages in the window, including the messages of the current batch. */
  readonly messageCount: number;
}

interface Collection {
  readonly dueAtMs: number;
  /** True if the message joins a digest with the other messages that are due at `dueAtMs`. */
  readonly isCollected: boolean;
}

/**
 * Decides when the messages of one batch to a channel are sent. The first batch of a window is sent
 * immediately, as one digest if it has more than three messages. A later batch is sent immediately
 * if the window then has at most three messages. Otherwise, the batch waits for the end of the
 * window and joins a digest.
 */
export function decideCollection(
  { endsAtMs, messageCount }: ChannelWindow,
  batchCount: number,
  nowMs: number,
): Collection {
  const isFirst = messageCount === batchCount;
  if (isFirst) return { dueAtMs: nowMs, isCollected: batchCount > singleMessages };
  const isStorm = messageCount > singleMessages;
  return isStorm
    ? { dueAtMs: endsAtMs, isCollected: true }
    : { dueAtMs: nowMs, isCollected: false };
}

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

/**
 * Returns, for each channel, when its new messages are due and whether they join a digest. Ignores
 * messages that are held or that may not join a digest.
 */
async function collectStorms(
  db: Database,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<Map<number, Collection>> {
  const taking = deliveries.flatMap(({ acceptsDigests, hold, alertChannelId: id }) =>
    acceptsDigests && !hold && id !== null ? [id] : [],
  );
  const byChannel = Map.groupBy(taking, (id) => id);
  const counts = new Map([...byChannel].map(([id, list]) => [id, list.length]));
  const windows = await countMessages(db, counts, now);
  const collected = [...windows].map(
    ([id, window]) => [id, decideCollection(window, counts.get(id) ?? 0, now.getTime())] as const,
  );
  return new Map(collected);
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
  /** Id of the page that the message belongs to; `null` if the message belongs to no page. */
  readonly pageId: string | null;
  /** Id of the member who receives a message of a page; `null` for other messages. */
  readonly userId: string | null;
  /** Id of the contact method that receives a message of a page; `null` for other messages. */
  readonly methodId: string | null;
  readonly afterMinutes: number | null;
}

interface ClaimedRow extends Omit<AlertDelivery, "deliveryIds"> {
  readonly digestId: string | null;
}

/** Combines the deliveries of each digest into a message whose idempotency key is the digest id. */
function joinDigests(rows: readonly ClaimedRow[]): AlertDelivery[] {
  const ordered = rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const groups = Map.groupBy(ordered, ({ id, digestId }) => digestId ?? id);
  return [...groups].map(([id, members]) => {
    const [first, ...others] = members as [ClaimedRow, ...ClaimedRow[]];
    const deliveryIds = members.map((one) => one.id);
    if (others.length === 0) return { ...first, deliveryIds };
    const messages = members.map(({ message }) => message);
    const attempts = Math.max(...members.map((one) => one.attempts));
    const when = first.heldUntil === null ? "within a minute" : "during quiet hours";
    return { ...first, id, attempts, deliveryIds, message: composeDigest(messages, id, when) };
  });
}

/** Maximum number of pages of one channel that one transaction expands into messages. */
const maxPages = 200;

/** SQL condition for pages, as opposed to messages. */
export const isPage = "channel_type = 'ONCALL' and method_id is null";
const isFirstOfCheck = `one.id = (select first.id from deliveries as first
  where first.status = 'PENDING' and first.check_id = one.check_id
    and first.alert_channel_id = one.alert_channel_id order by first.id limit 1)`;

const claimedColumns = `id, account_id as "accountId", alert_channel_id as "alertChannelId",
  message, attempts, decided_at as "decidedAt", held_until as "heldUntil",
  channel_type as "channelType", recipient, page_id as "pageId", user_id as "userId",
  method_id as "methodId", after_minutes as "afterMinutes"`;

/**
 * Claims due pages, which are expanded into messages. All pages of a channel are expanded together,
 * but a page that failed is expanded alone, so that it does not delay the others.
 */
export async function claimPages(
  db: Database,
  { now, until }: Pick<DeliveryClaim, "now" | "until">,
): Promise<AlertDelivery[]> {
  const rows = await runPrepared<Omit<AlertDelivery, "deliveryIds">>(db, {
    name: "claim-pages",
    text: `with chosen as materialized (
        select id from deliveries where status = 'PENDING' and id in (
          select id from (select id, row_number()
              over (partition by alert_channel_id order by next_attempt_at, id) as place
            from deliveries as one where status = 'PENDING' and ${isPage}
              and next_attempt_at <= $1 and (claimed_until is null or claimed_until < $1)
              and (alert_channel_id is null or ${isFirstOfCheck})
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
    const [first] = pages as [AlertDelivery, ...AlertDelivery[]];
    return { ...first, deliveryIds: pages.map(({ id }) => id) };
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
                else one.alert_channel_id is null or ${isFirstOfCheck} end
            order by next_attempt_at limit 2000) as due
          left join unnest($5::text[], $6::int[]) as busy (lane, count)
            on busy.lane = due.lane) as placed
        where place <= $4 order by next_attempt_at limit $3)
      update deliveries set claimed_until = $2, attempts = attempts + 1
      where id in (select id from chosen union all
        select member.id from chosen join deliveries as member
          on member.digest_id = chosen.digest_id and member.status = 'PENDING')
      and status = 'PENDING' and (claimed_until is null or claimed_until < $1)
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
      where id = any($1::uuid[])`,
    values: [ids, status, end.nextAttemptAt, end.sentAt, statusCode, reason, JSON.stringify(step)],
  });
}

export async function deleteDeliveriesBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from deliveries where decided_at < $1 and status <> 'PENDING'", [
    before,
  ]);
  await runSql(db, "delete from alerts where decided_at < $1", [before]);
  await runSql(db, "delete from alert_acknowledgements where at < $1", [before]);
  await runSql(db, "delete from alert_responses where at < $1", [before]);
}

/** Key of the advisory lock that lets only one server form digests, which prevents deadlocks. */
const formingLock = 7_333_887;
/** Maximum number of deliveries in one digest. */
const maxMembers = 200;

/** Adds to the message count of each channel. Starts a new window if the last window has ended. */
async function countMessages(
  db: Database,
  counts: ReadonlyMap<number, number>,
  now: Date,
): Promise<Map<number, ChannelWindow>> {
  if (counts.size === 0) return new Map();
  const rows = await runPrepared<{ id: number; endsAt: Date; messageCount: number }>(db, {
    name: "count-channel-messages",
    text: `insert into channel_windows as w (alert_channel_id, ends_at, message_count)
      select id, $3, count from unnest($1::int[], $2::int[]) as one (id, count) order by id
      on conflict (alert_channel_id) do update set
        ends_at = case when w.ends_at <= $4 then excluded.ends_at else w.ends_at end,
        message_count = excluded.message_count
          + case when w.ends_at <= $4 then 0 else w.message_count end
      returning alert_channel_id as id, ends_at as "endsAt", message_count as "messageCount"`,
    values: [[...counts.keys()], [...counts.values()], new Date(now.getTime() + windowMs), now],
  });
  return new Map(
    rows.map(({ id, endsAt, messageCount }) => [id, { endsAtMs: endsAt.getTime(), messageCount }]),
  );
}

const formable = (row: string) => `${row}.is_collected and ${row}.digest_id is null
  and ${row}.attempts = 0 and ${row}.next_attempt_at <= $1 and ${row}.claimed_until is null`;

/**
 * Assigns due deliveries to digests before the deliveries are claimed. A recovery must never
 * overtake its failure: a delivery is not assigned while its check has an earlier delivery to the
 * same channel that cannot join a digest, for example because it is being retried.
 */
export async function formDigests(db: Database, now: Date): Promise<void> {
  const due = await runPrepared(db, {
    name: "has-digests-to-form",
    text: `select 1 from deliveries d where d.status = 'PENDING' and ${formable("d")} limit 1`,
    values: [now],
  });
  if (due.length === 0) return;
  await inTransaction(db, async (tx) => {
    const [lock] = await runSql<{ taken: boolean }>(
      tx,
      "select pg_try_advisory_xact_lock($1) as taken",
      [formingLock],
    );
    if (!lock?.taken) return;
    await runPrepared(tx, {
      name: "form-digests",
      text: `with due as materialized (
          select d.id, d.alert_channel_id, (row_number()
            over (partition by d.alert_channel_id order by d.id) - 1) / $2::int as part
          from deliveries d
          where d.status = 'PENDING' and d.alert_channel_id is not null and ${formable("d")}
            and not exists (select 1 from deliveries e where e.status = 'PENDING'
              and e.check_id = d.check_id and e.alert_channel_id = d.alert_channel_id
              and e.id < d.id and not (${formable("e")}))
          order by d.id limit 2000),
        digests as materialized (
          select alert_channel_id, part, gen_random_uuid() as digest_id
          from due group by alert_channel_id, part having count(*) > 1)
        update deliveries set digest_id = digests.digest_id
        from due join digests using (alert_channel_id, part)
        where deliveries.id = due.id and deliveries.status = 'PENDING' and ${formable("deliveries")}`,
      values: [now, maxMembers],
    });
  });
}
