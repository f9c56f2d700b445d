import { randomUUIDv7 } from "node:crypto";
import { inTransaction } from "../../../platform/database.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import type { IncidentsContext } from "../context.ts";
import { findRecord, lockRecord } from "../store.ts";
import { deleteNote, type IncidentNote, insertNote, listNotes, maxNotes } from "./store.ts";

export async function listOwnNotes(
  { db }: Pick<IncidentsContext, "db">,
  { accountId }: Pick<Caller, "accountId">,
  incidentId: string,
): Promise<readonly IncidentNote[]> {
  const record = await findRecord(db, accountId, incidentId);
  if (record === null) throw notFound();
  return listNotes(db, accountId, record.id);
}

export async function addNote(
  context: IncidentsContext,
  caller: Caller,
  input: { readonly incidentId: string; readonly body: string },
): Promise<IncidentNote> {
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const record = await lockRecord(db, accountId, input.incidentId);
    if (record === null) throw notFound();
    if ((await listNotes(db, accountId, record.id)).length >= maxNotes) {
      throw conflict(`an incident has at most ${maxNotes} notes; delete one first`);
    }
    const note = {
      id: randomUUIDv7(),
      incidentId: record.id,
      body: input.body,
      author: caller.label,
      createdAt: at,
    };
    await insertNote(db, accountId, note);
    const changes = { incidentId: record.id };
    const entry = { action: "incident-note.created", targetId: note.id, changes, at };
    await writeAuditEntry(db, caller, entry);
    return note;
  });
}

export async function removeNote(
  context: IncidentsContext,
  caller: Caller,
  place: { readonly incidentId: string; readonly id: string },
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    if (!(await deleteNote(db, caller.accountId, place))) throw notFound();
    const changes = { incidentId: place.incidentId };
    const entry = { action: "incident-note.deleted", targetId: place.id, changes, at };
    await writeAuditEntry(db, caller, entry);
  });
}
