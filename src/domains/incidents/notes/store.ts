import { type Database, runPrepared } from "../../../platform/database.ts";

/** An internal note of the team about an incident. */
export interface IncidentNote {
  readonly id: string;
  readonly incidentId: string;
  /** Markdown. */
  readonly body: string;
  readonly author: string;
  readonly createdAt: Date;
}

/** Maximum number of notes of one incident. */
export const maxNotes = 200;

/** Lists notes, newest first. */
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

/** Returns false if the note does not exist. */
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
