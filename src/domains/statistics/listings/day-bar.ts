import type { Verdict } from "../../../kinds/verdict.ts";
import { slotMs } from "../../states/index.ts";
import type { HourPoint } from "../rollups/hour-line.ts";
import { hourMs, startOf } from "../window.ts";

/** One letter per slot; "-" means no data. */
const letters: Readonly<Record<Verdict, string>> = {
  passing: "p",
  degraded: "d",
  failing: "f",
  unknown: "-",
};

export interface BarFacts {
  readonly fromMs: number;
  /** `null` before the first run. */
  readonly firstRunMs: number | null;
  /** Interval between runs; `null` for checks that receive pings. */
  readonly periodMs: number | null;
  /** The last 24 hours, oldest first; the last one is still open. */
  readonly hours: readonly HourPoint[];
}

/**
 * A state lasts until the next run, except through hours in which the check should have run but did
 * not, as while the server was down.
 */
export function drawBar(slots: readonly Verdict[], facts: BarFacts): string {
  const { fromMs, firstRunMs, periodMs, hours } = facts;
  const withRuns = new Set(hours.filter(({ runs }) => runs > 0).map(({ startsMs }) => startsMs));
  const earliestMs = hours[0]?.startsMs ?? 0;
  const openMs = hours.at(-1)?.startsMs ?? 0;
  const hasNews = (startsMs: number) => {
    const hour = startOf(startsMs, hourMs);
    if (periodMs === null || hour >= openMs) return true;
    for (let at = hour; at >= hour - startOf(periodMs, hourMs); at -= hourMs) {
      if (at < earliestMs || withRuns.has(at)) return true;
    }
    return false;
  };
  return slots
    .map((state, slot) => {
      const startsMs = fromMs + slot * slotMs;
      const hasBegun = firstRunMs !== null && startsMs + slotMs > firstRunMs;
      return hasBegun && hasNews(startsMs) ? letters[state] : letters.unknown;
    })
    .join("");
}
