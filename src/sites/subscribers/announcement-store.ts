import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction, runPrepared, runSql } from "../../platform/database.ts";
import type { Log } from "../../platform/log.ts";
import { isNotQuarantined, isTransient, quarantine } from "../../platform/quarantine.ts";
import type { SubscriberType } from "./subscriber.ts";

export const fanOutBatch = 500;
const fanOutWork = "address announcements";
const firstId = "00000000-0000-0000-0000-000000000000";

/** A message about an incident or maintenance, sent to each subscriber once. */
export interface Announcement {
  /** Id of the announced incident update or maintenance change, announced only once. */
  readonly sourceId: string;
  readonly kind: "incident" | "maintenance";
  readonly title: string;
  /** Status as spelled in the API, such as `INVESTIGATING` or `IN_PROGRESS`. */
  readonly status: string;
  readonly severity: string | null;
  /** Text of the message in Markdown. */
  readonly body: string;
  readonly serviceIds: readonly string[];
  /** Names of the services, in the order of `serviceIds`. */
  readonly serviceNames: readonly string[];
  readonly incidentId: string | null;
  /** Time of the announcement. Subscribers who confirm later do not receive it. */
  readonly at: Date;
  /**
   * Pages whose subscribers are notified. If empty or absent, the subscribers of every page that
   * shows one of the affected services are notified.
   */
  readonly statusPageIds?: readonly string[];
}

/** An announcement as stored in its row. */
export type StoredMessage = Omit<Announcement, "sourceId" | "at"> & {
  readonly statusPageIds: readonly string[];
};

/** Stores an announcement, in the transaction that changes its source. */
export async function announce(
  db: Database,
  accountId: string,
  { sourceId, at, statusPageIds = [], ...rest }: Announcement,
): Promise<void> {
  const message: StoredMessage = { ...rest, statusPageIds };
  await runPrepared(db, {
    name: "announce",
    text: `insert into announcements (id, account_id, source_id, message, created_at)
      values ($1, $2, $3, $4, $5) on conflict (source_id) do nothing`,
    values: [randomUUIDv7(), accountId, sourceId, JSON.stringify(message), at],
  });
}

interface OpenAnnouncement {
  readonly id: string;
  readonly accountId: string;
  readonly message: StoredMessage;
  readonly reachedSubscriberId: string | null;
  readonly createdAt: Date;
}

const isOpen = (row: string) =>
  `not ${row}.is_addressed and ${isNotQuarantined({ work: "$1", key: `${row}.id::text`, now: "$2" })}`;

/**
 * Selects the oldest open announcement of an account, so that announcements are delivered in order.
 * Rows that another server has locked are skipped.
 */
const lockText = `select id, account_id as "accountId", message,
    reached_subscriber_id as "reachedSubscriberId", created_at as "createdAt"
  from announcements as one
  where ${isOpen("one")} and not exists (select 1 from announcements as earlier
    where ${isOpen("earlier")} and earlier.account_id = one.account_id and earlier.id < one.id)
  order by id limit 1 for update skip locked`;

async function lockOpenAnnouncement(db: Database, now: Date): Promise<OpenAnnouncement | null> {
  const statement = { name: "lock-open-announcement", text: lockText, values: [fanOutWork, now] };
  const [open] = await runPrepared<OpenAnnouncement>(db, statement);
  return open ?? null;
}

/**
 * Creates deliveries of an announcement for confirmed subscribers. If the announcement lists pages,
 * only subscribers of these pages receive it. Otherwise, the subscribers of every page that shows
 * one of its services receive it. A subscriber who selected services receives an announcement only
 * if it affects a selected service, or if it lists pages but no services.
 */
