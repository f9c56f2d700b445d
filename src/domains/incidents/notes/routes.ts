import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { IncidentsContext } from "../context.ts";
import { IncidentParams } from "../schema.ts";
import { addNote, listOwnNotes, removeNote } from "./actions.ts";
import { NoteBody, NoteList, NoteParams, NoteSchema, toWireNote } from "./schema.ts";

const tags = ["Incidents"];
const path = "/v1/status-pages/incidents/:incidentId/notes";

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
