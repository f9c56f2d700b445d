import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../accounts/index.ts";
import { listServicesByIds, listStatusPagesOf } from "../status-pages/index.ts";
import { findFirstMomentMs } from "./announcement-moment.ts";
import type { MaintenanceContext } from "./context.ts";
import { findVisibilityFault, type PageVisibility } from "./page-visibility.ts";
import {
  findFieldFault,
  maxWindows,
  type PlannedWindow,
  type WindowInput,
} from "./planned-window.ts";
import {
  countWindows,
  deleteWindow,
  findWindow,
  findWindowForUpdate,
  insertWindow,
  listWindows,
  updateWindow,
} from "./store.ts";

function assertSound({ schedule, visibility }: WindowInput): void {
  const fault = findFieldFault(schedule) ?? findVisibilityFault(visibility);
  if (fault !== null) throw invalid(fault.key, fault.rule);
}

/**
 * Pages and services that a window names must be the account's. One that it already named may have
 * been deleted since: it stays valid, so that a client can send back what it read.
 */
async function assertKnown(
  db: Database,
  accountId: string,
  named: { readonly now: PageVisibility; readonly before: PageVisibility | null },
): Promise<void> {
  const { now, before } = named;
  const services = await listServicesByIds(db, accountId, now.serviceIds);
  const hasPages = now.statusPageIds.length > 0;
  const pages = hasPages ? await listStatusPagesOf(db, accountId) : [];
  const known = { serviceIds: services, statusPageIds: pages };
  for (const field of ["serviceIds", "statusPageIds"] as const) {
    const ids = new Set([...known[field].map(({ id }) => id), ...(before?.[field] ?? [])]);
    const unknown = now[field].findIndex((id) => !ids.has(id));
    if (unknown < 0) continue;
    throw invalid(`statusPageVisibility.${field}.${unknown}`, "is not known in this account");
  }
}

/** When subscribers are first notified of a window that is saved now. */
function planAnnouncement({ schedule, visibility }: WindowInput, savedAt: Date): Date | null {
  const firstMs = findFirstMomentMs({ schedule, visibility, savedAtMs: savedAt.getTime() });
  return firstMs === null ? null : new Date(firstMs);
}

export async function createWindow(
  context: MaintenanceContext,
  caller: Caller,
  input: WindowInput,
): Promise<PlannedWindow> {
  assertSound(input);
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    await lockName(db, `maintenance windows ${caller.accountId}`);
    const count = await countWindows(db, caller.accountId);
    if (count >= maxWindows) throw conflict(`the account has ${count} maintenance windows already`);
    await assertKnown(db, caller.accountId, { now: input.visibility, before: null });
    const draft = { ...input, createdAt: at, nextAnnouncementAt: planAnnouncement(input, at) };
    const id = await insertWindow(db, caller.accountId, draft);
    const note = { action: "maintenance-window.created", changes: { name: input.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
    return { ...input, id, createdAt: at, updatedAt: null };
  });
}

export async function getWindow(
  context: MaintenanceContext,
  caller: Caller,
  id: number,
): Promise<PlannedWindow> {
  const window = await findWindow(context.db, caller.accountId, id);
  if (window === null) throw notFound();
  return window;
}

export function listOwnWindows(
  context: MaintenanceContext,
  caller: Caller,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly windows: PlannedWindow[]; readonly total: number }> {
  return listWindows(context.db, caller.accountId, query);
}

export async function changeWindow(
  context: MaintenanceContext,
  caller: Caller,
  change: { readonly id: number; readonly input: WindowInput },
): Promise<PlannedWindow> {
  const { id, input } = change;
  assertSound(input);
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const before = await findWindowForUpdate(db, caller.accountId, id);
    if (before === null) throw notFound();
    const named = { now: input.visibility, before: before.visibility };
    await assertKnown(db, caller.accountId, named);
    const after = { ...before, ...input, updatedAt: at };
    const nextAnnouncementAt = planAnnouncement(input, at);
    await updateWindow(db, caller.accountId, { ...after, nextAnnouncementAt });
    const note = { action: "maintenance-window.updated", changes: { name: input.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
    return after;
  });
}

export async function removeWindow(
  context: MaintenanceContext,
  caller: Caller,
  id: number,
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    const removed = await deleteWindow(db, caller.accountId, id);
    if (removed === null) throw notFound();
    const at = context.clock.now();
    const note = { action: "maintenance-window.deleted", changes: { name: removed.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
  });
}
