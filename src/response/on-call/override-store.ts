import { type Database, runSql } from "../../platform/database.ts";

export interface StoredOverride {
  readonly id: string;
  readonly scheduleId: string;
  /** Id of the person on call; `null` if the override puts nobody on call. */
  readonly userId: string | null;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly reason: string | null;
  /** Email address of the person or name of the API key that created the override. */
  readonly author: string;
  readonly authorId: string | null;
  readonly swapId: string | null;
  readonly createdAt: Date;
}

const columns = `id, schedule_id as "scheduleId", user_id as "userId", starts_at as "startsAt",
  ends_at as "endsAt", reason, author, author_id as "authorId", swap_id as "swapId",
  created_at as "createdAt"`;

export async function insertOverrides(
  db: Database,
  accountId: string,
  overrides: readonly StoredOverride[],
): Promise<void> {
  await runSql(
    db,
    `insert into on_call_overrides (id, account_id, schedule_id, user_id, starts_at, ends_at,
        reason, author, author_id, swap_id, created_at)
      select id, $1, "scheduleId", "userId", "startsAt", "endsAt", reason, author, "authorId",
        "swapId", "createdAt"
      from jsonb_to_recordset($2) as row (id uuid, "scheduleId" uuid, "userId" uuid,
        "startsAt" timestamptz, "endsAt" timestamptz, reason text, author text, "authorId" uuid,
        "swapId" uuid, "createdAt" timestamptz)`,
    [accountId, JSON.stringify(overrides)],
  );
}

/** Lists the overrides of the given schedules that overlap a time range, oldest first. */
export function listOverridesIn(
  db: Database,
  accountId: string,
  {
    scheduleIds,
    from,
    to,
  }: {
    readonly scheduleIds: readonly string[];
    readonly from: Date;
    readonly to: Date;
  },
): Promise<StoredOverride[]> {
  return runSql(
    db,
    `select ${columns} from on_call_overrides where account_id = $1
      and schedule_id = any($2::uuid[]) and ends_at > $3 and starts_at < $4 order by id`,
    [accountId, scheduleIds, from, to],
  );
}

export function listOverrides(
  db: Database,
  accountId: string,
  query: {
    readonly scheduleId: string;
    readonly limit: number;
    readonly nextId?: string | undefined;
    readonly from: Date;
    readonly to?: Date | undefined;
  },
): Promise<StoredOverride[]> {
  const { scheduleId, limit, nextId, from, to } = query;
  return runSql(
    db,
    `select ${columns} from on_call_overrides where account_id = $1 and schedule_id = $2
      and ($3::uuid is null or id >= $3) and ends_at > $4
      and ($5::timestamptz is null or starts_at < $5) order by id limit $6`,
    [accountId, scheduleId, nextId, from, to, limit],
  );
}

export async function countOverrides(
  db: Database,
  accountId: string,
  now: Date,
): Promise<{ readonly open: number; readonly stored: number }> {
  const [row] = await runSql<{ open: number; stored: number }>(
    db,
    `select count(*) filter (where ends_at > $2)::int as open, count(*)::int as stored
      from on_call_overrides where account_id = $1`,
    [accountId, now],
  );
  return row ?? { open: 0, stored: 0 };
}

/** Locks an override. The other override of its swap, if there is one, is locked too. */
export function lockOverrides(
  db: Database,
  accountId: string,
  { scheduleId, id }: { readonly scheduleId: string; readonly id: string },
): Promise<StoredOverride[]> {
  return runSql(
    db,
    `select ${columns} from on_call_overrides where account_id = $1 and schedule_id = $2
      and (id = $3 or swap_id = (select swap_id from on_call_overrides where account_id = $1
        and schedule_id = $2 and id = $3))
      order by id for update`,
    [accountId, scheduleId, id],
  );
}

/** Ends overrides that have started, and deletes those that have not. */
export async function endOverrides(
  db: Database,
  accountId: string,
  { ids, at }: { readonly ids: readonly string[]; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `delete from on_call_overrides where account_id = $1 and id = any($2::uuid[])
      and starts_at >= $3`,
    [accountId, ids, at],
  );
  await runSql(
    db,
    `update on_call_overrides set ends_at = $3 where account_id = $1 and id = any($2::uuid[])
      and ends_at > $3`,
    [accountId, ids, at],
  );
}

/** Deletes the overrides of a schedule that ended before the given time. */
export async function deleteOldOverrides(
  db: Database,
  accountId: string,
  { scheduleId, before }: { readonly scheduleId: string; readonly before: Date },
): Promise<void> {
  const text = `delete from on_call_overrides
    where account_id = $1 and schedule_id = $2 and ends_at < $3`;
  await runSql(db, text, [accountId, scheduleId, before]);
}

/** A proposal to exchange a turn with another person, which that person has not accepted yet. */
export interface Swap {
  readonly id: string;
  readonly scheduleId: string;
  readonly requesterId: string;
  readonly otherId: string;
  /** Start of the turn in which the other person replaces the requester. */
  readonly givesFrom: Date;
  readonly givesTo: Date;
  /** Start of the turn in which the requester replaces the other person. */
  readonly takesFrom: Date;
  readonly takesTo: Date;
  readonly reason: string | null;
  readonly createdAt: Date;
}

const swapColumns = `id, schedule_id as "scheduleId", requester_id as "requesterId",
  other_id as "otherId", gives_from as "givesFrom", gives_to as "givesTo",
  takes_from as "takesFrom", takes_to as "takesTo", reason, created_at as "createdAt"`;

export async function insertSwap(db: Database, accountId: string, swap: Swap): Promise<void> {
  await runSql(
    db,
    `insert into on_call_swaps (id, account_id, schedule_id, requester_id, other_id, gives_from,
        gives_to, takes_from, takes_to, reason, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      swap.id,
      accountId,
      swap.scheduleId,
      swap.requesterId,
      swap.otherId,
      swap.givesFrom,
      swap.givesTo,
      swap.takesFrom,
      swap.takesTo,
      swap.reason,
      swap.createdAt,
    ],
  );
}

/** Lists the swaps that can still be accepted. Their number per schedule is limited. */
export function listSwaps(
  db: Database,
  accountId: string,
  { scheduleId, now }: { readonly scheduleId: string; readonly now: Date },
): Promise<Swap[]> {
  return runSql(
    db,
    `select ${swapColumns} from on_call_swaps where account_id = $1 and schedule_id = $2
      and least(gives_to, takes_to) > $3 order by id`,
    [accountId, scheduleId, now],
  );
}

/** Deletes and returns a swap in one statement, so that only one request accepts or deletes it. */
export async function takeSwap(
  db: Database,
  accountId: string,
  { scheduleId, id }: { readonly scheduleId: string; readonly id: string },
): Promise<Swap | null> {
  const text = `delete from on_call_swaps where account_id = $1 and schedule_id = $2 and id = $3
    returning ${swapColumns}`;
  const [row] = await runSql<Swap>(db, text, [accountId, scheduleId, id]);
  return row ?? null;
}

/**
 * Deletes swaps that can no longer be accepted, because at least one of the two turns has ended.
 */
export async function deleteOldSwaps(db: Database, accountId: string, now: Date): Promise<void> {
  const text = `delete from on_call_swaps where account_id = $1 and least(gives_to, takes_to) <= $2`;
  await runSql(db, text, [accountId, now]);
}
