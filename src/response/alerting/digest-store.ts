/** Combines messages to a channel, or to a contact method of a member, into digests. */
import { randomUUID } from "node:crypto";
import { type Database, inTransaction, runPrepared, runSql } from "../../platform/database.ts";

/** Length of the window in which the messages to a channel are counted. */
const windowMs = 60_000;
/** Maximum number of separate messages per window. Further messages form a digest. */
const singleMessages = 3;

interface ChannelWindow {
  readonly endsAtMs: number;
  /** Number of messages in the window, including the messages of the current batch. */
  readonly messageCount: number;
}

/** A new delivery that may join a digest. */
interface Collectable {
  readonly alertChannelId: number | null;
  readonly acceptsDigests: boolean;
  readonly hold?: object | null;
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

/**
 * Returns, for each channel, when its new messages are due and whether they join a digest. Ignores
 * messages that are held or that may not join a digest.
 */
export async function collectStorms(
  db: Database,
  deliveries: readonly Collectable[],
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

/** Key of the advisory lock that lets only one server form digests, which prevents deadlocks. */
const formingLock = 7_333_887;
/** Maximum number of deliveries in one digest. */
const maxMembers = 200;

/** Maximum number of deliveries in one message of a storm to a member. */
const maxStormMembers = 1_000;
/** SQL expression for what shares a digest: a channel, or a contact method in a storm. */
const receiver = "coalesce(d.alert_channel_id::text, d.storm_id::text || ' ' || d.method_id)";

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

/** A due delivery that may join a digest. */
interface Formable {
  readonly id: string;
  readonly receiver: string;
  readonly isStorm: boolean;
}

/** Assigns deliveries to digests of limited size. A delivery that would be alone joins none. */
function groupDigests(
  messages: readonly Formable[],
): { readonly id: string; readonly digestId: string }[] {
  const byReceiver = Map.groupBy(messages, ({ receiver }) => receiver);
  return [...byReceiver.values()].flatMap((all) => {
    const size = all[0]?.isStorm ? maxStormMembers : maxMembers;
    const parts = Map.groupBy(all.entries(), ([place]) => Math.floor(place / size));
    return [...parts.values()].flatMap((part) => {
      const digestId = randomUUID();
      return part.length === 1 ? [] : part.map(([, { id }]) => ({ id, digestId }));
    });
  });
}

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
    // Not prepared: PostgreSQL plans each call for the number of messages that wait then.
    const messages = await runSql<Formable>(
      tx,
      `select d.id, ${receiver} as receiver, d.storm_id is not null as "isStorm"
        from deliveries d
        where d.status = 'PENDING' and ${receiver} is not null and ${formable("d")}
          and not exists (select 1 from deliveries e where e.status = 'PENDING'
            and not e.is_replay and e.check_id = d.check_id
            and e.alert_channel_id = d.alert_channel_id and e.id < d.id
            and not (${formable("e")}))
        order by d.id limit 2000 for update of d skip locked`,
      [now],
    );
    const members = groupDigests(messages);
    if (members.length === 0) return;
    await runSql(
      tx,
      `update deliveries set digest_id = one.digest_id
        from unnest($1::uuid[], $2::uuid[]) as one (id, digest_id) where deliveries.id = one.id`,
      [members.map(({ id }) => id), members.map(({ digestId }) => digestId)],
    );
  });
}
