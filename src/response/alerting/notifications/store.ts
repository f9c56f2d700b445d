import { type Database, runSql } from "../../../platform/database.ts";
import { containing } from "../../../platform/text/patterns.ts";
import { type DeliveryStatus, type DeliveryStep, trimmedHistory } from "../delivery-store.ts";

/** State of one message to a channel or contact method, with the history of its attempts. */
export interface Receipt {
  readonly id: string;
  readonly alertId: string;
  readonly checkId: string;
  readonly checkName: string | null;
  readonly alertChannelId: number | null;
  readonly channelType: string;
  readonly recipient: string;
  readonly kind: string;
  readonly title: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly reason: string | null;
  readonly decidedAt: Date;
  readonly sentAt: Date | null;
  readonly nextAttemptAt: Date;
  readonly history: readonly DeliveryStep[];
  /** Id of the digest that the message was part of; `null` if the message was sent separately. */
  readonly digestId: string | null;
  /** End of the quiet hours that the message waited for; `null` if the message was not held. */
  readonly heldUntil: Date | null;
  /** Id of the channel whose quiet hours rerouted the message; `null` if none did. */
  readonly reroutedFromId: number | null;
  /** Id of the page that the message belongs to; `null` if the message belongs to no page. */
  readonly pageId: string | null;
}

export interface ReceiptQuery {
  readonly limit: number;
  readonly page: number;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly alertChannelId?: number | undefined;
  readonly hasFailures?: boolean | undefined;
  readonly checkId?: string | undefined;
  readonly alertId?: string | undefined;
  readonly status?: Receipt["status"] | undefined;
}

const columns = `d.id, d.alert_id as "alertId", d.check_id as "checkId",
  coalesce(c.name, d.message ->> 'checkName') as "checkName",
  d.digest_id as "digestId", d.alert_channel_id as "alertChannelId", d.channel_type as "channelType", d.recipient,
  d.message ->> 'kind' as kind, d.message ->> 'title' as title, d.status, d.attempts,
  d.status_code as "statusCode", d.reason, d.decided_at as "decidedAt", d.sent_at as "sentAt",
  d.next_attempt_at as "nextAttemptAt", d.history, d.held_until as "heldUntil",
  d.rerouted_from_id as "reroutedFromId",
  case when d.method_id is not null then d.page_id end as "pageId"`;

export async function listReceipts(
  db: Database,
  accountId: string,
  query: ReceiptQuery,
): Promise<{ readonly receipts: Receipt[]; readonly total: number }> {
  const { from, to, alertChannelId, hasFailures, checkId, alertId, status } = query;
  const filter = `d.account_id = $1
    and ($2::timestamptz is null or d.decided_at >= $2)
    and ($3::timestamptz is null or d.decided_at < $3)
    and ($4::int is null or d.alert_channel_id = $4)
    and ($5::boolean is null or (d.reason is not null and d.status <> 'CANCELLED') = $5)
    and ($6::uuid is null or d.check_id = $6)
    and ($7::uuid is null or d.alert_id = $7)
    and ($8::text is null or d.status = $8)`;
  const values = [accountId, from, to, alertChannelId, hasFailures, checkId, alertId, status];
  const receipts = await runSql<Receipt>(
    db,
    `select ${columns} from deliveries d left join checks_with_period c on c.id = d.check_id
      where ${filter} order by d.id desc limit $9 offset $10`,
    [...values, query.limit, Math.max(0, query.page - 1) * query.limit],
  );
  const [counted] = await runSql<{ total: number }>(
    db,
    `select count(*) as total from deliveries d where ${filter}`,
    values,
  );
  return { receipts, total: counted?.total ?? 0 };
}

export async function findReceipt(
  db: Database,
  accountId: string,
  id: string,
): Promise<Receipt | null> {
  const rows = await runSql<Receipt>(
    db,
    `select ${columns} from deliveries d
      left join checks_with_period c on c.id = d.check_id
      where d.account_id = $1 and d.id = $2`,
    [accountId, id],
  );
  return rows[0] ?? null;
}

