import type { AlertMessage } from "../../../channels/alert-channels/index.ts";
import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import type { ClaimedDelivery, DeliveryClaim, DeliveryEnd } from "../../../platform/deliverer.ts";

/**
 * Length of the intervals in which pages are counted. The report later decides, in the time zone of
 * each person, which intervals are at night. No interval is partly at night, because time zone
 * offsets are multiples of 15 minutes.
 */
const binMs = 15 * 60_000;
/** Maximum number of 15-minute intervals in a report; only the newest ones are reported. */
const maxBins = 100_000;

interface PersonPages {
  readonly userId: string;
  readonly pages: number;
  readonly acknowledged: number;
  readonly medianSeconds: number | null;
  /** Start of each 15-minute interval and the number of pages in the interval. */
  readonly bins: readonly (readonly [atMs: number, count: number])[];
}

/** SQL query with one row per page of a member. A page that is a digest counts once. */
const pageRows = `select d.user_id, d.page_id, min(coalesce(d.sent_at, d.decided_at)) as paged_at,
    min(k.at) filter (where k.at >= coalesce(d.sent_at, d.decided_at)) as acknowledged_at
  from deliveries d
  left join alerts a on a.id = d.alert_id
  left join alert_acknowledgements k
    on k.check_id = a.check_id and k.alert_number = a.alert_number
  where d.account_id = $1 and d.decided_at >= $2 and d.decided_at < $3
    and d.page_id is not null and d.method_id is null and d.user_id is not null
  group by d.user_id, d.page_id`;

