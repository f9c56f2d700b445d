import type { Database } from "../../platform/database.ts";
import type { Severity } from "../incidents/index.ts";
import type { OccurrenceStatus } from "./maintenance-window.ts";
import { decideStatus, findOverrun, listOccurrences } from "./occurrence.ts";
import { mapNewestTexts } from "./occurrences/update-store.ts";
import type { PublishedWindow } from "./planned-window.ts";
import { listPublishedWindows } from "./store.ts";

/** One occurrence of a window, as status pages show it. */
export interface PublicMaintenance {
  readonly windowId: number;
  /** Permanent id of the occurrence in calendars. */
  readonly uid: string;
  /** Version number, incremented by every change of the window. */
  readonly sequence: number;
  readonly name: string;
  /**
   * Text of the newest update, followed by the description of the window, in Markdown; `null` if
   * there is neither.
   */
  readonly description: string | null;
  readonly startsAt: Date;
  /** Planned end. Maintenance that people end by hand may still be in progress after it. */
  readonly endsAt: Date;
  readonly status: OccurrenceStatus;
  readonly severity: Severity | null;
  readonly affectsAllServices: boolean;
  readonly serviceIds: readonly string[];
  /** Ids of the status pages that show the occurrence; empty for all pages of the account. */
  readonly statusPageIds: readonly string[];
  readonly showAffectedServices: boolean;
  /** When the window was created or last changed. */
  readonly changedAt: Date;
}

/** Maximum number of occurrences, more than a status page shows. */
export const maxOccurrences = 200;

/**
 * Lists the occurrences that overlap the span, sorted by start. Also lists occurrences that are
 * still in progress after their planned end. The status is that at the start of the span.
 */
export function expandMaintenance(
  windows: readonly PublishedWindow[],
  span: { readonly from: Date; readonly to: Date },
): (PublicMaintenance & { readonly index: number })[] {
  const [fromMs, toMs] = [span.from.getTime(), span.to.getTime()];
  return windows
    .flatMap((window) => {
      const late = findOverrun(window, fromMs);
      const others = listOccurrences(window.schedule, { fromMs, toMs, limit: maxOccurrences });
      return [...(late === null ? [] : [late]), ...others].map((one) => ({ window, ...one }));
    })
    .toSorted((one, other) => one.startsAtMs - other.startsAtMs || one.window.id - other.window.id)
    .slice(0, maxOccurrences)
    .map(({ window, index, startsAtMs, endsAtMs }) => ({
      windowId: window.id,
      index,
      uid: `${window.calendarId}-${index}`,
      sequence: window.sequence,
      name: window.name,
      description: window.description,
      startsAt: new Date(startsAtMs),
      endsAt: new Date(endsAtMs),
      status: decideStatus(window, { index, startsAtMs, endsAtMs }, fromMs),
      severity: window.visibility.severity,
      affectsAllServices: window.visibility.affectAllServices,
      serviceIds: window.visibility.serviceIds,
      statusPageIds: window.visibility.statusPageIds,
      showAffectedServices: window.visibility.showAffectedServices,
      changedAt: window.updatedAt ?? window.createdAt,
    }));
}

export async function listPublicMaintenance(
  db: Database,
  accountId: string,
  span: { readonly from: Date; readonly to: Date },
): Promise<PublicMaintenance[]> {
  const windows = await listPublishedWindows(db, accountId);
  // Texts of updates are loaded only for windows with changed occurrences. Posting an update
  // changes the occurrence, so the other windows have no updates.
  const changed = windows.filter(({ schedule }) => (schedule.changes ?? []).length > 0);
  const texts = await mapNewestTexts(
    db,
    changed.map(({ id }) => id),
  );
  return expandMaintenance(windows, span).map(({ index, ...one }) => {
    const newestText = texts.get(`${one.windowId}-${index}`);
    const parts = [newestText, one.description].filter(
      (text) => text !== undefined && text !== null,
    );
    return { ...one, description: parts.length === 0 ? null : parts.join("\n\n") };
  });
}
