import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import type { PreviewsContext } from "./actions.ts";
import { deletePreviewsBefore } from "./store.ts";

export function startPreviewLoops({ db, clock }: PreviewsContext, log: Log): readonly Loop[] {
  return [
    startLoop({
      name: "delete previews that have expired",
      isEssential: false,
      everyMs: 60_000,
      log,
      turn: () => deletePreviewsBefore(db, clock.now()),
    }),
  ];
}
