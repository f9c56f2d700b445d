import { formatDateTime } from "../../../platform/dates.ts";
import { writeCsvLine } from "../../../platform/text/csv.ts";
import type { AuditEntry } from "./audit-entry.ts";

export const exportFormats = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface EntryWriter {
  readonly contentType: string;
  readonly head: string;
  readonly writeEntry: (entry: AuditEntry) => string;
}

const columns: Readonly<Record<string, (entry: AuditEntry) => string | null>> = {
  at: ({ at }) => formatDateTime(at),
  action: ({ action }) => action,
  actorType: ({ actor }) => actor.type,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  targetType: ({ target }) => target.type,
  targetId: ({ target }) => target.id,
  targetName: ({ target }) => target.name,
  address: ({ address }) => address,
  requestId: ({ requestId }) => requestId,
  changes: ({ changes }) => JSON.stringify(changes),
  id: ({ id }) => id,
};

export const entryWriters: Readonly<Record<ExportFormat, EntryWriter>> = {
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    head: writeCsvLine(Object.keys(columns)),
    writeEntry: (entry) => writeCsvLine(Object.values(columns).map((read) => read(entry))),
  },
  ndjson: {
    contentType: "application/x-ndjson; charset=utf-8",
    head: "",
    writeEntry: (entry) => `${JSON.stringify({ ...entry, at: formatDateTime(entry.at) })}\n`,
  },
};
