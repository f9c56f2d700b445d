import { kinds } from "../../../kinds/index.ts";
import type { Caller } from "../../accounts/index.ts";
import type { StatisticsContext } from "../context.ts";
import { addRollup, createRollup } from "../rollups/rollup.ts";
import type { Span } from "../window.ts";
import { type CheckSummary, getAnalytics, summarise } from "./actions.ts";

export interface LocationSummary extends CheckSummary {
  readonly location: string;
}

/** The longest interval, because all points are summed and each has a cost. */
const longestIntervalMinutes = 43_200;

/** Summarises one check over a window by location. */
export async function summariseByLocation(
  context: StatisticsContext,
  caller: Caller,
  { checkId, window }: { readonly checkId: string; readonly window: Span },
): Promise<LocationSummary[]> {
  const { check, series } = await getAnalytics(context, caller, {
    checkId,
    ...window,
    quickRange: "last24Hours",
    intervalMinutes: longestIntervalMinutes,
    statuses: [],
    isByLocation: true,
    hasSamples: true,
    metrics: [],
    limit: null,
    page: 1,
  });
  return series.map(({ location, points }) => {
    const sum = createRollup(kinds[check.kind]);
    for (const { rollup } of points) addRollup(sum, rollup);
    return { location: location ?? "", ...summarise(checkId, sum) };
  });
}
