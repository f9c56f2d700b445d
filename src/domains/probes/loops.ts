import { type Loop, startLoop } from "../../platform/loop.ts";
import { compareProbes } from "./agreement.ts";
import type { ProbesContext } from "./context.ts";
import { deleteOldQueueSamples, sampleQueues } from "./place-queues.ts";

/** Starts the loops for private locations. They are idempotent. */
export function startProbeLoops(context: ProbesContext): readonly Loop[] {
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
