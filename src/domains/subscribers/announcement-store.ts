import { randomUUIDv7 } from "node:crypto";
import { CompiledQuery } from "kysely";
import type pg from "pg";
import type { Database } from "../../platform/database.ts";
import type { Announcement } from "./announcement.ts";

/** `on conflict`: the same source is never told twice, whoever says it and however often. */
const insertText = `insert into announcements (id, account_id, source_id, message, created_at)
  values ($1, $2, $3, $4, $5) on conflict (source_id) do nothing`;

function toValues(accountId: string, announcement: Announcement): unknown[] {
  const { sourceId, at, statusPageIds = [], ...rest } = announcement;
  const message = JSON.stringify({ ...rest, statusPageIds });
  return [randomUUIDv7(), accountId, sourceId, message, at];
}

/** In the caller's transaction: what was published is told, and what was not is not. */
export async function announce(
  db: Database,
  accountId: string,
  announcement: Announcement,
): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(insertText, toValues(accountId, announcement)));
}

/** The same for those who hold a connection of their own. */
export async function announceBy(
  client: pg.PoolClient,
  accountId: string,
  announcement: Announcement,
): Promise<void> {
  await client.query({ text: insertText, values: toValues(accountId, announcement) });
}
