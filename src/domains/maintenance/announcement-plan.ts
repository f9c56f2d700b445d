import { findFirstAnnouncementMs } from "./due-announcement.ts";
import type { WindowInput } from "./planned-window.ts";

/** Returns when subscribers are first notified of a window that is saved now. */
export function planAnnouncement(
  { schedule, visibility }: Pick<WindowInput, "schedule" | "visibility">,
  savedAt: Date,
): Date | null {
  const firstMs = findFirstAnnouncementMs({ schedule, visibility, savedAtMs: savedAt.getTime() });
  return firstMs === null ? null : new Date(firstMs);
}
