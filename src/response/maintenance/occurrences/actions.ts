import { randomUUIDv7 } from "node:crypto";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { recordAnnouncement } from "../announcement-store.ts";
import { notifySubscribers } from "../announcer.ts";
import { planAnnouncement } from "../due-announcement.ts";
import {
  findByIndex,
  findChange,
  isValidTime,
  type OccurrenceChange,
  type OccurrenceStatus,
} from "../maintenance-window.ts";
import {
  decideStatus,
  decideTimes,
  findOverrun,
  listShownOccurrences,
  type OccurrenceUpdate,
  withChange,
} from "../occurrence.ts";
import type { MaintenanceContext, PublishedWindow } from "../planned-window.ts";
import type { Occurrence } from "../recurrence.ts";
import { findPublishedWindow, findPublishedWindowForUpdate, updateWindow } from "../store.ts";
import { changeUpdate, deleteUpdate, insertUpdate, listUpdates } from "./update-store.ts";

/**
 * Derives the id of an occurrence from the calendar id of its window, by combining the last eight
 * digits with the index of the occurrence. Every occurrence therefore has a permanent id, although
 * only changed occurrences are stored.
 */
export function toOccurrenceId(calendarId: string, index: number): string {
  const last = (Number.parseInt(calendarId.slice(-8), 16) ^ index) >>> 0;
  return calendarId.slice(0, -8) + last.toString(16).padStart(8, "0");
}

/** Returns the index in the id of an occurrence; `null` if the id belongs to another window. */
export function readOccurrenceIndex(calendarId: string, id: string): number | null {
  const text = id.toLowerCase();
  if (text.slice(0, -8) !== calendarId.slice(0, -8)) return null;
  const index =
    (Number.parseInt(text.slice(-8), 16) ^ Number.parseInt(calendarId.slice(-8), 16)) >>> 0;
  return index <= maxIndex ? index : null;
}

/** Maximum index of an occurrence: more than the days until the year 9999. */
const maxIndex = 4_000_000;

/** How far ahead occurrences are listed by default. */
const aheadMs = 400 * 86_400_000;
const maxListed = 1_000;
/** Maximum number of updates per occurrence. */
const maxUpdates = 100;

export interface Maintenance extends Occurrence {
  readonly id: string;
  readonly windowId: number;
  readonly status: OccurrenceStatus;
  readonly isMoved: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly updates: readonly OccurrenceUpdate[];
}

export function describeOccurrence(window: PublishedWindow, one: Occurrence, nowMs: number) {
  const byRule = findByIndex({ ...window.schedule, changes: [] }, one.index);
  return {
    index: one.index,
    startsAtMs: one.startsAtMs,
    endsAtMs: one.endsAtMs,
    id: toOccurrenceId(window.calendarId, one.index),
    windowId: window.id,
    status: decideStatus(window, one, nowMs),
    isMoved: byRule?.startsAtMs !== one.startsAtMs || byRule.endsAtMs !== one.endsAtMs,
    createdAt: window.createdAt,
    updatedAt: window.updatedAt ?? window.createdAt,
  };
}

async function describeAll(
  db: Database,
  window: PublishedWindow,
  shown: { readonly occurrences: readonly Occurrence[]; readonly nowMs: number },
): Promise<Maintenance[]> {
  const indexes = shown.occurrences.map(({ index }) => index);
  const updates = Object.groupBy(await listUpdates(db, window.id, indexes), ({ index }) => index);
  return shown.occurrences.map((one) => ({
    ...describeOccurrence(window, one, shown.nowMs),
    updates: updates[one.index] ?? [],
  }));
}

export async function listMaintenances(
  context: MaintenanceContext,
  caller: Caller,
  query: {
    readonly windowId: number;
    readonly limit: number;
    readonly page: number;
    readonly from?: Date;
    readonly to?: Date;
  },
): Promise<{ readonly maintenances: Maintenance[]; readonly total: number }> {
  const { db, clock } = context;
  const window = await findPublishedWindow(db, caller.accountId, query.windowId);
  if (window === null) throw notFound();
  const nowMs = clock.now().getTime();
  const fromMs = query.from?.getTime() ?? nowMs;
  const toMs = query.to?.getTime() ?? fromMs + aheadMs;
  if (toMs < fromMs) throw invalid("to", "must not be before from", "querystring");
  const late = query.from === undefined ? findOverrun(window, nowMs) : null;
  const all = [
    ...(late === null ? [] : [late]),
    ...listShownOccurrences(window.schedule, { fromMs, toMs, limit: maxListed }),
  ];
  const first = Math.max(0, query.page - 1) * query.limit;
  const occurrences = all.slice(first, first + query.limit);
  return {
    maintenances: await describeAll(db, window, { occurrences, nowMs }),
    total: all.length,
  };
}

