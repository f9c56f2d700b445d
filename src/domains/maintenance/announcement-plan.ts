import { findFirstMomentMs } from "./announcement-moment.ts";
import type { WindowInput } from "./planned-window.ts";

/** When subscribers are first notified of a window that is saved now. */
export function planAnnouncement(
  { schedule, visibility }: Pick<WindowInput, "schedule" | "visibility">,
  savedAt: Date,
): Date | null {
  const firstMs = findFirstMomentMs({ schedule, visibility, savedAtMs: savedAt.getTime() });
  return firstMs === null ? null : new Date(firstMs);
}
