import type { OutageView } from "../../pages/status-page/page-view.ts";
import type { Followed, FollowedTrouble, Incident } from "../incidents/index.ts";
import type { Service } from "../status-pages/index.ts";

type Stretch = { status: "degraded" | "failing"; fromMs: number; toMs: number };

const forEver = Number.POSITIVE_INFINITY;

/** Merges overlapping failures of several checks into one outage with the worst status. */
function mergeTroubles(troubles: readonly FollowedTrouble[]): Stretch[] {
  const merged: Stretch[] = [];
  for (const trouble of troubles.toSorted((one, other) => one.startedAtMs - other.startedAtMs)) {
    const { status, startedAtMs: fromMs } = trouble;
    if (status === "unknown") continue;
    const toMs = trouble.endedAtMs ?? forEver;
    const last = merged.at(-1);
    if (last === undefined || fromMs > last.toMs) merged.push({ status, fromMs, toMs });
    else {
      last.toMs = Math.max(last.toMs, toMs);
      if (status === "failing") last.status = status;
    }
  }
  return merged;
}

/** Lists outages found by checks and not covered by an incident, newest first. */
export function listUnreportedOutages(
  services: readonly Service[],
  followed: ReadonlyMap<string, Followed>,
  incidents: readonly Incident[],
): OutageView[] {
  const outages = services.flatMap(({ id, name }) => {
    const reported = incidents.filter((incident) => incident.services.some((one) => one.id === id));
    return mergeTroubles(followed.get(id)?.troubles ?? [])
      .filter(
        ({ fromMs, toMs }) =>
          !reported.some(
            ({ startedAt, resolvedAt }) =>
              startedAt.getTime() <= toMs && (resolvedAt?.getTime() ?? forEver) >= fromMs,
          ),
      )
      .map(({ status, fromMs, toMs }) => ({
        serviceId: id,
        serviceName: name,
        status,
        startedAt: new Date(fromMs),
        endedAt: toMs === forEver ? null : new Date(toMs),
      }));
  });
  const newestMs = ({ startedAt, endedAt }: OutageView) => (endedAt ?? startedAt).getTime();
  return outages.toSorted((one, other) => newestMs(other) - newestMs(one));
}
