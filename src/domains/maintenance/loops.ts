import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import type { WatchQueue } from "../../platform/work-calendar.ts";
import { deleteAnnouncementsBefore } from "./announcement-store.ts";
import { announceMaintenance } from "./announcer.ts";
import type { MaintenanceContext } from "./planned-window.ts";

/** Announcements are at most an hour late, so a week is sufficient. */
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
