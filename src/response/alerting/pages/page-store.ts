import type { AlertMessage } from "../../../channels/alert-channels/index.ts";
import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import type { AlertState } from "../alert-state.ts";
import { type DeliveryStep, trimmedHistory } from "../delivery-store.ts";
import type { PagedAlert, PageMessage } from "./page.ts";

export interface PendingPage extends PagedAlert {
  readonly id: string;
  readonly message: AlertMessage;
  /** Id of the addressed channel, before any reroute; `null` if deleted or for manual pages. */
  readonly channelId: number | null;
}

const pageColumns = `d.id, d.check_id as "checkId", d.alert_id as "alertId",
  coalesce(d.rerouted_from_id, d.alert_channel_id) as "channelId",
  coalesce(a.alert_number, 0) as "alertNumber", d.message ->> 'kind' as kind, d.message`;

/** Locks the given pages that are still pending, so that each page is expanded only once. */
export function lockPendingPages(db: Database, ids: readonly string[]): Promise<PendingPage[]> {
  return runPrepared(db, {
    name: "lock-pending-pages",
    text: `select ${pageColumns} from deliveries d left join alerts a on a.id = d.alert_id
      where d.id = any($1::uuid[]) and d.status = 'PENDING' order by d.id for update of d`,
    values: [ids],
  });
}

/** Lists the alerts that a page is about: one, or several if an older version stored the page. */
export function listPagedAlerts(db: Database, pageId: string): Promise<PendingPage[]> {
  return runPrepared(db, {
    name: "list-paged-alerts",
    text: `select ${pageColumns} from deliveries d left join alerts a on a.id = d.alert_id
      where d.page_id = $1 and d.method_id is null order by d.id`,
    values: [pageId],
  });
}

/** Lists the alerts of the given deliveries to a channel. */
export function listDeliveredAlerts(db: Database, ids: readonly string[]): Promise<PendingPage[]> {
  return runSql(
    db,
    `select ${pageColumns} from deliveries d left join alerts a on a.id = d.alert_id
      where d.id = any($1::uuid[]) order by d.id`,
    [ids],
  );
}

/**
 * Lists the messages to the other targets of an alert's escalation step. A page that has not been
 * expanded into messages counts as one message.
 */
export function listOtherTargets(
  db: Database,
  step: {
    readonly alertId: string;
    readonly exceptIds: readonly string[];
    readonly channelIds: readonly number[];
  },
): Promise<Pick<PageMessage, "status" | "attempts">[]> {
  return runSql(
    db,
    `select coalesce(m.status, t.status) as status, coalesce(m.attempts, t.attempts) as attempts
      from deliveries t
      left join deliveries m on m.page_id = t.page_id and m.page_id is not null
        and m.method_id is not null and m.method_id <> 'fallback'
      where t.alert_id = $1 and t.method_id is null and t.id <> all($2::uuid[])
        and coalesce(t.rerouted_from_id, t.alert_channel_id) = any($3::int[])`,
    [step.alertId, step.exceptIds, step.channelIds],
  );
}

/** Whether a message about a problem was delivered. Pages do not count, only their messages. */
export async function hasReachedAnybody(
  db: Database,
  accountId: string,
  { checkId, alertNumber }: Pick<PagedAlert, "checkId" | "alertNumber">,
): Promise<boolean> {
  const rows = await runSql(
    db,
    `select 1 from alerts a join deliveries d on d.alert_id = a.id
      where a.account_id = $1 and a.check_id = $2 and a.alert_number = $3 and d.status = 'SENT'
        and (d.method_id is not null or d.channel_type <> 'ONCALL') limit 1`,
    [accountId, checkId, alertNumber],
  );
  return rows.length > 0;
}

