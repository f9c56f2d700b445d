import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import type { AlertingContext } from "../context.ts";
import {
  findFieldFault,
  maxWindows,
  type PlannedWindow,
  type WindowWish,
} from "./planned-window.ts";
import {
  countWindows,
  deleteWindow,
  findWindow,
  insertWindow,
  listWindows,
  updateWindow,
} from "./store.ts";

function assertSound({ schedule }: WindowWish): void {
  const fault = findFieldFault(schedule);
  if (fault !== null) throw invalid(fault.key, fault.rule);
}

export async function createWindow(
  context: AlertingContext,
  caller: Caller,
  wish: WindowWish,
): Promise<PlannedWindow> {
  assertSound(wish);
  const at = context.clock.now();
  return context.db.transaction().execute(async (db) => {
    const count = await countWindows(db, caller.accountId);
    if (count >= maxWindows) throw conflict(`the account has ${count} maintenance windows already`);
    const id = await insertWindow(db, caller.accountId, { ...wish, createdAt: at });
    const note = { action: "maintenance-window.created", changes: { name: wish.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
    return { ...wish, id, createdAt: at, updatedAt: null };
  });
}

export async function getWindow(
  context: AlertingContext,
  caller: Caller,
  id: number,
): Promise<PlannedWindow> {
  const window = await findWindow(context.db, caller.accountId, id);
  if (window === null) throw notFound();
  return window;
}

export function listOwnWindows(
  context: AlertingContext,
  caller: Caller,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly windows: PlannedWindow[]; readonly total: number }> {
  return listWindows(context.db, caller.accountId, query);
}

export async function changeWindow(
  context: AlertingContext,
  caller: Caller,
  change: { readonly id: number; readonly wish: WindowWish },
): Promise<PlannedWindow> {
  const { id, wish } = change;
  assertSound(wish);
  const at = context.clock.now();
  return context.db.transaction().execute(async (db) => {
    const after = await updateWindow(db, caller.accountId, { ...wish, id, updatedAt: at });
    if (after === null) throw notFound();
    const note = { action: "maintenance-window.updated", changes: { name: wish.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
    return after;
  });
}

export async function removeWindow(
  context: AlertingContext,
  caller: Caller,
  id: number,
): Promise<void> {
  await context.db.transaction().execute(async (db) => {
    const removed = await deleteWindow(db, caller.accountId, id);
    if (removed === null) throw notFound();
    const at = context.clock.now();
    const note = { action: "maintenance-window.deleted", changes: { name: removed.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
  });
}
