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
import type { AuditEntry } from "./audit-entry.ts";
import { exportFormats } from "./export-format.ts";

const Text = (maxLength: number, description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description, examples: [example] }));

const filters = {
  action: Text(64, "Only this action.", "api-key.created"),
  actor: Text(400, "Only what somebody of this name did, as the log shows it.", "ada@example.com"),
  targetType: Text(64, "Only what was done to things of this type.", "api-key"),
  targetId: Text(200, "Only what was done to the thing with this id.", exampleId),
  from: Described(Type.Optional(DateTime), "Done at this moment or later."),
  to: Described(Type.Optional(DateTime), "Done before this moment."),
  search: Text(200, "Only entries that contain this text, in any of their fields.", "router"),
};

export const AuditQuery = Type.Object({ ...CursorQuery, ...filters });
export const AuditExportQuery = Type.Object({
  format: Described(
    Type.Optional(OneOf(exportFormats)),
    "`csv` for spreadsheets, `ndjson` for programs: one JSON object a line.",
  ),
  ...filters,
});
export const AuditFacetsSchema = Type.Object(
  {
    actions: Type.Array(Type.String(), {
      description: "Every action in the log, in the order of the alphabet.",
      examples: [["api-key.created", "check.updated"]],
    }),
    actors: Type.Array(Type.String(), {
      description: "Everybody in the log, in the order of the alphabet.",
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
    at: Described(DateTime, "When it was done."),
    actor: Type.Object(
      {
        type: Type.String({ description: "What they are.", examples: ["USER"] }),
        id: Described(OrNull(Guid), "The id of the user or key; null: the server itself."),
        name: Type.String({ description: "Their name at that time.", examples: ["Ada"] }),
      },
      { description: "Who did it." },
    ),
    action: Type.String({ description: "What was done.", examples: ["api-key.created"] }),
    target: Type.Object(
      {
        type: Type.String({ description: "What it is.", examples: ["api-key"] }),
        id: Type.String({
          description: "Its id.",
          examples: ["7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10"],
        }),
        name: Described(
          OrNull(Type.String()),
          "What the log last called it; `null` if no entry names it.",
          "Deploy script",
        ),
      },
      { description: "What it was done to." },
    ),
    changes: Type.Record(Type.String(), Type.Unknown(), {
      description: "What was changed; secrets are left out.",
    }),
    address: Described(
      OrNull(Type.String()),
      "The address it was done from; null: unknown.",
      "192.0.2.7",
    ),
    requestId: Described(
      OrNull(Type.String()),
      "The request's id in the log; null: no request.",
      "req-1",
    ),
  },
  { title: "AuditEntry" },
);

export const AuditPage = CursorPage(AuditEntrySchema);

export function toWireAuditEntry(entry: AuditEntry) {
  return { ...entry, at: formatDateTime(entry.at), changes: { ...entry.changes } };
}