/** Returns the ids of the checks whose alerts are neither acknowledged nor recovered. */
export async function listOpenCheckIds(
  db: Database,
  alerts: readonly PagedAlert[],
): Promise<Set<string>> {
  // Alerts about certificates and locations have no alert state, so they always count as open.
  const lasting = alerts.filter(
    ({ kind, alertNumber }) => kind === "ALERT_SSL" || alertNumber === 0,
  );
  const rows = await runPrepared<{ checkId: string }>(db, {
    name: "list-open-paged-checks",
    text: `select s.check_id as "checkId" from alert_states s
      join unnest($1::uuid[], $2::int[]) as paged (check_id, alert_number)
        on paged.check_id = s.check_id
      where (s.state ->> 'alertNumber')::int = paged.alert_number
        and s.state ->> 'alertedKind' is not null and s.state ->> 'acknowledgedAtMs' is null`,
    values: [alerts.map(({ checkId }) => checkId), alerts.map(({ alertNumber }) => alertNumber)],
  });
  return new Set([...lasting, ...rows].map(({ checkId }) => checkId));
}

export interface PageEnd {
  readonly ids: readonly string[];
  readonly userId: string | null;
  readonly status: "SENT" | "DEAD" | "CANCELLED";
  /** New recipient of the pages; `null` leaves the recipient unchanged. */
  readonly recipient: string | null;
  readonly reason: string | null;
  readonly at: Date;
  /** Whether the escalation has already continued, so that later failures do not matter. */
  readonly fellThrough?: boolean;
}

/** Stores the outcome of pages. The same transaction must store their messages. */
export async function endPages(db: Database, end: PageEnd): Promise<void> {
  const { at, status, reason } = end;
  const what = status === "DEAD" ? "failed" : "sent";
  const step: DeliveryStep = { at: at.toISOString(), what, statusCode: null, reason, by: null };
  const steps = status === "CANCELLED" ? [] : [step];
  await runPrepared(db, {
    name: "end-pages",
    text: `update deliveries set status = $2, page_id = id, user_id = $3,
        recipient = coalesce($4, recipient), reason = $5, fell_through = $8,
        sent_at = case when $2 = 'SENT' then $6::timestamptz end, next_attempt_at = $6,
        claimed_until = null, history = ${trimmedHistory} || $7::jsonb
      where id = any($1::uuid[])`,
    values: [
      end.ids,
      status,
      end.userId,
      end.recipient,
      reason,
      at,
      JSON.stringify(steps),
      end.fellThrough ?? false,
    ],
  });
}

/** Another page to the same member about an alert. */
export interface OtherPage extends Pick<LockedPage, "fellThrough"> {
  readonly alertId: string;
}

/** Finds other pages to a member about alerts, preferably pages that have not failed. */
export function findOtherPages(
  db: Database,
  pages: {
    readonly alertIds: readonly string[];
    readonly userId: string;
    readonly exceptIds: readonly string[];
  },
): Promise<OtherPage[]> {
  return runPrepared(db, {
    name: "find-other-pages",
    text: `select distinct on (alert_id) alert_id as "alertId", fell_through as "fellThrough"
      from deliveries where alert_id = any($1::uuid[]) and user_id = $2 and id <> all($3::uuid[])
        and method_id is null and alert_channel_id is not null order by alert_id, fell_through`,
    values: [pages.alertIds, pages.userId, pages.exceptIds],
  });
}

/** Postpones pages. The current attempt does not count towards the maximum number of attempts. */
export async function postponePages(db: Database, ids: readonly string[], at: Date): Promise<void> {
  await runSql(
    db,
    `update deliveries set next_attempt_at = $2, claimed_until = null, attempts = attempts - 1
      where id = any($1::uuid[])`,
    [ids, at],
  );
}

export interface LockedPage {
  readonly id: string;
  readonly fellThrough: boolean;
  readonly recipient: string;
}

/** Locks pages, so that messages that fail at the same time are processed one after another. */
export function lockPages(db: Database, pageIds: readonly string[]): Promise<LockedPage[]> {
  return runPrepared(db, {
    name: "lock-pages",
    text: `select id, fell_through as "fellThrough", recipient from deliveries
      where id = any($1::uuid[]) order by id for update`,
    values: [pageIds],
  });
}

