import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import { conflict, forbidden, notFound } from "../../../platform/errors.ts";
import { type Caller, isAllowed, writeAuditEntry } from "../../accounts/index.ts";
import type { ChecksContext } from "../actions.ts";
import {
  deleteView,
  insertView,
  listViews,
  lockView,
  maxOwnViews,
  maxSharedViews,
  type SavedView,
  updateView,
  type ViewInput,
} from "./store.ts";

/** Anyone may save their own views; shared views require write access. */
function assertMaySave(caller: Caller, { isShared }: Pick<SavedView, "isShared">): void {
  const isPerson = caller.userId !== null;
  const mayWrite = isAllowed("write", caller.role, caller.type === "SESSION");
  if (isShared ? !mayWrite : !isPerson) throw forbidden();
}

/** Counts under a lock, so that concurrent requests cannot exceed the limit. */
async function assertBelowLimit(db: Database, caller: Caller, isShared: boolean): Promise<void> {
  await lockName(db, `saved-views ${caller.accountId}`);
  const views = await listViews(db, caller.accountId, caller.userId);
  const count = views.filter((view) => view.isShared === isShared).length;
  const limit = isShared ? maxSharedViews : maxOwnViews;
  if (count >= limit) throw conflict(`limit of ${limit} saved views reached; delete one first`);
}

export function listOwnViews({ db }: ChecksContext, caller: Caller): Promise<SavedView[]> {
  return listViews(db, caller.accountId, caller.userId);
}

export async function createView(
  context: ChecksContext,
  caller: Caller,
  { name, query, shared }: { readonly [Field in keyof ViewInput]-?: NonNullable<ViewInput[Field]> },
): Promise<SavedView> {
  const at = context.clock.now();
  const draft = { name, query, isShared: shared };
  assertMaySave(caller, draft);
  return inTransaction(context.db, async (db) => {
    await assertBelowLimit(db, caller, draft.isShared);
    const { userId } = caller;
    const view = await insertView(db, caller.accountId, { ...draft, userId, createdAt: at });
    await audit(db, caller, { view, what: "created", at });
    return view;
  });
}

function audit(
  db: Database,
  caller: Caller,
  { view, what, at }: { readonly view: SavedView; readonly what: string; readonly at: Date },
): Promise<void> {
  const { id, name, isShared: shared } = view;
  const note = { action: `view.${what}`, targetId: String(id), changes: { name, shared }, at };
  return writeAuditEntry(db, caller, note);
}

export async function changeView(
  context: ChecksContext,
  caller: Caller,
  { id, input }: { readonly id: number; readonly input: ViewInput },
): Promise<SavedView> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const before = await lockView(db, caller.accountId, { id, userId: caller.userId });
    if (before === null) throw notFound();
    const { name = before.name, query = before.query, shared = before.isShared } = input;
    const view = { ...before, name, query, isShared: shared, updatedAt: at };
    assertMaySave(caller, before);
    assertMaySave(caller, view);
    // A shared view may be made private only by the person who saved it.
    if (!view.isShared && before.userId !== caller.userId) throw forbidden();
    if (view.isShared !== before.isShared) await assertBelowLimit(db, caller, view.isShared);
    await updateView(db, caller.accountId, view);
    await audit(db, caller, { view, what: "updated", at });
    return view;
  });
}

export async function removeView(
  context: ChecksContext,
  caller: Caller,
  id: number,
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    const view = await lockView(db, caller.accountId, { id, userId: caller.userId });
    if (view === null) throw notFound();
    assertMaySave(caller, view);
    await deleteView(db, caller.accountId, id);
    await audit(db, caller, { view, what: "deleted", at: context.clock.now() });
  });
}
