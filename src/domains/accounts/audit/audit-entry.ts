import { formatDateTime } from "../../../platform/dates.ts";
import { writeCsvLine } from "../../../platform/text/escaping.ts";

/**
 * Records one change: the action, its target, who made it and from where. `changes` never contains
 * a secret.
 */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string };
  readonly action: string;
  readonly target: {
    readonly type: string;
    readonly id: string;
    /** `null` if no entry of the log contains the target's name. */
    readonly name: string | null;
  };
  readonly changes: Readonly<Record<string, unknown>>;
  readonly address: string | null;
  readonly requestId: string | null;
}

export interface AuditNote {
  /** Noun and past participle, such as `api-key.created`. */
  readonly action: string;
  readonly targetId: string;
  readonly changes?: Readonly<Record<string, unknown>>;
  /** The objects of a batch; the target is then the batch. */
  readonly items?: readonly AuditItem[];
}

/** One object of a batch, with what changed. */
export interface AuditItem {
  readonly id: string;
  readonly name: string;
  readonly [detail: string]: unknown;
}

/** Filters for audit entries; an entry must match all of them. */
export interface AuditFilter {
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly targetType?: string | undefined;
  readonly targetId?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly search?: string | undefined;
}

export const exportFormats = ["csv", "ndjson"] as const;

export type ExportFormat = (typeof exportFormats)[number];

interface EntryWriter {
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