/** Lists the messages of the given alerts, oldest first. */
export async function listReceiptsOf(
  db: Database,
  accountId: string,
  { alertIds, limit }: { readonly alertIds: readonly string[]; readonly limit: number },
): Promise<Receipt[]> {
  return runSql<Receipt>(
    db,
    `select ${columns} from deliveries d
      left join checks_with_period c on c.id = d.check_id
      where d.alert_id = any($1::uuid[]) and d.account_id = $2 order by d.id limit $3`,
    [alertIds, accountId, limit],
  );
}

/**
 * Makes a message pending again. It does not delay newer messages of its check. Returns false if
 * the message is already pending.
 */
export async function replayDelivery(
  db: Database,
  accountId: string,
  replay: { readonly id: string; readonly now: Date; readonly by: string },
): Promise<boolean> {
  const { now, by } = replay;
  const nothing = { statusCode: null, reason: null };
  const step: DeliveryStep = { at: now.toISOString(), what: "replayed", ...nothing, by };
  const rows = await runSql(
    db,
    `update deliveries set status = 'PENDING', attempts = 0, reason = null,
        status_code = null, sent_at = null, claimed_until = null, next_attempt_at = $1,
        is_collected = false, digest_id = null, held_until = null, storm_id = null,
        is_replay = true,
        history = ${trimmedHistory} || $2::jsonb
      where account_id = $3 and id = $4 and status <> 'PENDING' returning 1`,
    [now, JSON.stringify(step), accountId, replay.id],
  );
  return rows.length > 0;
}

export interface AlertRecord {
  readonly id: string;
  readonly checkId: string;
  readonly checkName: string | null;
  readonly alertNumber: number;
  readonly kind: string;
  readonly heldKind: string | null;
  readonly reason: string;
  readonly parentId: string | null;
  readonly resultId: string | null;
  readonly isReminder: boolean;
  /** One sentence that explains the decision; `null` for alerts stored before the field existed. */
  readonly explanation: string | null;
  readonly startedAt: Date | null;
  readonly at: Date;
  readonly decidedAt: Date;
  /** Number of messages of the alert by delivery state. Cancelled messages are not counted. */
  readonly messages: { readonly sent: number; readonly pending: number; readonly dead: number };
}

export interface AlertRecordQuery {
  readonly limit: number;
  readonly page: number;
  readonly checkId: string | null;
  readonly alertType?: string | undefined;
  readonly isHeld?: boolean | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly search?: string | undefined;
}

/** SQL columns of an alert. The query must join `alerts` as `a` and the checks as `c`. */
export const recordColumns = `a.id, a.check_id as "checkId", c.name as "checkName",
  a.alert_number as "alertNumber", a.kind, a.held_kind as "heldKind", a.reason, a.explanation,
  a.parent_id as "parentId", a.result_id as "resultId", a.is_reminder as "isReminder", a.at,
  a.started_at as "startedAt", a.decided_at as "decidedAt",
  (select jsonb_build_object(
    'sent', count(*) filter (where d.status = 'SENT'
      and (d.page_id is null or d.method_id is not null)),
    'pending', count(*) filter (where d.status = 'PENDING'),
    'dead', count(*) filter (where d.status = 'DEAD'))
    from deliveries d where d.alert_id = a.id) as messages`;

export async function listAlertRecords(
  db: Database,
  accountId: string,
  query: AlertRecordQuery,
): Promise<{ readonly records: AlertRecord[]; readonly total: number }> {
  const { checkId, alertType, isHeld, from, to, search } = query;
  const pattern = search === undefined ? null : containing(search);
  const filtered = `from alerts a left join checks_with_period c on c.id = a.check_id
    where a.account_id = $1
    and ($2::uuid is null or a.check_id = $2)
    and ($3::text is null or coalesce(a.held_kind, a.kind) = $3)
    and ($4::boolean is null or (a.held_kind is not null) = $4)
    and ($5::timestamptz is null or a.at >= $5)
    and ($6::timestamptz is null or a.at < $6)
    and ($7::text is null or c.name ilike $7)`;
  const values = [accountId, checkId, alertType, isHeld, from, to, pattern];
  const records = await runSql<AlertRecord>(
    db,
    `select ${recordColumns} ${filtered} order by a.id desc limit $8 offset $9`,
    [...values, query.limit, Math.max(0, query.page - 1) * query.limit],
  );
  const [counted] = await runSql<{ total: number }>(
    db,
    `select count(*) as total ${filtered}`,
    values,
  );
  return { records, total: counted?.total ?? 0 };
}
