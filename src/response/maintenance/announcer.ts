import { type Database, inTransaction } from "../../platform/database.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import { isTransient } from "../../platform/quarantine.ts";
import type { WatchQueue } from "../../platform/work-calendar.ts";
import {
  listServicesByIds,
  listServicesOf,
  listStatusPagesOf,
  type Service,
} from "../../sites/status-pages/index.ts";
import { announce } from "../../sites/subscribers/index.ts";
import {
  type DueWindow,
  deleteAnnouncementsBefore,
  findBrokenWindow,
  recordAnnouncement,
  saveNextAnnouncement,
  takeDueWindow,
} from "./announcement-store.ts";
import {
  type DueAnnouncement,
  findNextAnnouncementMs,
  listDueAnnouncements,
} from "./due-announcement.ts";
import type { OccurrenceStatus } from "./maintenance-window.ts";
import type { MaintenanceContext } from "./planned-window.ts";

/** Maximum number of windows per iteration of the loop. The next iteration handles the others. */
const maxWindowsPerTurn = 200;
/** Delay before a failed announcement is tried again. */
const retryMs = 60_000;

function formatUtc(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * Writes an announcement. The times come first, because some notifications show only the first
 * line.
 */
function writeMaintenanceBody(
  description: string | null,
  { status, occurrence }: DueAnnouncement,
): string {
  const [start, end] = [formatUtc(occurrence.startsAtMs), formatUtc(occurrence.endsAtMs)];
  const sentences = {
    SCHEDULED: `Maintenance is planned from ${start} to ${end}.`,
    IN_PROGRESS: `Maintenance is in progress and is planned to end at ${end}.`,
    COMPLETED: `The maintenance that started at ${start} has ended.`,
  };
  return description === null ? sentences[status] : `${sentences[status]}\n\n${description}`;
}

type AccountWindow = Pick<DueWindow, "accountId" | "id" | "name" | "visibility">;

/**
 * Returns the services that a window affects. If the window affects all services or names none,
 * returns all services of the status pages that show the window.
 */
async function findAffected(db: Database, window: AccountWindow): Promise<readonly Service[]> {
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

interface Message {
  readonly sourceId: string;
  readonly status: OccurrenceStatus;
  readonly body: string;
  readonly at: Date;
}

export async function notifySubscribers(
  db: Database,
  window: AccountWindow,
  { sourceId, status, body, at }: Message,
): Promise<void> {
  const { visibility } = window;
  const services = await findAffected(db, window);
  const namesServices = visibility.affectAllServices || visibility.serviceIds.length > 0;
  const areShown = namesServices && visibility.showAffectedServices;
  await announce(db, window.accountId, {
    sourceId,
    kind: "maintenance",
    title: window.name,
    status,
    severity: null,
    body,
    serviceIds: services.map(({ id }) => id),
    serviceNames: areShown ? services.map(({ name }) => name) : [],
    incidentId: null,
    at,
    statusPageIds: visibility.statusPageIds,
  });
}

/** Queues the due announcements of a window and schedules the next one, in one transaction. */
async function announceWindow(db: Database, window: DueWindow, now: Date): Promise<void> {
  const { schedule, visibility, createdAt, updatedAt } = window;
  const savedAtMs = (updatedAt ?? createdAt).getTime();
  const announced = { schedule, visibility, savedAtMs };
  for (const announcement of listDueAnnouncements(announced, now.getTime())) {
    if (!(await recordAnnouncement(db, window.id, { announcement, at: now }))) continue;
    const start = new Date(announcement.occurrence.startsAtMs).toISOString();
    const sourceId = `maintenance:${window.id}:${start}:${announcement.kind}`;
    const body = writeMaintenanceBody(window.description, announcement);
    await notifySubscribers(db, window, { sourceId, status: announcement.status, body, at: now });
  }
  const nextMs = findNextAnnouncementMs(announced, now.getTime());
  await saveNextAnnouncement(db, window.id, nextMs === null ? null : new Date(nextMs));
}

/**
 * Sends the due announcements of maintenance to subscribers. Returns the number of processed
 * windows.
 */
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
      if (id === null || isTransient(error)) throw error;
      // Retry this window later, so that it does not block announcements of other windows.
      log.warn({ err: error, windowId: id }, "could not announce a maintenance window");
      await saveNextAnnouncement(db, id, new Date(now.getTime() + retryMs));
      continue;
    }
    if (taken === null) return count;
  }
  return maxWindowsPerTurn;
}

/**
 * How long sent announcements are stored, so that none is sent twice. A week is sufficient, because
 * no announcement is sent more than an hour late.
 */
const announcementsKeptMs = 7 * 86_400_000;

const announcements = {
  table: "maintenance_windows",
  dueAt: "next_announcement_at",
  where: "next_announcement_at is not null",
};

async function forgetOldAnnouncements({ db, clock }: MaintenanceContext): Promise<void> {
  await deleteAnnouncementsBefore(db, new Date(clock.now().getTime() - announcementsKeptMs));
}

export function startMaintenanceLoops(
  context: MaintenanceContext,
  log: Log,
  watch: WatchQueue,
): readonly Loop[] {
  return [
    startLoop({
      name: "announce maintenance",
      everyMs: 60_000,
      restMs: 1_000,
      onWork: watch(announcements),
      log,
      turn: async () => {
        await announceMaintenance(context);
      },
    }),
    startLoop({
      name: "forget old announcements",
      everyMs: 3_600_000,
      isEssential: false,
      log,
      turn: () => forgetOldAnnouncements(context),
    }),
  ];
}