/** Counts the pages that were created within a time range, by member. */
export async function countPages(
  db: Database,
  accountId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<PersonPages[]> {
  return runPrepared(db, {
    name: "count-pages-of-members",
    text: `with pages as materialized (${pageRows}),
      people as (select user_id, count(*)::int as pages,
          count(acknowledged_at)::int as acknowledged,
          percentile_cont(0.5) within group (
            order by extract(epoch from acknowledged_at - paged_at)) as median
        from pages group by user_id),
      bins as (select user_id, floor(extract(epoch from paged_at) * 1000 / $4::int8)::int8 as bin,
          count(*)::int as count
        from pages group by 1, 2 order by 2 desc limit $5)
      select p.user_id as "userId", p.pages, p.acknowledged, p.median::float8 as "medianSeconds",
        (select coalesce(jsonb_agg(jsonb_build_array(b.bin * $4::int8, b.count)), '[]')
          from bins b where b.user_id = p.user_id) as bins
      from people p`,
    values: [accountId, from, to, binMs, maxBins],
  });
}

/** Preferences of a member for their on-call shifts. */
export interface Preferences {
  /** IANA time zone of the member; `null` for the time zone of each schedule. */
  readonly timeZone: string | null;
  readonly sendsHandoffs: boolean;
  /** Minutes between a reminder and its shift; `null` for no reminder. */
  readonly reminderMinutes: number | null;
}

export const defaultPreferences: Preferences = {
  timeZone: null,
  sendsHandoffs: true,
  reminderMinutes: null,
};

/**
 * Lists the stored preferences of members. Members without stored preferences are missing. The
 * number of rows is bounded by the number of members in an account.
 */
export function listPreferences(
  db: Database,
  accountId: string,
  userIds: readonly string[],
): Promise<(Preferences & { readonly userId: string })[]> {
  return runSql(
    db,
    `select user_id as "userId", time_zone as "timeZone", sends_handoffs as "sendsHandoffs",
        reminder_minutes as "reminderMinutes"
      from on_call_preferences where account_id = $1 and user_id = any($2::uuid[])`,
    [accountId, userIds],
  );
}

export async function savePreferences(
  db: Database,
  accountId: string,
  change: { readonly userId: string; readonly preferences: Preferences; readonly at: Date },
): Promise<void> {
  const { userId, preferences, at } = change;
  const { timeZone, sendsHandoffs, reminderMinutes } = preferences;
  await runSql(
    db,
    `insert into on_call_preferences (account_id, user_id, time_zone, sends_handoffs,
        reminder_minutes, updated_at) values ($1, $2, $3, $4, $5, $6)
      on conflict (account_id, user_id) do update set time_zone = excluded.time_zone,
        sends_handoffs = excluded.sends_handoffs, reminder_minutes = excluded.reminder_minutes,
        updated_at = excluded.updated_at`,
    [accountId, userId, timeZone, sendsHandoffs, reminderMinutes, at],
  );
}

export type ShiftMailKind = "HANDOFF" | "REMINDER";

/** A handoff or reminder mail to a person about a shift. */
export interface PlannedMail {
  readonly scheduleId: string;
  readonly userId: string;
  readonly kind: ShiftMailKind;
  readonly shiftFromMs: number;
}

/** Creates planning cursors for accounts that have none. Handoffs before `at` are not mailed. */
export async function takeUpAccounts(
  db: Database,
  accountIds: readonly string[],
  at: Date,
): Promise<void> {
  await runPrepared(db, {
    name: "insert-shift-mail-cursors",
    text: `insert into shift_mail_cursors (account_id, done_until)
      select id, $2 from unnest($1::uuid[]) as one (id) on conflict do nothing`,
    values: [accountIds, at],
  });
}

/**
 * Locks the planning cursor of an account whose shift mails must be planned. Skips accounts that
 * another server is planning.
 */
export async function takeMailCursor(
  db: Database,
  accountIds: readonly string[],
  before: Date,
): Promise<{ readonly accountId: string; readonly doneUntil: Date } | null> {
  const [row] = await runPrepared<{ accountId: string; doneUntil: Date }>(db, {
    name: "lock-shift-mail-cursor",
    text: `select account_id as "accountId", done_until as "doneUntil" from shift_mail_cursors
      where account_id = any($1::uuid[]) and done_until < $2
      order by done_until limit 1 for update skip locked`,
    values: [accountIds, before],
  });
  return row ?? null;
}

/**
 * Stores the planned mails of an account, except mails that are already stored, and moves the
 * planning cursor.
 */
export async function insertShiftMails(
  db: Database,
  accountId: string,
  { mails, at }: { readonly mails: readonly PlannedMail[]; readonly at: Date },
): Promise<void> {
  if (mails.length > 0) {
    await runSql(
      db,
      `insert into shift_mails (id, account_id, schedule_id, user_id, kind, shift_from, status,
          next_attempt_at)
        select gen_random_uuid(), $1, schedule_id, user_id, kind, shift_from, 'PENDING', $6
        from unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[])
          as one (schedule_id, user_id, kind, shift_from)
        on conflict do nothing`,
      [
        accountId,
        mails.map(({ scheduleId }) => scheduleId),
        mails.map(({ userId }) => userId),
        mails.map(({ kind }) => kind),
        mails.map(({ shiftFromMs }) => new Date(shiftFromMs)),
        at,
      ],
    );
  }
  const text = "update shift_mail_cursors set done_until = $2 where account_id = $1";
  await runSql(db, text, [accountId, at]);
}

export interface ShiftMail extends ClaimedDelivery {
  readonly accountId: string;
  readonly scheduleId: string;
  readonly userId: string;
  readonly kind: ShiftMailKind;
  readonly shiftFrom: Date;
}

export async function takeShiftMails(
  db: Database,
  { now, until }: DeliveryClaim,
  limit: number,
): Promise<ShiftMail[]> {
  return runPrepared(db, {
    name: "claim-shift-mails",
    text: `update shift_mails set claimed_until = $2, attempts = attempts + 1
      where id in (select id from shift_mails where status = 'PENDING' and next_attempt_at <= $1
        and (claimed_until is null or claimed_until < $1)
        order by next_attempt_at limit $3 for update skip locked)
      returning id, 'mail' as lane, attempts, account_id as "accountId",
        schedule_id as "scheduleId", user_id as "userId", kind, shift_from as "shiftFrom"`,
    values: [now, until, limit],
  });
}

export async function finishShiftMail(
  db: Database,
  accountId: string,
  end: Pick<DeliveryEnd, "status" | "nextAttemptAt" | "reason"> & { readonly id: string },
): Promise<void> {
  await runPrepared(db, {
    name: "finish-shift-mail",
    text: `update shift_mails set status = $3, next_attempt_at = $4, reason = $5,
      claimed_until = null where account_id = $1 and id = $2`,
    values: [accountId, end.id, end.status, end.nextAttemptAt, end.reason],
  });
}

export async function deleteShiftMailsBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from shift_mails where shift_from < $1", [before]);
}

export interface FiredAlert {
  readonly checkName: string;
  readonly kind: AlertMessage["kind"];
  readonly at: Date;
}

/** Lists the alerts that reported a new problem within a time range, newest first. */
export function listFiredAlerts(
  db: Database,
  accountId: string,
  query: { readonly from: Date; readonly to: Date; readonly limit: number },
): Promise<FiredAlert[]> {
  return runSql(
    db,
    `select c.name as "checkName", a.kind, a.at
      from alerts a join checks_with_period c on c.id = a.check_id
      where a.account_id = $1 and a.decided_at >= $2 and a.decided_at < $3
        and a.kind in ('ALERT_FAILURE', 'ALERT_DEGRADED', 'ALERT_DEGRADED_FAILURE',
          'ALERT_NO_DATA', 'ALERT_SSL') and not a.is_reminder
      order by a.id desc limit $4`,
    [accountId, query.from, query.to, query.limit],
  );
}
