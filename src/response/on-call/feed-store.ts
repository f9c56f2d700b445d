import { type Database, runSql } from "../../platform/database.ts";

/** A calendar feed. Only the hash of the token in its address is stored. */
export interface Feed {
  readonly id: string;
  readonly accountId: string;
  /** Id of the schedule; `null` for the shifts of one user in all schedules. */
  readonly scheduleId: string | null;
  readonly scheduleName: string | null;
  readonly userId: string | null;
  readonly author: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

const selectFeeds = `select feed.id, feed.account_id as "accountId",
    feed.schedule_id as "scheduleId", schedule.name as "scheduleName", feed.user_id as "userId",
    feed.author, feed.created_at as "createdAt", feed.last_used_at as "lastUsedAt"
  from on_call_feeds feed left join on_call_schedules schedule on schedule.id = feed.schedule_id`;

export async function insertFeed(
  db: Database,
  accountId: string,
  feed: Pick<Feed, "id" | "scheduleId" | "userId" | "author" | "createdAt"> & {
    readonly tokenHash: Buffer;
  },
): Promise<void> {
  await runSql(
    db,
    `insert into on_call_feeds (id, account_id, schedule_id, user_id, author, token_hash,
        created_at)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    [feed.id, accountId, feed.scheduleId, feed.userId, feed.author, feed.tokenHash, feed.createdAt],
  );
}

/**
 * Lists the feeds of a user, or of all users if `userId` is `null`. The number of feeds per account
 * is limited.
 */
export function listFeeds(db: Database, accountId: string, userId: string | null): Promise<Feed[]> {
  return runSql(
    db,
    `${selectFeeds} where feed.account_id = $1 and ($2::uuid is null or feed.user_id = $2)
      order by feed.id`,
    [accountId, userId],
  );
}

export async function deleteFeed(
  db: Database,
  accountId: string,
  { id, userId }: { readonly id: string; readonly userId: string | null },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `delete from on_call_feeds where account_id = $1 and id = $2
      and ($3::uuid is null or user_id = $3) returning 1`,
    [accountId, id, userId],
  );
  return rows.length > 0;
}

/** Finds a feed, unless its user has left. Stores the time of use at most once per minute. */
export async function findFeedByToken(
  db: Database,
  { tokenHash, at }: { readonly tokenHash: Buffer; readonly at: Date },
): Promise<Feed | null> {
  const [feed] = await runSql<Feed>(
    db,
    `${selectFeeds} where feed.token_hash = $1 and (feed.user_id is null or exists (
      select 1 from account_members member
      where member.account_id = feed.account_id and member.user_id = feed.user_id))`,
    [tokenHash],
  );
  if (feed === undefined) return null;
  await runSql(
    db,
    `update on_call_feeds set last_used_at = $2 where id = $1
      and coalesce(last_used_at < $2::timestamptz - interval '1 minute', true)`,
    [feed.id, at],
  );
  return feed;
}
