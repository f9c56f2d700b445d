import { type Loop, startLoop } from "../../platform/loop.ts";
import type { StatisticsContext } from "./context.ts";
import { keepRollups } from "./rollups/rollup-builder.ts";

/** A server that was down for days rolls them up in one turn. */
const catchUpMs = 1_800_000;

export function startStatisticsLoops(context: StatisticsContext): Loop[] {
  return [
    startLoop({
      name: "roll statistics up",
      everyMs: 60_000,
      isEssential: false,
      maxTurnMs: catchUpMs,
      log: context.log,
      turn: () => keepRollups(context),
    }),
  ];
}
