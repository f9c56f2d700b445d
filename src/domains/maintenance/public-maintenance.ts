import type { Database } from "../../platform/database.ts";
import type { Severity } from "../incidents/index.ts";
import { listOccurrences } from "./maintenance-spans.ts";
import { countEarlierOccurrences } from "./maintenance-window.ts";
import type { PublishedWindow } from "./planned-window.ts";
import { listPublishedWindows } from "./store.ts";

/** One occurrence of a window, as status pages show it. */
export interface PublicMaintenance {
  readonly windowId: number;
  /** For calendars; stays the same for as long as the occurrence exists. */
  readonly uid: string;
  /** Rises with every change of the window. */
  readonly sequence: number;
  readonly name: string;
  /** Markdown. */
  readonly description: string | null;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly severity: Severity | null;
  readonly affectsAllServices: boolean;
  readonly serviceIds: readonly string[];
  /** Empty: every page of the account. */
  readonly statusPageIds: readonly string[];
  readonly showAffectedServices: boolean;
  /** When the window was created or last changed. */
  readonly changedAt: Date;
}

/** More than a page shows. */
export const maxOccurrences = 200;

/** Every occurrence that overlaps the span, in the order of their starts. */
export function expandMaintenance(
  windows: readonly PublishedWindow[],
  span: { readonly from: Date; readonly to: Date },
): PublicMaintenance[] {
  const [fromMs, toMs] = [span.from.getTime(), span.to.getTime()];
  return windows
    .flatMap((window) =>
      listOccurrences(window.schedule, { fromMs, toMs, limit: maxOccurrences }).map(
        ({ startsAtMs, endsAtMs }) => ({ window, startsAtMs, endsAtMs }),
      ),
    )
    .toSorted((one, other) => one.startsAtMs - other.startsAtMs || one.window.id - other.window.id)
    .slice(0, maxOccurrences)
    .map(({ window, startsAtMs, endsAtMs }) => ({
      windowId: window.id,
      uid: `${window.calendarId}-${countEarlierOccurrences(window.schedule, startsAtMs)}`,
      sequence: window.sequence,
      name: window.name,
      description: window.description,
      startsAt: new Date(startsAtMs),
      endsAt: new Date(endsAtMs),
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
  return expandMaintenance(await listPublishedWindows(db, accountId), span);
}
