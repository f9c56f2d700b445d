import { randomUUIDv7 } from "node:crypto";
import type pg from "pg";
import type { Database } from "../../platform/database.ts";
import type { Log } from "../../platform/log.ts";
import { isPassing, setAside } from "../../platform/set-aside.ts";
import type { Announcement } from "./announcement.ts";

/** An announcement as it lies in the database. */
export type StoredMessage = Omit<Announcement, "sourceId" | "at"> & {
  readonly statusPageIds: readonly string[];
};

interface OpenAnnouncement {
  readonly id: string;
  readonly accountId: string;
  readonly message: StoredMessage;
  readonly reachedSubscriberId: string | null;
  readonly createdAt: Date;
}

export interface FanOutWorld {
  readonly db: Database;
  readonly pool: pg.Pool;
  readonly log: Log;
}

export const fanOutBatch = 500;
const fanOutWork = "address announcements";
const firstId = "00000000-0000-0000-0000-000000000000";

/**
 * Of each account the oldest only, so that whoever is told of two is told in their order; and
 * nobody waits for whoever is at work on one already.
 */
async function lockOpenAnnouncement(
  client: pg.PoolClient,
  now: Date,
): Promise<OpenAnnouncement | null> {
  const { rows } = await client.query<OpenAnnouncement>({
    name: "lock-open-announcement",
    text: `with aside as (select key from set_aside where work = $1 and retry_at > $2)
      select id, account_id as "accountId", message,
        reached_subscriber_id as "reachedSubscriberId", created_at as "createdAt"
      from announcements as one
      where not is_addressed and id::text not in (select key from aside)
        and not exists (select 1 from announcements as earlier
        where not earlier.is_addressed and earlier.account_id = one.account_id
          and earlier.id < one.id and earlier.id::text not in (select key from aside))
      order by id limit 1 for update skip locked`,
    values: [fanOutWork, now],
  });
  return rows[0] ?? null;
}

/**
 * Verified by the moment of the announcement, on a page that shows one of the services, and with a
 * choice that has one of them. News that names its pages goes to those, and without services to
 * everybody there.
 */
const addressText = `with wanted as (
    select s.id, s.status_page_id, s.lane from subscribers as s
    where s.account_id = $1 and s.id > $2 and s.status = 'VERIFIED' and s.verified_at <= $3
      and case when cardinality($5::uuid[]) > 0
        then s.status_page_id = any($5::uuid[]) and (s.service_ids is null
          or cardinality($4::uuid[]) = 0 or s.service_ids && $4::uuid[])
        else exists (select 1 from status_page_cards as card
          join status_page_card_services as link on link.card_id = card.id
          where card.status_page_id = s.status_page_id and link.service_id = any($4::uuid[])
            and (s.service_ids is null or link.service_id = any(s.service_ids))) end
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

async function addressBatch(
  client: pg.PoolClient,
  open: OpenAnnouncement,
  now: Date,
): Promise<number> {
  const { id, accountId, message, reachedSubscriberId, createdAt } = open;
  const freshIds = Array.from({ length: fanOutBatch }, () => randomUUIDv7());
  const { rows } = await client.query<{ count: number; lastId: string | null }>({
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
  const { count = 0, lastId = null } = rows[0] ?? {};
  await client.query({
    name: "advance-announcement",
    text: `update announcements set is_addressed = $2,
      reached_subscriber_id = coalesce($3, reached_subscriber_id) where id = $1`,
    values: [id, count < fanOutBatch, lastId],
  });
  return count;
}

/**
 * Turns the next subscribers of one announcement into messages, and notes how far it came in the
 * same transaction: whatever dies, nobody is skipped and nobody is there twice. Null: none is open.
 */
export async function takeFanOutBatch(world: FanOutWorld, now: Date): Promise<number | null> {
  const client = await world.pool.connect();
  let fault: Error | undefined;
  let open: OpenAnnouncement | null = null;
  try {
    await client.query("begin");
    open = await lockOpenAnnouncement(client, now);
    const count = open === null ? null : await addressBatch(client, open, now);
    await client.query("commit");
    return count;
  } catch (error) {
    fault = error as Error;
    throw error;
  } finally {
    if (fault !== undefined) await client.query("rollback").catch(() => {});
    client.release();
    // One that cannot be addressed must not stand in the way of all that come after it.
    if (open !== null && fault !== undefined && !isPassing(fault)) {
      const retryAt = await setAside(world, { work: fanOutWork, key: open.id, error: fault, now });
      if (retryAt === null) await closeAnnouncement(world.pool, open.id);
    }
  }
}

async function closeAnnouncement(pool: pg.Pool, id: string): Promise<void> {
  await pool.query("update announcements set is_addressed = true where id = $1", [id]);
}
