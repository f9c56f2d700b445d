import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import type { StatusPagesContext } from "./context.ts";
import { ImageFetcher } from "./images/fetcher.ts";

const settleMs = 2_000;

export function startStatusPageLoops(context: StatusPagesContext, log: Log): readonly Loop[] {
  const images = new ImageFetcher(context, log);
  return [
    // Loops stop in the opposite order: first nothing new is begun, then what is begun may end.
    { stop: () => images.settleWithin(settleMs) },
    startLoop({
      name: "fetch the pictures of pages",
      isEssential: false,
      everyMs: 1_000,
      log,
      turn: () => images.begin(),
    }),
  ];
}
