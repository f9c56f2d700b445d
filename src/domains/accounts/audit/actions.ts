import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import type { AuditEntry } from "./audit-entry.ts";
import { type AuditQuery, deleteAuditEntriesBefore, listAuditEntries } from "./store.ts";

export function readAuditLog(
  context: AccountsContext,
  caller: Caller,
  query: AuditQuery,
): Promise<AuditEntry[]> {
  return listAuditEntries(context.db, caller.accountId, query);
}

export async function pruneAuditLog(context: AccountsContext, keptDays: number): Promise<void> {
  const before = new Date(context.clock.now().getTime() - keptDays * 86_400_000);
  await deleteAuditEntriesBefore(context.db, before);
}
