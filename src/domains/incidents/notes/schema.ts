import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Filled, Guid } from "../../../platform/http/schema.ts";
import { maxDescriptionLength } from "../incident.ts";
import type { IncidentNote } from "./store.ts";

export const NoteParams = Type.Object({
  incidentId: Described(Guid, "The incident's id."),
  noteId: Described(Guid, "The note's id."),
});

export const NoteBody = Type.Object(
  {
    body: Filled({
      maxLength: maxDescriptionLength,
      description: "The note, in Markdown.",
      examples: ["The vendor's ticket is 4711."],
    }),
  },
  { title: "IncidentNoteInput" },
);

export const NoteSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    body: Type.String({ description: "The note, in Markdown.", examples: ["Ticket 4711."] }),
    author: Type.String({ description: "Name of the author.", examples: ["Ada Lovelace"] }),
    createdAt: Described(DateTime, "Creation time."),
  },
  { title: "IncidentNote" },
);
export const NoteList = Type.Array(NoteSchema);

export function toWireNote({ id, body, author, createdAt }: IncidentNote) {
  return { id, body, author, createdAt: formatDateTime(createdAt) };
}
