import type { ScheduleContext } from "../domains/schedule/index.ts";
import { describeOverload, overloadAdvice } from "../domains/servers/index.ts";

/**
 * Returns the share of skipped runs with instructions, or `null` while the server is not
 * overloaded.
 */
export function explainOverload({
  load,
  clock,
}: Pick<ScheduleContext, "load" | "clock">): string | null {
  const overload = describeOverload(load.overloadShare(clock.nowMs()));
  return overload === null
    ? null
    : `${overload}. ${overloadAdvice} See Overload in docs/operate.md.`;
}
