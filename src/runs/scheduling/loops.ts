import { type Condition, lookEveryMs, type Presence } from "../../access/servers/index.ts";
import { subjects } from "../../contract/protocol.ts";
import type { Consumer } from "../../platform/bus.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, type LoopOptions, startLoop } from "../../platform/loop.ts";
import type { ChangeNotifications } from "../../platform/notifications.ts";
import type { WatchQueue } from "../../platform/work-calendar.ts";
import type { ScheduleContext } from "./context.ts";
import { Scheduler } from "./scheduler.ts";
import { findTrialRoute } from "./trials/open-trials.ts";

interface ScheduleLoopOptions {
  readonly context: ScheduleContext;
  readonly log: Log;
  /**
   * Consumer that records the results. While this consumer is stuck, other servers run the checks.
   */
  readonly recorder: Pick<Consumer, "progress">;
  /** Registers this server as active and lists the other servers. */
  readonly presence: Pick<Presence, "look" | "id">;
  /** Emits when servers start or stop and when shards are released. */
  readonly serverChanges: ChangeNotifications;
  /** Finds the background loop with the largest lag, which is reported to the other servers. */
  readonly findSlowest: () => { readonly lagMs: number; readonly slowestLoop: string | null };
  /** Emits the id of a changed check, or `null` if any check may have changed. */
  readonly checkChanges: ChangeNotifications;
  readonly watch: WatchQueue;
  /** Whether new checks run immediately. Defaults to `true`. */
  readonly runsNewChecks?: boolean | undefined;
}

/** Minimum time between two rounds of ordering due runs, so that orders are sent in batches. */
const orderRestMs = 20;
/** Maximum sleep of the loop, and thus maximum delay until a changed system clock is detected. */
const maxOrderSleepMs = 1_000;
/** Minimum time between two rounds of distributing the shards among the servers. */
const sharingRestMs = 200;
/** Polling interval of a loop that a notification usually wakes up earlier. */
const unwokenMs = 60_000;
const retries = { table: "pending_retries", dueAt: "start_at" };

/**
 * Starts the loops of the scheduler. On shutdown, stop these loops before the probes, so that the
 * probes finish the runs that were ordered.
 */
export async function startScheduleLoops(options: ScheduleLoopOptions): Promise<readonly Loop[]> {
  const { context, log, watch, recorder, runsNewChecks } = options;
  const { clock } = context;
  const scheduler = new Scheduler({ ...context, runsNewChecks }, options.presence.id);
  // Subscribes before the checks are loaded, so that no change is missed.
  options.checkChanges.onChange((checkId) =>
    checkId === null ? scheduler.invalidateShards() : scheduler.noteChange(checkId),
  );
  const findCondition = () => ({
    ...options.findSlowest(),
    skippedShare: context.load.overloadShare(clock.now().getTime()),
  });
  const others = await options.presence.look({ ...findCondition(), isScheduling: true });
  await scheduler.holdLeases(others);
  const every = (
    name: string,
    everyMs: number,
    turn: () => Promise<unknown>,
    more: Partial<LoopOptions> = {},
  ) =>
    startLoop({
      ...more,
      name,
      everyMs,
      log,
      turn: async () => {
        await turn();
      },
    });
  const peers = { presence: options.presence, findCondition };
  return [
    { stop: () => scheduler.releaseLeases() },
    followTrials(context),
    every("hold leases", lookEveryMs, () => holdOrReleaseLeases(scheduler, recorder, peers), {
      restMs: sharingRestMs,
      onWork: (wake) => options.serverChanges.onChange(wake),
    }),
    every("apply changes of checks", 5_000, () => scheduler.applyChanges(), {
      restMs: 200,
      onWork: (wake) => scheduler.onChange(wake),
    }),
    every("order runs", maxOrderSleepMs, () => scheduler.orderDue(), {
      restMs: orderRestMs,
      sleepMs: () => scheduler.msUntilDue(),
      onWork: (wake) => {
        scheduler.onPlan(wake);
        clock.onMove?.(wake);
      },
    }),
    every("order retries", unwokenMs, () => scheduler.orderRetries(), {
      restMs: 500,
      onWork: watch(retries),
    }),
    every("report silence", 400, () => scheduler.reportUnanswered()),
  ];
}

function followTrials(context: ScheduleContext): Loop {
  return context.bus.consume<unknown>(subjects.allTrialMessages(context.serverId), {
    name: "follow trials",
    maxBatch: 100,
    handle: async (batch, sentTo) => {
      const routes = sentTo.map((subject) => findTrialRoute(context, subject));
      context.trials.noteMessages(batch, routes);
    },
  });
}

interface Peers {
  readonly presence: Pick<Presence, "look">;
  readonly findCondition: () => Omit<Condition, "isScheduling">;
}

/** Holds the leases of this server, or releases them to other servers if the recorder is stuck. */
export async function holdOrReleaseLeases(
  scheduler: Pick<Scheduler, "holdLeases" | "abandonLeases">,
  recorder: Pick<Consumer, "progress">,
  { presence, findCondition }: Peers,
): Promise<void> {
  const isStuck = recorder.progress().stuckSinceMs !== null;
  const others = await presence.look({ ...findCondition(), isScheduling: !isStuck });
  await (isStuck ? scheduler.abandonLeases() : scheduler.holdLeases(others));
}
