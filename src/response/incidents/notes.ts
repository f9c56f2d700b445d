import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { inTransaction } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { answers, DateTime, Described, Filled, Guid, Nothing } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { IncidentsContext } from "./incident.ts";
import { maxDescriptionLength } from "./incident.ts";
import { deleteNote, type IncidentNote, insertNote, listNotes, maxNotes } from "./notes-store.ts";
import { IncidentParams } from "./schema.ts";
import { findRecord, lockRecord } from "./store.ts";

const tags = ["Incidents"];
const path = "/v1/status-pages/incidents/:incidentId/notes";

const NoteParams = Type.Object({
  incidentId: Described(Guid, "The incident's id."),
  noteId: Described(Guid, "The note's id."),
});

const NoteBody = Type.Object(
  {
    body: Filled({
      maxLength: maxDescriptionLength,
      description: "The note, in Markdown.",
      examples: ["The vendor's ticket is 4711."],
    }),
  },
  { title: "IncidentNoteInput" },
);

const NoteSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    body: Type.String({ description: "The note, in Markdown.", examples: ["Ticket 4711."] }),
    author: Type.String({ description: "Name of the author.", examples: ["Ada Lovelace"] }),
    createdAt: Described(DateTime, "Creation time."),
  },
  { title: "IncidentNote" },
);
const NoteList = Type.Array(NoteSchema);

function toWireNote({ id, body, author, createdAt }: IncidentNote) {
  return { id, body, author, createdAt: formatDateTime(createdAt) };
}

async function listOwnNotes(
  { db }: Pick<IncidentsContext, "db">,
  { accountId }: Pick<Caller, "accountId">,
  incidentId: string,
): Promise<readonly IncidentNote[]> {
  const record = await findRecord(db, accountId, incidentId);
  if (record === null) throw notFound();
  return listNotes(db, accountId, record.id);
}

async function addNote(
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

async function removeNote(
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

export function addNoteRoutes(server: HttpServer, context: IncidentsContext): void {
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listIncidentNotes",
        summary: "List the internal notes of an incident, newest first",
        description: "Notes never appear on status pages, in feeds or in messages.",
        params: IncidentParams,
        response: answers({ 200: NoteList }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      (await listOwnNotes(context, caller, params.incidentId)).map(toWireNote),
  );
  server.post(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createIncidentNote",
        summary: "Add an internal note to an incident",
        description: "Only members of the account can read it.",
        params: IncidentParams,
        body: NoteBody,
        response: answers({ 201: NoteSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }, reply) => {
      const input = { incidentId: params.incidentId, body: body.body };
      return reply.code(201).send(toWireNote(await addNote(context, caller, input)));
    },
  );
  server.delete(
    `${path}/:noteId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteIncidentNote",
        summary: "Delete an internal note",
        description: "The audit log records the deletion without the text.",
        params: NoteParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeNote(context, caller, { incidentId: params.incidentId, id: params.noteId });
      return reply.code(204).send(null);
    },
  );
}
