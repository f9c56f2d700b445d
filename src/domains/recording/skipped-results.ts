import type { Result } from "../../contract/result.ts";
import { runNumberOf, type Watched } from "../schedule/index.ts";
import type { RecordingContext } from "./context.ts";

const logEveryMs = 60_000;
let loggedAtMs = Number.NEGATIVE_INFINITY;

/** Whether the probe skipped the run. */
function isUnmade({ outcome, attempt }: Result): boolean {
  // A retry belongs to a recorded run that must be completed.
  return attempt === 1 && (outcome.kind === "too-late" || outcome.kind === "overloaded");
}

/** Manually triggered runs are not on the schedule, and somebody waits for their result. */
function isScheduled({ plan }: Watched, { dueAtMs }: Result): boolean {
  return dueAtMs === plan.splayMs + runNumberOf(plan, dueAtMs) * plan.periodMs;
}

/**
 * Removes scheduled runs that a probe skipped. Recording each of them would cost as much as
 * executing it while the system is overloaded; they become part of a gap instead.
 */
export async function dropSkipped(
  context: Pick<RecordingContext, "clock" | "load" | "log" | "watchList">,
  results: readonly Result[],
): Promise<readonly Result[]> {
  const unmade = results.filter(isUnmade);
  if (unmade.length === 0) return results;
  const { clock, load, log, watchList } = context;
  const watched = await watchList.find(unmade.map(({ checkId }) => checkId));
  const dropped = new Set(
    unmade.filter((result) => {
      const check = watched.get(result.checkId);
      return check !== undefined && isScheduled(check, result);
    }),
  );
  const nowMs = clock.now().getTime();
  for (const { checkId, dueAtMs } of dropped) {
    load.skip({ checkId, dueAtMs, count: 1 }, "overloaded", nowMs);
  }
  const [first] = dropped;
  if (first !== undefined && Math.abs(nowMs - loggedAtMs) >= logEveryMs) {
    loggedAtMs = nowMs;
    const { outcome, location, probeId } = first;
    const reason = "message" in outcome ? outcome.message : outcome.kind;
    log.warn({ runs: dropped.size, location, probeId, reason }, "probe skipped runs");
  }
  return results.filter((result) => !dropped.has(result));
}
