import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { isAllowed } from "../role.ts";
import {
  type AuditEntry,
  type AuditFilter,
  type ExportFormat,
  entryWriters,
} from "./audit-entry.ts";
import {
  type AuditQuery,
  deleteAuditEntriesBefore,
  listAuditEntries,
  listAuditValues,
  writeAuditEntry,
} from "./store.ts";

/** Returns whether a caller may see who changed what, on any screen or endpoint that shows it. */
export function mayReadAuditLog({ role, type }: Caller): boolean {
  return isAllowed("admin", role, type === "SESSION");
}

export function readAuditLog(
  context: Pick<AccountsContext, "db">,
  caller: Caller,
  query: AuditQuery,
): Promise<AuditEntry[]> {
  return listAuditEntries(context.db, caller.accountId, query);
}

export interface AuditFacets {
  readonly actions: readonly string[];
  readonly actors: readonly string[];
}

/** Maximum number of values per facet. */
const maxFacetValues = 500;

/** Returns the actions and actors that the log can be filtered by. */
export async function readAuditFacets(
  { db }: AccountsContext,
  { accountId }: Caller,
): Promise<AuditFacets> {
  const limit = maxFacetValues;
  const [actions, actors] = await Promise.all([
    listAuditValues(db, accountId, { column: "action", limit }),
    listAuditValues(db, accountId, { column: "actor_name", limit }),
  ]);
  return { actions, actors };
}

const exportBatch = 500;

/**
 * Streams the log in batches, so at most one batch is in memory. The export itself is recorded in
 * the log.
 */
export async function* exportAuditLog(
  context: AccountsContext,
  caller: Caller,
  request: { readonly format: ExportFormat; readonly filter: AuditFilter },
): AsyncGenerator<string> {
  await recordExport(context, caller, request);
  const { format, filter } = request;
  const { head, writeEntry } = entryWriters[format];
  let nextId: string | undefined;
  let before = head;
  do {
    const limit = exportBatch + 1;
    const entries = await listAuditEntries(context.db, caller.accountId, {
      ...filter,
      limit,
      nextId,
    });
    nextId = entries[exportBatch]?.id;
    const text = before + entries.slice(0, exportBatch).map(writeEntry).join("");
    before = "";
    if (text !== "") yield text;
  } while (nextId !== undefined);
}

async function recordExport(
  context: AccountsContext,
  caller: Caller,
  { format, filter }: { readonly format: ExportFormat; readonly filter: AuditFilter },
): Promise<void> {
  const chosen = Object.entries(filter).filter(([, value]) => value !== undefined);
  const note = { action: "audit-log.exported", targetId: caller.accountId };
  const changes = { format, ...Object.fromEntries(chosen) };
  await writeAuditEntry(context.db, caller, { ...note, changes, at: context.clock.now() });
}

export async function pruneAuditLog(context: AccountsContext, keptDays: number): Promise<void> {
  const before = new Date(context.clock.now().getTime() - keptDays * 86_400_000);
  await deleteAuditEntriesBefore(context.db, before);
}
