import { type Database, runPrepared } from "../../platform/database.ts";

/** Maximum number of notes per incident. */
export const maxNotes = 200;

/** A review of an incident after its end. */
export interface PostMortem {
  readonly incidentId: string;
  /** Text of the post-mortem in Markdown. */
  readonly body: string;
  readonly author: string;
  /** When the post-mortem was published; `null` for a draft, which is not public. */
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

/** Deletes the post-mortem of an incident. Returns false if there is no post-mortem. */
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

/** An internal note of the team about an incident. */
export interface IncidentNote {
  readonly id: string;
  readonly incidentId: string;
  /** Text of the note in Markdown. */
  readonly body: string;
  readonly author: string;
  readonly createdAt: Date;
}

/** Lists the notes of an incident, newest first. */
export function listNotes(
  db: Database,
  accountId: string,
  incidentId: string,
): Promise<readonly IncidentNote[]> {
  return runPrepared<IncidentNote>(db, {
    name: "list-incident-notes",
    text: `select id, incident_id as "incidentId", body, author, created_at as "createdAt"
      from incident_notes where account_id = $1 and incident_id = $2
      order by id desc limit ${maxNotes}`,
    values: [accountId, incidentId],
  });
}

export async function insertNote(
  db: Database,
  accountId: string,
  note: IncidentNote,
): Promise<void> {
  await runPrepared(db, {
    name: "insert-incident-note",
    text: `insert into incident_notes (id, account_id, incident_id, body, author, created_at)
      values ($1, $2, $3, $4, $5, $6)`,
    values: [note.id, accountId, note.incidentId, note.body, note.author, note.createdAt],
  });
}

/** Deletes a note. Returns false if the note does not exist. */
export async function deleteNote(
  db: Database,
  accountId: string,
  place: { readonly incidentId: string; readonly id: string },
): Promise<boolean> {
  const rows = await runPrepared(db, {
    name: "delete-incident-note",
    text: `delete from incident_notes
      where account_id = $1 and incident_id = $2 and id = $3 returning id`,
    values: [accountId, place.incidentId, place.id],
  });
  return rows.length > 0;
}
