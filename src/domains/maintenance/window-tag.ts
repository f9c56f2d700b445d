import { createHash } from "node:crypto";
import type { PlannedWindow } from "./planned-window.ts";
import { toWireWindow } from "./schema.ts";

/**
 * ETag of the settings of a window. Changes of single occurrences are not part of it, because
 * changing the window does not affect them.
 */
export function tagWindow(window: PlannedWindow): string {
  const { id: _id, created_at: _made, updated_at: _changed, ...set } = toWireWindow(window);
  const { statusPageVisibility, ...rest } = set;
  // PostgreSQL does not preserve the order of the keys of an object.
  const visibility = Object.entries(statusPageVisibility).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const content = JSON.stringify([rest, visibility]);
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}
