import type { Course, IncidentStatus, OpenSpan, StatusChange } from "./incident.ts";

type Placed = Pick<StatusChange, "publicAt" | "number">;

/** Orders by public date, then by the order of writing. */
function compareByPublicDate(one: Placed, other: Placed): number {
  return one.publicAt.getTime() - other.publicAt.getTime() || one.number - other.number;
}

function findOpenSpans(statusChanges: readonly StatusChange[]): OpenSpan[] {
  const spans: OpenSpan[] = [];
  let fromMs: number | null = null;
  for (const { status, publicAt } of statusChanges) {
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
 * Returns when a person first responded. For an incident opened by a check, that is the first
 * update written by a person. A person who opens an incident has seen it, so it counts as
 * acknowledged once it leaves INVESTIGATING.
 */
function findAcknowledgement(
  statusChanges: readonly StatusChange[],
  isAutomatic: boolean,
): Date | null {
  const answer = statusChanges.find(({ author, status }) =>
    isAutomatic ? author !== null : status !== "INVESTIGATING",
  );
  return answer?.publicAt ?? null;
}

/**
 * Derives an incident's course from its updates. Any status may follow any other; another status
 * after RESOLVED reopens the incident.
 */
export function foldUpdates(updates: readonly StatusChange[], isAutomatic: boolean): Course {
  const statusChanges = [...updates].sort(compareByPublicDate);
  const [first] = statusChanges;
  const last = statusChanges.at(-1);
  if (first === undefined || last === undefined) throw new Error("an incident has no updates");
  const openSpans = findOpenSpans(statusChanges);
  const resolvedMs = openSpans.length === 0 ? first.publicAt.getTime() : openSpans.at(-1)?.toMs;
  return {
    status: last.status,
    startedAt: first.publicAt,
    resolvedAt: resolvedMs === null || resolvedMs === undefined ? null : new Date(resolvedMs),
    acknowledgedAt: findAcknowledgement(statusChanges, isAutomatic),
    openSpans,
  };
}

/** Returns the public status at a given time; INVESTIGATING before the first update. */
export function findStatusAt(updates: readonly StatusChange[], at: Date): IncidentStatus {
  const before = updates.filter(({ publicAt }) => publicAt.getTime() <= at.getTime());
  return before.sort(compareByPublicDate).at(-1)?.status ?? "INVESTIGATING";
}
