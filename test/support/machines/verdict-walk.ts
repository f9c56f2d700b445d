import type { CheckFact, RunFact, Verdict } from "./evidence.ts";

/** A state that a check can have after some of its runs. */
interface Place {
  readonly votes: Readonly<Record<string, Verdict>>;
  readonly status: Verdict;
  /** Number of recorded state changes that the runs so far explain. */
  readonly passed: number;
}

const worstFirst = ["failing", "degraded", "passing"] as const;

function step(place: Place, run: RunFact, check: CheckFact): Place {
  if (run.verdict === "unknown" && !check.isParallel) return place;
  const votes = { ...place.votes, [run.location]: run.verdict };
  const verdicts = check.isParallel ? Object.values(votes) : [run.verdict];
  const status = worstFirst.find((verdict) => verdicts.includes(verdict)) ?? place.status;
  return { votes, status, passed: place.passed };
}

/**
 * Whether the recorded states can follow from these final runs, ordered by due time. A later run
 * may finish before a retried run, which then does not count.
 */
export function canHaveChanged(
  check: CheckFact,
  finals: readonly RunFact[],
  known: readonly Verdict[],
): boolean {
  let places: Place[] = [{ votes: {}, status: "unknown", passed: 0 }];
  for (const run of finals) {
    const next = new Map<string, Place>();
    const keep = (place: Place) => next.set(JSON.stringify(place), place);
    for (const place of places) {
      if (run.attempt > 1) keep(place);
      const moved = step(place, run, check);
      if (moved.status === place.status) keep(moved);
      else if (known[place.passed] === moved.status) keep({ ...moved, passed: place.passed + 1 });
    }
    places = [...next.values()];
  }
  return places.some(({ passed }) => passed === known.length);
}
