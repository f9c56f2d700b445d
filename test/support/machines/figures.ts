import type { Evidence } from "./evidence.ts";

/** Returns the longest time between two consecutive executed runs of one check. */
function findLongestGapMs({ checks, runs }: Evidence): number {
  const made = runs.filter(({ verdict, attempt }) => verdict !== "unknown" && attempt === 1);
  const byCheck = Map.groupBy(made, ({ checkId }) => checkId);
  const gaps = checks.flatMap(({ checkId }) => {
    const dues = (byCheck.get(checkId) ?? [])
      .map(({ dueAtMs }) => dueAtMs)
      .toSorted((a, b) => a - b);
    return dues.map((dueMs, place) => dueMs - (dues[place - 1] ?? dueMs));
  });
  return Math.max(0, ...gaps);
}

export function describeEvidence(evidence: Evidence): Record<string, number> {
  const { runs, gaps, changes, alerts, deliveries, arrivals, writes } = evidence;
  const inGaps = gaps.map(
    ({ checkId, afterMs, beforeMs, dueCount }) =>
      dueCount -
      runs.filter(
        (run) =>
          run.checkId === checkId &&
          run.attempt === 1 &&
          run.dueAtMs > afterMs &&
          run.dueAtMs < beforeMs,
      ).length,
  );
  return {
    checks: evidence.checks.length,
    results: runs.length,
    "results without data": runs.filter(({ verdict }) => verdict === "unknown").length,
    "runs missed": inGaps.reduce((sum, count) => sum + count, 0),
    "longest gap of a check, s": findLongestGapMs(evidence) / 1_000,
    "state changes": changes.length,
    alerts: alerts.length,
    deliveries: deliveries.length,
    "messages at the receiver": arrivals.length,
    "repeats among them": arrivals.length - new Set(arrivals.map(({ key }) => key)).size,
    "acknowledged writes": writes.acknowledged.length,
  };
}
