import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import type { AlertingContext } from "./context.ts";
import { decideOnRuns, decideOnTicks, decisionBatch } from "./decider.ts";
import { Deliverer } from "./deliverer.ts";
import { deleteDeliveriesBefore } from "./delivery-store.ts";

/** As long as the audit log by default: people ask who was told what for months. */
const keptMs = 365 * 86_400_000;

const settleMs = 2_000;

/** A full batch is followed by the next at once, so that a great many are decided in seconds. */
async function repeatWhileFull(turn: () => Promise<number>): Promise<void> {
  for (let round = 0; round < 100 && (await turn()) === decisionBatch; round += 1);
}

function settleWithin(deliverer: Deliverer, patienceMs: number): Promise<void> {
  const late = new Promise<void>((resume) => setTimeout(resume, patienceMs).unref());
  return Promise.race([deliverer.settle(), late]);
}

/** What is under way when it stops is sent to its end; everything else is a row. */
export function startAlertingLoops(context: AlertingContext, log: Log): readonly Loop[] {
  const deliverer = new Deliverer(context, Math.random);
  const awakeSinceMs = context.clock.now().getTime();
  const every = (name: string, everyMs: number, turn: () => Promise<unknown>): Loop =>
    startLoop({
      name,
      everyMs,
      log,
      turn: async () => {
        await turn();
      },
    });
  return [
    { stop: () => settleWithin(deliverer, settleMs) },
    every("decide on runs", 250, () => repeatWhileFull(() => decideOnRuns(context))),
    every("decide on time", 1_000, () =>
      repeatWhileFull(() => decideOnTicks(context, awakeSinceMs)),
    ),
    every("deliver alerts", 250, () => deliverer.deliverWhileDue()),
    every("forget old alerts", 3_600_000, () =>
      deleteDeliveriesBefore(context.pool, new Date(context.clock.now().getTime() - keptMs)),
    ),
    { stop: async () => deliverer.stop() },
  ];
}
