import type { Course, IncidentStatus, Moment, OpenSpan } from "./incident.ts";

type Placed = Pick<Moment, "publicAt" | "number">;

/** By their public date; of those at the same moment, the one written first comes first. */
function compareMoments(one: Placed, other: Placed): number {
  return one.publicAt.getTime() - other.publicAt.getTime() || one.number - other.number;
}

function findOpenSpans(moments: readonly Moment[]): OpenSpan[] {
  const spans: OpenSpan[] = [];
  let fromMs: number | null = null;
  for (const { status, publicAt } of moments) {
    const atMs = publicAt.getTime();
    if (status !== "RESOLVED") fromMs ??= atMs;
    else if (fromMs !== null) {
      spans.push({ fromMs, toMs: atMs });
      fromMs = null;
    }
  }
  if (fromMs !== null) spans.push({ fromMs, toMs: null });
  return spans;
}

/**
 * Somebody answers what the automation opened by the first update of their own. Whoever opens an
 * incident by hand knows of it already: it is answered when it is more than being looked into.
 */
function findAcknowledgement(moments: readonly Moment[], isAutomatic: boolean): Date | null {
  const answer = moments.find(({ author, status }) =>
    isAutomatic ? author !== null : status !== "INVESTIGATING",
  );
  return answer?.publicAt ?? null;
}

/** Any status may follow any other; what follows RESOLVED and is not RESOLVED opens it again. */
export function foldUpdates(updates: readonly Moment[], isAutomatic: boolean): Course {
  const moments = [...updates].sort(compareMoments);
  const [first] = moments;
  const last = moments.at(-1);
  if (first === undefined || last === undefined) throw new Error("an incident without an update");
  const openSpans = findOpenSpans(moments);
  const resolvedMs = openSpans.length === 0 ? first.publicAt.getTime() : openSpans.at(-1)?.toMs;
  return {
    status: last.status,
    startedAt: first.publicAt,
    resolvedAt: resolvedMs === null || resolvedMs === undefined ? null : new Date(resolvedMs),
    acknowledgedAt: findAcknowledgement(moments, isAutomatic),
    openSpans,
  };
}

/** The status that the public saw at a moment; before the first update, that of a new incident. */
export function findStatusAt(updates: readonly Moment[], at: Date): IncidentStatus {
  const before = updates.filter(({ publicAt }) => publicAt.getTime() <= at.getTime());
  return before.sort(compareMoments).at(-1)?.status ?? "INVESTIGATING";
}
