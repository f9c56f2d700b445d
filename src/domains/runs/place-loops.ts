import { type Loop, startLoop } from "../../platform/loop.ts";
import { compareProbes } from "./agreement/watcher.ts";
import type { RunsContext } from "./context.ts";
import { forgetOldQueues, sampleQueues } from "./place-queues/sampler.ts";

/** What is looked at of private locations and their probes. Done twice it is the same as once. */
export function startPlaceLoops(context: RunsContext): readonly Loop[] {
  const { log } = context;
  const common = { isEssential: false, log };
  return [
    startLoop({
      ...common,
      name: "count what waits at private locations",
      everyMs: 60_000,
      turn: () => sampleQueues(context),
    }),
    startLoop({
      ...common,
      name: "compare probes",
      everyMs: 60_000,
      turn: () => compareProbes(context),
    }),
    startLoop({
      ...common,
      name: "forget old queues of private locations",
      everyMs: 3_600_000,
      turn: () => forgetOldQueues(context),
    }),
  ];
}
