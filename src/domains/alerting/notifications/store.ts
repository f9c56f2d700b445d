import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import { containing } from "../../../platform/text/patterns.ts";
import { checkRows } from "../../checks/index.ts";
import { type DeliveryStep, trimmedHistory } from "../delivery-store.ts";

/** The outcome of one message to one channel. */
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
  readonly status: "PENDING" | "SENT" | "DEAD";
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly reason: string | null;
  readonly decidedAt: Date;
  readonly sentAt: Date | null;
  readonly nextAttemptAt: Date;
  readonly history: readonly DeliveryStep[];
  /** Id of the digest that the message was part of; `null` if it was sent alone. */
  readonly digestId: string | null;
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

const checks = sql.raw(checkRows);

const columns = sql`d.id, d.alert_id as "alertId", d.check_id as "checkId",
  coalesce(c.name, d.message ->> 'checkName') as "checkName",
  d.digest_id as "digestId", d.alert_channel_id as "alertChannelId", d.channel_type as "channelType", d.recipient,
  d.message ->> 'kind' as kind, d.message ->> 'title' as title, d.status, d.attempts,
  d.status_code as "statusCode", d.reason, d.decided_at as "decidedAt", d.sent_at as "sentAt",
  d.next_attempt_at as "nextAttemptAt", d.history`;

export async function listReceipts(
  db: Database,
  accountId: string,
  query: ReceiptQuery,
): Promise<{ readonly receipts: Receipt[]; readonly total: number }> {
  const { from = null, to = null, alertChannelId = null, hasFailures = null } = query;
  const { checkId = null, alertId = null, status = null } = query;
  const filter = sql`d.account_id = ${accountId}
    and (${from}::timestamptz is null or d.decided_at >= ${from})
    and (${to}::timestamptz is null or d.decided_at < ${to})
    and (${alertChannelId}::int is null or d.alert_channel_id = ${alertChannelId})
    and (${hasFailures}::boolean is null or (d.reason is not null) = ${hasFailures})
    and (${checkId}::uuid is null or d.check_id = ${checkId})
    and (${alertId}::uuid is null or d.alert_id = ${alertId})
    and (${status}::text is null or d.status = ${status})`;
  const { rows } = await sql<Receipt>`select ${columns} from deliveries d
    left join ${checks} c on c.id = d.check_id where ${filter} order by d.id desc
    limit ${query.limit} offset ${Math.max(0, query.page - 1) * query.limit}`.execute(db);
  const counted = await sql<{ total: number }>`
    select count(*) as total from deliveries d where ${filter}`.execute(db);
  return { receipts: rows, total: counted.rows[0]?.total ?? 0 };
}

export async function findReceipt(
  db: Database,
  accountId: string,
  id: string,
): Promise<Receipt | null> {
  const { rows } = await sql<Receipt>`select ${columns} from deliveries d
    left join ${checks} c on c.id = d.check_id
    where d.account_id = ${accountId} and d.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Lists the messages of the given alerts, oldest first. */
export async function listReceiptsOf(
  db: Database,
  accountId: string,
  { alertIds, limit }: { readonly alertIds: readonly string[]; readonly limit: number },
): Promise<Receipt[]> {
  const { rows } = await sql<Receipt>`select ${columns} from deliveries d
    left join ${checks} c on c.id = d.check_id
    where d.alert_id = any(${alertIds}::uuid[]) and d.account_id = ${accountId}
    order by d.id limit ${limit}`.execute(db);
  return rows;
}

/** Makes a sent or abandoned message pending again. */
export async function replayDelivery(
  db: Database,
  accountId: string,
  replay: { readonly id: string; readonly now: Date; readonly by: string },
): Promise<boolean> {
  const { now, by } = replay;
  const nothing = { statusCode: null, reason: null };
  const step: DeliveryStep = { at: now.toISOString(), what: "replayed", ...nothing, by };
  const { numAffectedRows = 0n } =
    await sql`update deliveries set status = 'PENDING', attempts = 0, reason = null,
      status_code = null, sent_at = null, claimed_until = null, next_attempt_at = ${now},
      is_collected = false, digest_id = null,
      history = ${sql.raw(trimmedHistory)} || ${JSON.stringify(step)}::jsonb
    where account_id = ${accountId} and id = ${replay.id} and status <> 'PENDING'`.execute(db);
  return numAffectedRows > 0n;
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
  /** `null` for alerts stored before the field existed. */
  readonly explanation: string | null;
  readonly startedAt: Date | null;
  readonly at: Date;
  readonly decidedAt: Date;
  /** Number of messages, by outcome. */
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

/** Columns of `alerts a` joined with its check `c`. */
export const recordColumns = sql`a.id, a.check_id as "checkId", c.name as "checkName",
  a.alert_number as "alertNumber", a.kind, a.held_kind as "heldKind", a.reason, a.explanation,
  a.parent_id as "parentId", a.result_id as "resultId", a.is_reminder as "isReminder", a.at,
  a.started_at as "startedAt", a.decided_at as "decidedAt",
  (select jsonb_build_object(
    'sent', count(*) filter (where d.status = 'SENT'),
    'pending', count(*) filter (where d.status = 'PENDING'),
    'dead', count(*) filter (where d.status = 'DEAD'))
    from deliveries d where d.alert_id = a.id) as messages`;

export async function listAlertRecords(
  db: Database,
  accountId: string,
  query: AlertRecordQuery,
): Promise<{ readonly records: AlertRecord[]; readonly total: number }> {
  const { alertType = null, isHeld = null, from = null, to = null, search } = query;
  const pattern = search === undefined ? null : containing(search);
  const filter = sql`a.account_id = ${accountId}
    and (${query.checkId}::uuid is null or a.check_id = ${query.checkId})
    and (${alertType}::text is null or coalesce(a.held_kind, a.kind) = ${alertType})
    and (${isHeld}::boolean is null or (a.held_kind is not null) = ${isHeld})
    and (${from}::timestamptz is null or a.at >= ${from})
    and (${to}::timestamptz is null or a.at < ${to})
    and (${pattern}::text is null or c.name ilike ${pattern})`;
  const { rows } = await sql<AlertRecord>`select ${recordColumns}
    from alerts a left join ${checks} c on c.id = a.check_id where ${filter} order by a.id desc
    limit ${query.limit} offset ${Math.max(0, query.page - 1) * query.limit}`.execute(db);
  const counted = await sql<{ total: number }>`
    select count(*) as total from alerts a
    left join ${checks} c on c.id = a.check_id where ${filter}`.execute(db);
  return { records: rows, total: counted.rows[0]?.total ?? 0 };
}
