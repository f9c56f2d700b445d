import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import { assertMatch } from "../../platform/http/send.ts";
import { listServicesByIds, listStatusPagesOf } from "../../sites/status-pages/index.ts";
import { planAnnouncement } from "./due-announcement.ts";
import type { MaintenanceWindow } from "./maintenance-window.ts";
import { hasSameSeries, listOccurrences, retainChanges } from "./occurrence.ts";
import { deleteUpdatesOf } from "./occurrences/update-store.ts";
import type { MaintenanceContext } from "./planned-window.ts";
import {
  findFieldFault,
  maxWindows,
  type PlannedWindow,
  type WindowInput,
} from "./planned-window.ts";
import { tagWindow } from "./schema.ts";
import {
  countWindows,
  deleteWindow,
  findWindow,
  findWindowForUpdate,
  insertWindow,
  listLabelledChecks,
  listWindows,
  mapGroupNames,
  updateWindow,
} from "./store.ts";

/** Maximum number of occurrences per window and period. No view shows more. */
const maxOccurrences = 50;

export function assertSound(input: WindowInput): void {
  const fault = findFieldFault(input);
  if (fault !== null) throw invalid(fault.key, fault.rule);
}

/**
 * Rejects checks, groups, pages and services that do not exist in the account. Ids that the stored
 * window already contains are accepted even if their objects were deleted, so that a client can
 * send back a window that it has read.
 */
export async function assertExist(
  db: Database,
  accountId: string,
  named: { readonly now: WindowInput; readonly before: WindowInput | null },
): Promise<void> {
  const { visibility, schedule } = named.now;
  const { checkIds = [], groupIds = [] } = schedule;
  const hasPages = visibility.statusPageIds.length > 0;
  const [services, pages, checks, groups] = await Promise.all([
    listServicesByIds(db, accountId, visibility.serviceIds),
    hasPages ? listStatusPagesOf(db, accountId) : [],
    listLabelledChecks(db, accountId, checkIds),
    mapGroupNames(db, accountId, groupIds),
  ]);
  const { visibility: shown, schedule: planned } = named.before ?? {};
  const inside = "statusPageVisibility";
  assertAll(`${inside}.serviceIds`, visibility.serviceIds, [
    ...services.map(idOf),
    ...(shown?.serviceIds ?? []),
  ]);
  assertAll(`${inside}.statusPageIds`, visibility.statusPageIds, [
    ...pages.map(idOf),
    ...(shown?.statusPageIds ?? []),
  ]);
  assertAll("checkIds", checkIds, [...checks.map(idOf), ...(planned?.checkIds ?? [])]);
  assertAll("groupIds", groupIds, [...groups.keys(), ...(planned?.groupIds ?? [])]);
}

const idOf = ({ id }: { readonly id: string }) => id;

function assertAll<Id>(field: string, ids: readonly Id[], existing: readonly Id[]): void {
  const set = new Set(existing);
  const unknown = ids.findIndex((id) => !set.has(id));
  if (unknown >= 0) throw invalid(`${field}.${unknown}`, "does not exist in this account");
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
    if (count >= maxWindows)
      throw conflict(`an account has at most ${maxWindows} maintenance windows; delete one first`);
    await assertExist(db, caller.accountId, { now: input, before: null });
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
  change: {
    readonly id: number;
    readonly input: WindowInput;
    /** If-Match header. If present, it must match the current ETag of the window. */
    readonly ifMatch?: string | undefined;
  },
): Promise<PlannedWindow> {
  const { id, input, ifMatch } = change;
  assertSound(input);
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const before = await findWindowForUpdate(db, caller.accountId, id);
    if (before === null) throw notFound();
    assertMatch(ifMatch, tagWindow(before));
    await assertExist(db, caller.accountId, { now: input, before });
    const changes = retainChanges(before.schedule, input.schedule);
    const schedule = { ...input.schedule, changes };
    const after = { ...before, ...input, schedule, updatedAt: at };
    const nextAnnouncementAt = planAnnouncement(after, at);
    if (isOtherSeries(before.schedule, schedule)) await deleteUpdatesOf(db, id);
    await updateWindow(db, caller.accountId, { ...after, nextAnnouncementAt });
    const note = { action: "maintenance-window.updated", changes: { name: input.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
    return after;
  });
}

/**
 * Whether the changed schedule results in different occurrences. The updates of the previous
 * occurrences are then deleted. A window that opens only once keeps its updates when it is moved.
 */
function isOtherSeries(before: MaintenanceWindow, after: MaintenanceWindow): boolean {
  const opensOnce = before.repeatUnit === null && after.repeatUnit === null;
  return !opensOnce && !hasSameSeries(before, after);
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

/** One opening of a maintenance window. */
export interface MaintenanceOccurrence {
  readonly id: number;
  readonly name: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** Lists every occurrence that overlaps a period, ordered by start. */
export async function listMaintenanceOccurrences(
  db: Database,
  accountId: string,
  span: { readonly fromMs: number; readonly toMs: number },
): Promise<MaintenanceOccurrence[]> {
  const { windows } = await listWindows(db, accountId, { limit: maxWindows, page: 1 });
  return windows
    .flatMap(({ id, name, schedule }) =>
      listOccurrences(schedule, { ...span, limit: maxOccurrences }).map((one) => ({
        id,
        name,
        ...one,
      })),
    )
    .sort((one, other) => one.startsAtMs - other.startsAtMs);
}