const addressText = `with wanted as (
    select s.id, s.status_page_id, s.lane from subscribers as s
    where s.account_id = $1 and s.id > $2 and s.status = 'VERIFIED' and s.verified_at <= $3
      and case when cardinality($5::uuid[]) > 0
        then s.status_page_id = any($5::uuid[]) and (s.service_ids is null
          or cardinality($4::uuid[]) = 0 or s.service_ids && $4::uuid[])
        else exists (select 1 from shown_services as shown
          where shown.page_id = s.status_page_id and shown.service_id = any($4::uuid[])
            and (s.service_ids is null or shown.service_id = any(s.service_ids))) end
    order by s.id limit $6),
  numbered as (select *, row_number() over (order by id) as place from wanted),
  inserted as (
    insert into subscriber_deliveries (id, account_id, status_page_id, subscriber_id,
      announcement_id, purpose, lane, status, next_attempt_at, decided_at)
    select fresh.id, $1, numbered.status_page_id, numbered.id, $7, 'announce', numbered.lane,
      'PENDING', $8, $8
    from numbered join unnest($9::uuid[]) with ordinality as fresh (id, place) using (place)
    order by place
    on conflict (announcement_id, subscriber_id) do nothing)
  select count(*)::int as count,
    (select id from numbered order by place desc limit 1) as "lastId" from numbered`;

async function addressBatch(db: Database, open: OpenAnnouncement, now: Date): Promise<number> {
  const { id, accountId, message, reachedSubscriberId, createdAt } = open;
  const freshIds = Array.from({ length: fanOutBatch }, () => randomUUIDv7());
  const [batch] = await runPrepared<{ count: number; lastId: string | null }>(db, {
    name: "address-subscribers",
    text: addressText,
    values: [
      accountId,
      reachedSubscriberId ?? firstId,
      createdAt,
      message.serviceIds,
      message.statusPageIds,
      fanOutBatch,
      id,
      now,
      freshIds,
    ],
  });
  const { count = 0, lastId = null } = batch ?? {};
  await runPrepared(db, {
    name: "advance-announcement",
    text: `update announcements set is_addressed = $2,
      reached_subscriber_id = coalesce($3, reached_subscriber_id) where id = $1`,
    values: [id, count < fanOutBatch, lastId],
  });
  return count;
}

/**
 * Creates the deliveries of one announcement for the next batch of subscribers. The progress is
 * stored in the same transaction, so that a crash neither skips nor repeats a subscriber. Returns
 * `null` if no announcement is open.
 */
export async function takeFanOutBatch(
  { db, log }: { readonly db: Database; readonly log: Log },
  now: Date,
): Promise<number | null> {
  let open = null as OpenAnnouncement | null;
  try {
    return await inTransaction(db, async (transaction) => {
      open = await lockOpenAnnouncement(transaction, now);
      return open === null ? null : addressBatch(transaction, open, now);
    });
  } catch (error) {
    // A failing announcement is quarantined, so that it does not block later announcements.
    if (open !== null && !isTransient(error)) {
      const retryAt = await quarantine({ db, log }, { work: fanOutWork, key: open.id, error, now });
      if (retryAt === null) await closeAnnouncement(db, open.id);
    }
    throw error;
  }
}

async function closeAnnouncement(db: Database, id: string): Promise<void> {
  await runSql(db, "update announcements set is_addressed = true where id = $1", [id]);
}

/** Deletes old announcements of all accounts, except any with deliveries still to create. */
export async function deleteAnnouncementsBefore(db: Database, moment: Date): Promise<void> {
  await runSql(db, "delete from announcements where created_at < $1 and is_addressed", [moment]);
}

/** Number of subscribers of a page that an announcement would reach, by subscriber type. */
export type Audience = Readonly<Record<SubscriberType, number>>;

/** Counts the subscribers that an announcement of the given services would reach now. */
const audienceText = `select s.status_page_id as "pageId",
    count(*) filter (where s.type = 'EMAIL')::int as "EMAIL",
    count(*) filter (where s.type = 'WEBHOOK')::int as "WEBHOOK",
    count(*) filter (where s.type = 'SLACK')::int as "SLACK"
  from subscribers as s
  where s.account_id = $1 and s.status = 'VERIFIED'
    and exists (select 1 from shown_services as shown
      where shown.page_id = s.status_page_id and shown.service_id = any($2::uuid[])
        and (s.service_ids is null or shown.service_id = any(s.service_ids)))
  group by s.status_page_id`;

/** Counts the subscribers that an announcement would reach, for each page that has any. */
export async function mapAudiences(
  db: Database,
  accountId: string,
  serviceIds: readonly string[],
): Promise<Map<string, Audience>> {
  const rows = await runPrepared<Audience & { readonly pageId: string }>(db, {
    name: "map-audiences",
    text: audienceText,
    values: [accountId, [...serviceIds]],
  });
  return new Map(rows.map(({ pageId, ...audience }) => [pageId, audience]));
}
