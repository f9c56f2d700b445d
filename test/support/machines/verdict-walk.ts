import type { CheckFact, RunFact, Verdict } from "./evidence.ts";

/** A possible state after a prefix of a check's runs. */
interface Place {
  readonly votes: Readonly<Record<string, Verdict>>;
  readonly status: Verdict;
  /** Number of changes already explained. */
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
 * Whether the states can follow from these final runs in due order. A later run may finish before a
 * retried one, which then no longer counts.
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
