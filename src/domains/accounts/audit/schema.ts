import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  exampleId,
  Guid,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import { type AuditEntry, exportFormats } from "./audit-entry.ts";

const Text = (maxLength: number, description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description, examples: [example] }));

const filters = {
  action: Text(64, "Only entries with this action.", "api-key.created"),
  actor: Text(400, "Only entries of the actor with this name.", "ada@example.com"),
  targetType: Text(64, "Only entries with this target type.", "api-key"),
  targetId: Text(200, "Only entries with this target id.", exampleId),
  from: Described(Type.Optional(DateTime), "Only entries at or after this time."),
  to: Described(Type.Optional(DateTime), "Only entries before this time."),
  search: Text(200, "Only entries that contain this text in any field.", "router"),
};

export const AuditQuery = Type.Object({ ...CursorQuery, ...filters });
export const AuditExportQuery = Type.Object({
  format: Described(
    Type.Optional(OneOf(exportFormats)),
    "`csv` for spreadsheets, `ndjson` (one JSON object per line) for programs.",
  ),
  ...filters,
});
export const AuditFacetsSchema = Type.Object(
  {
    actions: Type.Array(Type.String(), {
      description: "Actions in the log, in alphabetical order.",
      examples: [["api-key.created", "check.updated"]],
    }),
    actors: Type.Array(Type.String(), {
      description: "Names of the actors in the log, in alphabetical order.",
      examples: [["ada@example.com"]],
    }),
  },
  { title: "AuditFacets" },
);

export const AuditExport = Type.String({
  description: "The entries, newest first.",
  examples: ["at,action,actorType\r\n2026-11-16T10:00:00.000Z,api-key.created,SESSION\r\n"],
});

export const AuditEntrySchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    at: Described(DateTime, "Time of the action."),
    actor: Type.Object(
      {
        type: Type.String({ description: "Type of the actor.", examples: ["USER"] }),
        id: Described(OrNull(Guid), "Id of the user or key; `null` if the server itself acted."),
        name: Type.String({ description: "Name of the actor at that time.", examples: ["Ada"] }),
      },
      { description: "Who performed the action." },
    ),
    action: Type.String({ description: "The action.", examples: ["api-key.created"] }),
    target: Type.Object(
      {
        type: Type.String({ description: "Type of the target.", examples: ["api-key"] }),
        id: Type.String({
          description: "Id of the target.",
          examples: ["7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10"],
        }),
        name: Described(
          OrNull(Type.String()),
          "Last name of the target in the log; `null` if no entry contains it.",
          "Deploy script",
        ),
      },
      { description: "The object that was changed." },
    ),
    changes: Type.Record(Type.String(), Type.Unknown(), {
      description: "The changed fields, without secrets.",
    }),
    address: Described(
      OrNull(Type.String()),
      "IP address of the actor; `null` if unknown.",
      "192.0.2.7",
    ),
    requestId: Described(
      OrNull(Type.String()),
      "Id of the request in the server log; `null` if there was no request.",
      "req-1",
    ),
  },
  { title: "AuditEntry" },
);

export const AuditPage = CursorPage(AuditEntrySchema);

export function toWireAuditEntry(entry: AuditEntry) {
  return { ...entry, at: formatDateTime(entry.at), changes: { ...entry.changes } };
}
