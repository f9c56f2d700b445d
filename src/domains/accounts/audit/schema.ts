import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { CursorPage, CursorQuery, DateTime, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { AuditEntry } from "./audit-entry.ts";

export const AuditQuery = Type.Object({
  ...CursorQuery,
  action: Type.Optional(Type.String({ maxLength: 64, description: "such as api-key.created" })),
});

export const AuditEntrySchema = Type.Object({
  id: Guid,
  at: DateTime,
  actor: Type.Object({ type: Type.String(), id: OrNull(Guid), name: Type.String() }),
  action: Type.String(),
  target: Type.Object({ type: Type.String(), id: Type.String() }),
  changes: Type.Record(Type.String(), Type.Unknown()),
  address: OrNull(Type.String()),
  requestId: OrNull(Type.String()),
});

export const AuditPage = CursorPage(AuditEntrySchema);

export function toWireAuditEntry(entry: AuditEntry) {
  return { ...entry, at: formatDateTime(entry.at), changes: { ...entry.changes } };
}
