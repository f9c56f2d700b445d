import type { Log } from "../../platform/log.ts";
import { type Loop, type LoopOptions, startLoop, takeEach } from "../../platform/loop.ts";
import type { WatchQueue, WorkQueue } from "../../platform/work-calendar.ts";
import { deleteCertificatesBefore } from "../../runs/recording/index.ts";
import { deleteTroublesBefore } from "../incidents/index.ts";
import {
  evaluateDueRules,
  evaluationBatch,
  reviewOngoingRules,
} from "./automatic-incidents/rule-evaluator.ts";
import { decideOnCertificates } from "./certificate-decider.ts";
import type { DeciderContext, DelivererContext } from "./context.ts";
import { decideOnRuns, decideOnTicks, decisionBatch, settleOwedIncidents } from "./decider.ts";
import { createAlertDeliverer, createPageExpander } from "./deliverer.ts";
import { deleteDeliveriesBefore, isPage } from "./delivery-store.ts";
import { createShiftMailDeliverer, planShiftMails } from "./duty/shift-mails.ts";
import { deleteShiftMailsBefore } from "./duty/store.ts";
import { owedBatch } from "./incident-follower.ts";
import { createLocationWatch } from "./location-watcher.ts";
import { deleteEndedMutes } from "./mutes/mute-store.ts";

/** Retention of alerts and deliveries. The audit log has the same retention by default. */
const retentionMs = 365 * 86_400_000;

/**
 * Retention of problems. Service statistics cover up to 366 days and may end in the past, so
 * problems are stored longer than alerts.
 */
const troubleRetentionMs = 2 * retentionMs;

/** How long a mute stays stored after its end, because server clocks may differ. */
const endedMuteMs = 3_600_000;

const settleMs = 2_000;

/** Interval at which a loop runs if no notification wakes it. */
const unwokenMs = 60_000;

const retryQueue = { dueAt: "next_attempt_at" };
const queues = {
  runs: { table: "notable_runs" },
  ticks: { table: "alert_states", dueAt: "next_tick_at", where: "next_tick_at is not null" },
  pages: { table: "deliveries", ...retryQueue, where: `status = 'PENDING' and ${isPage}` },
  messages: { table: "deliveries", ...retryQueue, where: `status = 'PENDING' and not (${isPage})` },
  certificates: { table: "check_certificates", dueAt: "look_at" },
  evaluations: { table: "rule_evaluations", dueAt: "due_at" },
  shiftMails: { table: "shift_mails", ...retryQueue, where: "status = 'PENDING'" },
  owedIncidents: { table: "owed_incidents", ...retryQueue },
};

/** Repeats the work without a pause as long as each batch is full, at most 100 times. */
async function repeatWhileFull(turn: () => Promise<number>, batch = decisionBatch): Promise<void> {
  for (let round = 0; round < 100 && (await turn()) === batch; round += 1);
}

async function deleteOldAlerts({ db, clock }: DeciderContext): Promise<void> {
  const nowMs = clock.now().getTime();
  await takeEach([
    () => deleteDeliveriesBefore(db, new Date(nowMs - retentionMs)),
    () => deleteCertificatesBefore(db, new Date(nowMs - retentionMs)),
    () => deleteShiftMailsBefore(db, new Date(nowMs - retentionMs)),
    () => deleteEndedMutes(db, new Date(nowMs - endedMuteMs)),
    () => deleteTroublesBefore(db, new Date(nowMs - troubleRetentionMs)),
  ]);
}

/**
 * Starts the background loops of alerting. On shutdown, deliveries in progress get two seconds to
 * finish. All other work is stored in the database and continues after the restart.
 */
export function startAlertingLoops(
  context: DeciderContext & DelivererContext,
  log: Log,
  watch: WatchQueue,
): readonly Loop[] {
  const deliverer = createAlertDeliverer(context, Math.random);
  const expander = createPageExpander(context, Math.random);
  const shiftMailer = createShiftMailDeliverer(context, Math.random);
  const deliverers = [deliverer, expander, shiftMailer];
  const awakeSinceMs = context.clock.now().getTime();
  const watchLocations = createLocationWatch(context, awakeSinceMs);
  const every = (
    name: string,
    pace: Pick<LoopOptions, "everyMs" | "restMs" | "onWork" | "isEssential">,
    turn: () => Promise<unknown>,
  ): Loop =>
    startLoop({
      ...pace,
      name,
      log,
      turn: async () => {
        await turn();
      },
    });
  const when = (queue: WorkQueue, restMs: number) => ({
    everyMs: unwokenMs,
    restMs,
    onWork: watch(queue),
  });
  return [
    {
      stop: async () =>
        void (await Promise.all(deliverers.map((one) => one.settleWithin(settleMs)))),
    },
    every("decide on runs", when(queues.runs, 250), () =>
      repeatWhileFull(() => decideOnRuns(context)),
    ),
    every("decide on time", when(queues.ticks, 1_000), () =>
      repeatWhileFull(() => decideOnTicks(context, awakeSinceMs)),
    ),
    every("decide on certificates", when(queues.certificates, 1_000), () =>
      repeatWhileFull(() => decideOnCertificates(context)),
    ),
    every("watch private locations", { everyMs: 15_000 }, watchLocations),
    every("expand pages", when(queues.pages, 100), () => expander.deliverWhileDue()),
    every("deliver alerts", when(queues.messages, 100), () => deliverer.deliverWhileDue()),
    every("plan mails about shifts", { everyMs: 60_000, isEssential: false }, () =>
      planShiftMails(context),
    ),
    every("send mails about shifts", when(queues.shiftMails, 1_000), () =>
      shiftMailer.deliverWhileDue(),
    ),
    every("open and resolve owed incidents", when(queues.owedIncidents, 1_000), () =>
      repeatWhileFull(() => settleOwedIncidents(context), owedBatch),
    ),
    every("evaluate automation rules", when(queues.evaluations, 250), () =>
      repeatWhileFull(() => evaluateDueRules(context), evaluationBatch),
    ),
    every("review automation rules", { everyMs: 60_000 }, () => reviewOngoingRules(context)),
    every("delete old alerts", { everyMs: 3_600_000, isEssential: false }, () =>
      deleteOldAlerts(context),
    ),
    {
      stop: async () => {
        for (const one of deliverers) one.stop();
      },
    },
  ];
}
