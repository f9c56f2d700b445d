import type { RunsContext } from "../domains/runs/index.ts";
import { describeOverload, overloadAdvice } from "../domains/servers/index.ts";

/** Returns what this server skips, and what to do about it; null while it is not overloaded. */
export function explainOverload({
  load,
  clock,
}: Pick<RunsContext, "load" | "clock">): string | null {
  const overload = describeOverload(load.overloadShare(clock.nowMs()));
  return overload === null
    ? null
    : `${overload}. ${overloadAdvice} See Overload in docs/operate.md.`;
}
