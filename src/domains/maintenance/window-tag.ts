import { createHash } from "node:crypto";
import type { PlannedWindow } from "./planned-window.ts";
import { toWireWindow } from "./schema.ts";

/**
 * Tells what somebody set in a window from everything else that may be set. What was decided about
 * single occurrences is no part of it: a change of the window leaves that as it is.
 */
export function tagWindow(window: PlannedWindow): string {
  const { id: _id, created_at: _made, updated_at: _changed, ...set } = toWireWindow(window);
  const { statusPageVisibility, ...rest } = set;
  // The database gives the keys of an object back in an order of its own.
  const visibility = Object.entries(statusPageVisibility).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const content = JSON.stringify([rest, visibility]);
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}
