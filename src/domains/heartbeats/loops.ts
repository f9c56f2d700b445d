import { type Loop, startLoop } from "../../platform/loop.ts";
import type { HeartbeatsContext } from "./context.ts";
import { judgeDue, markEveryMs } from "./judge.ts";

/** While nothing is expected, this often is enough to see that something is. */
const idleMs = 5_000;
const restMs = 10;

/** Stops after the HTTP server: what it still hands over is still stored. */
export function startHeartbeatLoops(context: HeartbeatsContext): Loop[] {
  let isExpecting = true;
  const judging = startLoop({
    name: "judge heartbeats",
    everyMs: idleMs,
    restMs,
    sleepMs: () => (isExpecting ? markEveryMs : idleMs),
    log: context.log,
    onWork: (wake) => context.clock.onMove?.(wake),
    turn: async () => {
      isExpecting = await judgeDue(context);
    },
  });
  return [{ stop: () => context.intake.stop() }, judging];
}