interface Place {
  readonly windowId: number;
  readonly maintenanceId: string;
}

function locate(
  window: PublishedWindow | null,
  { maintenanceId }: Place,
): { readonly window: PublishedWindow; readonly occurrence: Occurrence } {
  const index = window && readOccurrenceIndex(window.calendarId, maintenanceId);
  const occurrence = window && index !== null && findByIndex(window.schedule, index);
  if (!window || !occurrence) throw notFound();
  return { window, occurrence };
}

export async function getMaintenance(
  context: MaintenanceContext,
  caller: Caller,
  place: Place,
): Promise<Maintenance> {
  const found = await findPublishedWindow(context.db, caller.accountId, place.windowId);
  const { window, occurrence } = locate(found, place);
  const nowMs = context.clock.now().getTime();
  const shown = { occurrences: [occurrence], nowMs };
  const [maintenance] = await describeAll(context.db, window, shown);
  if (maintenance === undefined) throw notFound();
  return maintenance;
}

interface Changing {
  readonly db: Database;
  readonly caller: Caller;
  readonly window: PublishedWindow;
  readonly at: Date;
}

/** Stores the change of one occurrence and schedules the next announcement. */
async function saveChange(
  { db, caller, window, at }: Changing,
  change: OccurrenceChange,
  verb: string,
): Promise<PublishedWindow> {
  const schedule = withChange(window.schedule, change, at.getTime());
  if (schedule === null) throw conflict("the window has too many changed occurrences");
  const after = { ...window, schedule, updatedAt: at };
  const nextAnnouncementAt = planAnnouncement(after, at);
  await updateWindow(db, caller.accountId, { ...after, nextAnnouncementAt });
  const startsAt = new Date(change.startsAtMs).toISOString();
  const endsAt = new Date(change.endsAtMs).toISOString();
  await writeAuditEntry(db, caller, {
    action: `maintenance-window.${verb}`,
    changes: { name: window.name, startsAt, endsAt, status: change.status },
    targetId: String(window.id),
    at,
  });
  return after;
}

type Work<Result> = (changing: Changing, occurrence: Occurrence) => Promise<Result>;

/**
 * Changes an occurrence while its window is locked, so that concurrent changes run one after the
 * other.
 */
function changeOccurrence<Result>(
  context: MaintenanceContext,
  caller: Caller,
  place: Place,
  change: Work<Result>,
): Promise<Result> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const found = await findPublishedWindowForUpdate(db, caller.accountId, place.windowId);
    const { window, occurrence } = locate(found, place);
    return change({ db, caller, window, at }, occurrence);
  });
}

export async function moveMaintenance(
  context: MaintenanceContext,
  caller: Caller,
  move: Place & { readonly startsAtMs: number | null; readonly endsAtMs: number | null },
): Promise<Maintenance> {
  await changeOccurrence(context, caller, move, async (changing, occurrence) => {
    const { window, at } = changing;
    const current = decideStatus(window, occurrence, at.getTime());
    if (current === "COMPLETED" || current === "CANCELLED") {
      throw conflict(`the maintenance is ${current.toLowerCase()} and cannot be moved`);
    }
    const { index } = occurrence;
    const startsAtMs = move.startsAtMs ?? occurrence.startsAtMs;
    const endsAtMs = move.endsAtMs ?? occurrence.endsAtMs;
    if (!isValidTime(startsAtMs)) throw invalid("startsAt", "must be a valid date and time");
    if (!isValidTime(endsAtMs)) throw invalid("endsAt", "must be a valid date and time");
    if (endsAtMs <= startsAtMs) throw invalid("endsAt", "must be after startsAt");
    const status = findChange(window.schedule, index)?.status ?? null;
    const change = { index, startsAtMs, endsAtMs, status };
    await saveChange(changing, change, "occurrence-moved");
  });
  return getMaintenance(context, caller, move);
}

export async function removeMaintenance(
  context: MaintenanceContext,
  caller: Caller,
  place: Place,
): Promise<void> {
  await changeOccurrence(context, caller, place, async (changing, { index, ...times }) => {
    await saveChange(changing, { index, ...times, status: "DELETED" }, "occurrence-deleted");
  });
}

