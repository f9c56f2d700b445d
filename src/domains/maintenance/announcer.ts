import { type Database, inTransaction } from "../../platform/database.ts";
import { isPassing } from "../../platform/set-aside.ts";
import {
  listServicesByIds,
  listServicesOf,
  listStatusPagesOf,
  type Service,
} from "../status-pages/index.ts";
import { announce } from "../subscribers/index.ts";
import {
  type AnnouncementMoment,
  findNextMomentMs,
  listDueMoments,
} from "./announcement-moment.ts";
import {
  type DueWindow,
  findBrokenWindow,
  noteAnnouncement,
  saveNextAnnouncement,
  takeDueWindow,
} from "./announcement-store.ts";
import type { MaintenanceContext } from "./context.ts";

/** Per turn; the rest is due in the next one. */
const maxWindowsPerTurn = 200;
/** A window that could not be announced is retried after this long. */
const retryMs = 60_000;

function formatMoment(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** The times come first, for those who read only one line. */
export function writeMaintenanceBody(
  description: string | null,
  { status, occurrence }: AnnouncementMoment,
): string {
  const [start, end] = [formatMoment(occurrence.startsAtMs), formatMoment(occurrence.endsAtMs)];
  const sentences = {
    SCHEDULED: `Maintenance is planned from ${start} to ${end}.`,
    IN_PROGRESS: `Maintenance has begun and is planned to end at ${end}.`,
    COMPLETED: `The maintenance that began at ${start} has ended.`,
  };
  return description === null ? sentences[status] : `${sentences[status]}\n\n${description}`;
}

/** The services that a window affects; if it names none, those that its pages show. */
async function findAffected(db: Database, window: DueWindow): Promise<readonly Service[]> {
  const { affectAllServices, serviceIds, statusPageIds } = window.visibility;
  if (!affectAllServices && serviceIds.length > 0) {
    return listServicesByIds(db, window.accountId, serviceIds);
  }
  const pages = (await listStatusPagesOf(db, window.accountId)).filter(
    ({ id }) => statusPageIds.length === 0 || statusPageIds.includes(id),
  );
  const services = pages.flatMap((page) => listServicesOf(page));
  return [...new Map(services.map((service) => [service.id, service])).values()];
}

async function notifySubscribers(
  db: Database,
  window: DueWindow,
  announcement: { readonly moment: AnnouncementMoment; readonly at: Date },
): Promise<void> {
  const { moment, at } = announcement;
  const { visibility } = window;
  const services = await findAffected(db, window);
  const namesServices = visibility.affectAllServices || visibility.serviceIds.length > 0;
  const areShown = namesServices && visibility.showAffectedServices;
  const start = new Date(moment.occurrence.startsAtMs).toISOString();
  await announce(db, window.accountId, {
    sourceId: `maintenance:${window.id}:${start}:${moment.kind}`,
    kind: "maintenance",
    title: window.name,
    status: moment.status,
    severity: null,
    body: writeMaintenanceBody(window.description, moment),
    serviceIds: services.map(({ id }) => id),
    serviceNames: areShown ? services.map(({ name }) => name) : [],
    incidentId: null,
    at,
    statusPageIds: visibility.statusPageIds,
  });
}

/** In one transaction: the record, the announcement and the next moment. */
async function announceWindow(db: Database, window: DueWindow, now: Date): Promise<void> {
  const { schedule, visibility, createdAt, updatedAt } = window;
  const savedAtMs = (updatedAt ?? createdAt).getTime();
  const announced = { schedule, visibility, savedAtMs };
  for (const moment of listDueMoments(announced, now.getTime())) {
    const announcement = { moment, at: now };
    if (await noteAnnouncement(db, window.id, announcement))
      await notifySubscribers(db, window, announcement);
  }
  const nextMs = findNextMomentMs(announced, now.getTime());
  await saveNextAnnouncement(db, window.id, nextMs === null ? null : new Date(nextMs));
}

/** Notifies subscribers of windows that begin, end or are near; returns how many were due. */
export async function announceMaintenance(context: MaintenanceContext): Promise<number> {
  const { db, log, clock } = context;
  for (let count = 0; count < maxWindowsPerTurn; count += 1) {
    const now = clock.now();
    let taken = null as DueWindow | null;
    try {
      taken = await inTransaction(db, async (transaction) => {
        taken = await takeDueWindow(transaction, now);
        if (taken !== null) await announceWindow(transaction, taken, now);
        return taken;
      });
    } catch (error) {
      const id = taken?.id ?? findBrokenWindow(error);
      if (id === null || isPassing(error)) throw error;
      // One broken window must not block those that are due after it.
      log.warn({ err: error, windowId: id }, "a maintenance window was not announced");
      await saveNextAnnouncement(db, id, new Date(now.getTime() + retryMs));
      continue;
    }
    if (taken === null) return count;
  }
  return maxWindowsPerTurn;
}
