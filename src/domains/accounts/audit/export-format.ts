import { formatDateTime } from "../../../platform/dates.ts";
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
  address: ({ address }) => address,
  requestId: ({ requestId }) => requestId,
  changes: ({ changes }) => JSON.stringify(changes),
  id: ({ id }) => id,
};

/**
 * Spreadsheets run a cell that begins with one of these signs as a formula, and names in the log
 * are what people typed. An apostrophe before it makes it text.
 */
const formulaStart = /^[=+\-@\t\r\n]/;

export function toCsvCell(value: string | null): string {
  const text = value ?? "";
  const safe = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function writeCsvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(toCsvCell).join(",")}\r\n`;
}

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
