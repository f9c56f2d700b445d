import { type Loop, startLoop } from "../../platform/loop.ts";
import { compareProbes } from "./agreement/watcher.ts";
import type { RunsContext } from "./context.ts";
import { deleteOldQueueSamples, sampleQueues } from "./place-queues/sampler.ts";

/** Starts the loops for private locations. They are idempotent. */
export function startPlaceLoops(context: RunsContext): readonly Loop[] {
  const { log } = context;
  const common = { isEssential: false, log };
  return [
    startLoop({
      ...common,
      name: "count outstanding runs at private locations",
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
      name: "delete old queue samples of private locations",
      everyMs: 3_600_000,
      turn: () => deleteOldQueueSamples(context),
    }),
  ];
}
