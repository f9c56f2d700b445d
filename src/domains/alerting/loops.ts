import type { Log } from "../../platform/log.ts";
import { type Loop, type LoopOptions, startLoop } from "../../platform/loop.ts";
import { owedBatch, settleOwedIncidents } from "./automatic-incidents/incident-follower.ts";
import type { AlertingContext } from "./context.ts";
import { decideOnRuns, decideOnTicks, decisionBatch, inTransaction } from "./decider.ts";
import { createAlertDeliverer } from "./deliverer.ts";
import { deleteDeliveriesBefore } from "./delivery-store.ts";
import { deleteAnnouncementsBefore } from "./windows/announcement-store.ts";
import { announceMaintenance } from "./windows/announcer.ts";

/** As long as the audit log by default: people ask who was told what for months. */
const keptMs = 365 * 86_400_000;

/** Nothing is announced later than an hour after its moment, so that this is long enough. */
const announcedMs = 7 * 86_400_000;

const settleMs = 2_000;

/** A full batch is followed by the next at once, so that a great many are decided in seconds. */
async function repeatWhileFull(turn: () => Promise<number>, batch = decisionBatch): Promise<void> {
  for (let round = 0; round < 100 && (await turn()) === batch; round += 1);
}

async function forgetOldAlerts({ pool, db, clock }: AlertingContext): Promise<void> {
  const nowMs = clock.now().getTime();
  await deleteDeliveriesBefore(pool, new Date(nowMs - keptMs));
  await deleteAnnouncementsBefore(db, new Date(nowMs - announcedMs));
}

/** What is under way when it stops is sent to its end; everything else is a row. */
export function startAlertingLoops(context: AlertingContext, log: Log): readonly Loop[] {
  const deliverer = createAlertDeliverer(context, Math.random);
  const awakeSinceMs = context.clock.now().getTime();
  const every = (
    name: string,
    everyMs: number,
    turn: () => Promise<unknown>,
    more: Partial<LoopOptions> = {},
  ): Loop =>
    startLoop({
      ...more,
      name,
      everyMs,
      log,
      turn: async () => {
        await turn();
      },
    });
  return [
    { stop: () => deliverer.settleWithin(settleMs) },
    every("decide on runs", 250, () => repeatWhileFull(() => decideOnRuns(context))),
    every("decide on time", 1_000, () =>
      repeatWhileFull(() => decideOnTicks(context, awakeSinceMs)),
    ),
    every("deliver alerts", 250, () => deliverer.deliverWhileDue()),
    every("open and resolve owed incidents", 1_000, () =>
      repeatWhileFull(
        () => inTransaction(context.pool, (client) => settleOwedIncidents(context, client)),
        owedBatch,
      ),
    ),
    every("announce maintenance", 1_000, () => announceMaintenance(context)),
    every("forget old alerts", 3_600_000, () => forgetOldAlerts(context), { isEssential: false }),
    { stop: async () => deliverer.stop() },
  ];
}
