import type { CheckOverview } from "../../runs/index.ts";

export type ShownStatus = CheckOverview["status"];

/** Most urgent first; a check without data comes before a passing one. */
const urgency: Readonly<Record<ShownStatus, number>> = {
  failing: 0,
  degraded: 1,
  unknown: 2,
  passing: 3,
};

type Ordered = Pick<CheckOverview, "status">;

/**
 * Orders failing checks first and degraded ones next. With `sortByStatus`, checks without data come
 * before passing ones; otherwise these are mixed. The sort is stable.
 */
export function orderChecks<Check extends Ordered>(
  checks: readonly Check[],
  sortByStatus: boolean,
): readonly Check[] {
  const lowest = sortByStatus ? urgency.passing : urgency.unknown;
  const rank = ({ status }: Check) => Math.min(urgency[status], lowest);
  return [...checks].sort((one, other) => rank(one) - rank(other));
}

export function countStatuses(checks: readonly Ordered[]): Record<ShownStatus, number> {
  const counts = { failing: 0, degraded: 0, unknown: 0, passing: 0 };
  for (const { status } of checks) counts[status] += 1;
  return counts;
}

/** Lists failing checks first, then degraded ones; within each, the latest change first. */
export function listAttention<Check extends Pick<CheckOverview, "status" | "since">>(
  checks: readonly Check[],
  limit: number,
): readonly Check[] {
  return checks
    .filter(({ status }) => status === "failing" || status === "degraded")
    .sort(
      (one, other) =>
        urgency[one.status] - urgency[other.status] ||
        (other.since?.getTime() ?? 0) - (one.since?.getTime() ?? 0),
    )
    .slice(0, limit);
}

export interface PageSlice {
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
  readonly from: number;
  readonly to: number;
}

/** Returns the requested page, or the nearest existing one. */
export function slicePage(
  count: number,
  { paginate, checksPerPage }: { readonly paginate: boolean; readonly checksPerPage: number },
  requested: number,
): PageSlice {
  const size = paginate ? checksPerPage : Math.max(1, count);
  const pages = Math.max(1, Math.ceil(count / size));
  const page = Math.min(Math.max(1, requested), pages);
  return { page, pages, from: (page - 1) * size, to: Math.min(page * size, count) };
}
