import { type Database, runPrepared } from "../../../platform/database.ts";

/** The review of an incident. */
export interface PostMortem {
  readonly incidentId: string;
  /** Markdown. */
  readonly body: string;
  readonly author: string;
  /** `null` for a draft, which is not public. */
  readonly publishedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export async function findPostMortem(
  db: Database,
  accountId: string,
  incidentId: string,
): Promise<PostMortem | null> {
  const [found] = await runPrepared<PostMortem>(db, {
    name: "find-post-mortem",
    text: `select incident_id as "incidentId", body, author, published_at as "publishedAt",
        created_at as "createdAt", updated_at as "updatedAt"
      from incident_post_mortems where account_id = $1 and incident_id = $2`,
    values: [accountId, incidentId],
  });
  return found ?? null;
}

export async function savePostMortem(
  db: Database,
  accountId: string,
  one: PostMortem,
): Promise<void> {
  await runPrepared(db, {
    name: "save-post-mortem",
    text: `insert into incident_post_mortems
        (incident_id, account_id, body, author, published_at, created_at, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (incident_id) do update set body = excluded.body, author = excluded.author,
        published_at = excluded.published_at, updated_at = excluded.updated_at`,
    values: [
      one.incidentId,
      accountId,
      one.body,
      one.author,
      one.publishedAt,
      one.createdAt,
      one.updatedAt,
    ],
  });
}

/** Returns false if there is no post-mortem. */
export async function deletePostMortem(
  db: Database,
  accountId: string,
  incidentId: string,
): Promise<boolean> {
  const rows = await runPrepared(db, {
    name: "delete-post-mortem",
    text: `delete from incident_post_mortems
      where account_id = $1 and incident_id = $2 returning incident_id`,
    values: [accountId, incidentId],
  });
  return rows.length > 0;
}
