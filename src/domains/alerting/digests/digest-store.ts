import { type Database, inTransaction, runPrepared, runSql } from "../../../platform/database.ts";
import { type ChannelWindow, windowMs } from "./collection.ts";

/**
 * Advisory lock: only one server forms digests at a time, so that two digests never wait for each
 * other.
 */
const formingLock = 7_333_887;
/** Maximum number of deliveries in one digest. */
export const maxMembers = 200;

/** Adds to the message count of each channel's current minute, or starts a new minute. */
export async function countMessages(
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
 * Assigns due deliveries to digests before they are claimed. A delivery waits if its check has an
 * earlier one to the same channel, in retry or in another digest: a recovery never overtakes its
 * failure.
 */
export async function formDigests(db: Database, now: Date): Promise<void> {
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
