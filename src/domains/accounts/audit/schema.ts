import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  Guid,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { AuditEntry } from "./audit-entry.ts";

export const AuditQuery = Type.Object({
  ...CursorQuery,
  action: Type.Optional(Type.String({ maxLength: 64, description: "such as api-key.created" })),
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
