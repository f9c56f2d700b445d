import { type Loop, startLoop } from "../../platform/loop.ts";
import type { HeartbeatsContext } from "./context.ts";
import { judgeDue, markEveryMs } from "./judge.ts";

/** Polling interval while no pings are expected. */
const idleMs = 5_000;
const restMs = 10;

/** Stops after the HTTP server, so that pings it still accepts are stored. */
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