export function listPageMessages(db: Database, pageId: string): Promise<PageMessage[]> {
  return runPrepared(db, {
    name: "list-page-messages",
    text: `select id, status, attempts, next_attempt_at as "dueAt" from deliveries
      where page_id = $1 and method_id is not null and method_id <> 'fallback'
      order by id`,
    values: [pageId],
  });
}

/** Makes pending messages of later steps due now. */
export async function hurryMessages(
  db: Database,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await runSql(
    db,
    `update deliveries set next_attempt_at = $2
      where id = any($1::uuid[]) and status = 'PENDING' and next_attempt_at > $2`,
    [ids, now],
  );
}

export async function markFallenThrough(
  db: Database,
  pageId: string,
  reason: string,
): Promise<void> {
  await runSql(
    db,
    `update deliveries set fell_through = true, reason = $2, status = 'DEAD', sent_at = null
      where page_id = $1 and method_id is null`,
    [pageId, reason],
  );
}

/** Locks the alert state of a check against concurrent decisions and acknowledgements. */
export async function lockState(
  db: Database,
  accountId: string,
  checkId: string,
): Promise<AlertState | null> {
  const [row] = await runSql<{ state: AlertState }>(
    db,
    "select state from alert_states where check_id = $1 and account_id = $2 for update",
    [checkId, accountId],
  );
  return row?.state ?? null;
}

const cancelled = (row: string) => `${row}.status = 'PENDING'
  and ${row}.method_id is not null and ${row}.user_id is not null
  and (${row}.claimed_until is null or ${row}.claimed_until < $2)`;

/** Cancels the pending messages of pages, except messages that are being sent right now. */
export async function cancelMessages(
  db: Database,
  pageIds: readonly string[],
  { now, reason }: { readonly now: Date; readonly reason: string },
): Promise<void> {
  if (pageIds.length === 0) return;
  await runPrepared(db, {
    name: "cancel-page-messages",
    // Rows are locked in one order, because several pages may be cancelled at the same time.
    text: `with locked as materialized (select d.id from deliveries d
        where d.page_id = any($1::uuid[]) and d.page_id is not null and ${cancelled("d")}
        order by d.id for update)
      update deliveries set status = 'CANCELLED', reason = $3
      where id in (select id from locked)`,
    values: [pageIds, now, reason],
  });
}

/** Cancels claimed messages instead of sending them, so that the current attempt does not count. */
export async function cancelClaimed(
  db: Database,
  ids: readonly string[],
  reason: string,
): Promise<void> {
  if (ids.length === 0) return;
  await runPrepared(db, {
    name: "cancel-claimed-messages",
    text: `update deliveries set status = 'CANCELLED', reason = $2, claimed_until = null,
        attempts = attempts - 1
      where id = any($1::uuid[]) and status = 'PENDING'`,
    values: [ids, reason],
  });
}

/**
 * Cancels the pending messages of pages about acknowledged alerts. Messages of a digest stay
 * pending: they are cancelled when they are due, if no alert of the digest is open then.
 */
export async function cancelAcknowledged(
  db: Database,
  alerts: readonly { readonly checkId: string; readonly alertNumber: number }[],
  { at, by }: { readonly at: Date; readonly by: string },
): Promise<void> {
  if (alerts.length === 0) return;
  const rows = await runPrepared<{ pageId: string }>(db, {
    name: "list-pages-of-alerts",
    text: `select distinct p.page_id as "pageId"
      from unnest($1::uuid[], $2::int[]) as acknowledged (check_id, alert_number)
      join alerts a on a.check_id = acknowledged.check_id
        and a.alert_number = acknowledged.alert_number
      join deliveries p on p.alert_id = a.id and p.page_id = p.id and p.digest_id is null`,
    values: [alerts.map(({ checkId }) => checkId), alerts.map(({ alertNumber }) => alertNumber)],
  });
  const pageIds = rows.map(({ pageId }) => pageId);
  await cancelMessages(db, pageIds, { now: at, reason: `Not sent: acknowledged by ${by}.` });
}
