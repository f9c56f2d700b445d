import { useQuery } from "@tanstack/react-query";
import { type CheckSeries, seriesQuery } from "./queries.ts";
import type { CheckSearch } from "./search.ts";

/** Data of the period of equal length before the current range. */
export interface Before {
  readonly data: CheckSeries;
  readonly periodSeconds: number;
}

type BeforeSearch = Pick<CheckSearch, "compare" | "by" | "metric">;

/**
 * Returns the data of the previous period, or `null` while it is loading or if the chart does not
 * show it.
 */
export function useBefore(
  checkId: string,
  data: CheckSeries | undefined,
  { compare, by, metric }: BeforeSearch,
): Before | null {
  const isEnabled = compare === "before" && data !== undefined;
  const slots = data?.series[0]?.slots.length ?? 0;
  const periodSeconds = slots * (data?.slotSeconds ?? 0);
  // The previous period ends at `data.from`. The API aligns `data.from` with the start of a slot,
  // so the query key below stays the same until a new slot begins.
  const to = Math.floor(Date.parse(data?.from ?? "1970-01-02T00:00:00Z") / 1_000);
  const search = {
    from: Math.max(0, to - periodSeconds),
    to,
    ...(by && { by }),
    ...(metric !== undefined && { metric }),
  };
  const { data: before } = useQuery({
    ...seriesQuery(checkId, search),
    enabled: isEnabled && periodSeconds > 0,
  });
  return isEnabled && before !== undefined ? { data: before, periodSeconds } : null;
}