/**
 * Notifies subscribers of an update if the update requests it. Also notifies them if the update
 * starts or ends the occurrence, and the window announces starts or ends.
 */
async function announceUpdate(
  { db, caller, window, at }: Changing,
  occurrence: Occurrence,
  update: OccurrenceUpdate,
): Promise<void> {
  const { notifyOnStart, notifyOnEnd, enabled } = window.visibility;
  const { status, description, id } = update;
  const hasChanged = update.previousStatus !== null;
  const kind = status === "IN_PROGRESS" ? "START" : status === "COMPLETED" ? "END" : null;
  const isAsked = (kind === "START" && notifyOnStart) || (kind === "END" && notifyOnEnd);
  // Record the start or end, so that the announcer does not announce it again.
  if (hasChanged && kind !== null) {
    const announcement = { kind, status: "COMPLETED", atMs: at.getTime(), occurrence } as const;
    await recordAnnouncement(db, window.id, { announcement, at });
  }
  if (!enabled || !(update.notifySubscribers || (hasChanged && isAsked))) return;
  const sourceId = `maintenance:${window.id}:update:${id}`;
  const { accountId } = caller;
  await notifySubscribers(
    db,
    { ...window, accountId },
    { sourceId, status, body: description, at },
  );
}

export async function postUpdate(
  context: MaintenanceContext,
  caller: Caller,
  input: Place & Pick<OccurrenceUpdate, "status" | "description" | "notifySubscribers">,
): Promise<OccurrenceUpdate> {
  return changeOccurrence(context, caller, input, async (changing, occurrence) => {
    const { db, window, at } = changing;
    const { index } = occurrence;
    const { status } = input;
    const from = decideStatus(window, occurrence, at.getTime());
    const times = decideTimes(occurrence, { from, to: status }, at.getTime());
    if (typeof times === "string") throw conflict(times);
    if ((await listUpdates(db, window.id, [index])).length >= maxUpdates) {
      throw conflict(`a maintenance has at most ${maxUpdates} updates`);
    }
    const isMoved =
      times.startsAtMs !== occurrence.startsAtMs || times.endsAtMs !== occurrence.endsAtMs;
    const update: OccurrenceUpdate = {
      id: randomUUIDv7(),
      index,
      status,
      description: input.description,
      notifySubscribers: input.notifySubscribers,
      createdAt: at,
      previousStatus: from === status ? null : from,
      previousStartsAt: isMoved ? new Date(occurrence.startsAtMs) : null,
      previousEndsAt: isMoved ? new Date(occurrence.endsAtMs) : null,
      startsAt: isMoved ? new Date(times.startsAtMs) : null,
      endsAt: isMoved ? new Date(times.endsAtMs) : null,
    };
    const after = await saveChange(changing, { index, ...times, status }, "occurrence-updated");
    await insertUpdate(db, window.id, update);
    await announceUpdate({ ...changing, window: after }, { index, ...times }, update);
    return update;
  });
}

type UpdatePlace = Place & { readonly updateId: string };

export async function editUpdate(
  context: MaintenanceContext,
  caller: Caller,
  edit: UpdatePlace & {
    readonly description: string;
    readonly status: OccurrenceStatus | null;
  },
): Promise<OccurrenceUpdate> {
  return changeOccurrence(context, caller, edit, async ({ db, window, at }, { index }) => {
    const { updateId: id, description, status } = edit;
    const update = await changeUpdate(db, window.id, { id, index, description, status });
    if (update === null) throw notFound();
    await recordTextChange({ db, caller, window, at }, "update-edited");
    return update;
  });
}

export async function removeUpdate(
  context: MaintenanceContext,
  caller: Caller,
  place: UpdatePlace,
): Promise<void> {
  await changeOccurrence(context, caller, place, async ({ db, window, at }, { index }) => {
    const isGone = await deleteUpdate(db, window.id, { id: place.updateId, index });
    if (!isGone) throw notFound();
    await recordTextChange({ db, caller, window, at }, "update-deleted");
  });
}

async function recordTextChange({ db, caller, window, at }: Changing, verb: string): Promise<void> {
  const action = `maintenance-window.${verb}`;
  // Save the window too: a change of its row invalidates the cached pages that show the text.
  const after = { ...window, updatedAt: at };
  const nextAnnouncementAt = planAnnouncement(after, at);
  await updateWindow(db, caller.accountId, { ...after, nextAnnouncementAt });
  const note = { action, changes: { name: window.name }, targetId: String(window.id), at };
  await writeAuditEntry(db, caller, note);
}
