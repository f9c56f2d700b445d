import type { Consumer } from "../../platform/bus.ts";
import type { ChangeNotifications } from "../../platform/change-channel.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, type LoopOptions, startLoop, takeEach } from "../../platform/loop.ts";
import type { WatchQueue } from "../../platform/work-calendar.ts";
import { deleteGapsBefore, dropPartitionsBefore, ensurePartitions } from "../results/index.ts";
import { type Condition, lookEveryMs, type Presence } from "../servers/index.ts";
import { findTrialRoute, type RunsContext, subjects } from "./context.ts";
import { maxAgeMs } from "./recorder.ts";
import { startRecorder } from "./recording.ts";
import { deleteRetriesBefore } from "./retry-store.ts";
import { Scheduler } from "./scheduler.ts";
import { deleteSessionsBefore } from "./sessions/store.ts";
import { deleteStateChangesBefore } from "./state-changes/store.ts";

export interface RunLoopOptions {
  readonly context: RunsContext;
  readonly log: Log;
  /** Announces this server to the others and lists them. */
  readonly presence: Pick<Presence, "look" | "id">;
  /** Emits when servers join or leave and when shards are released. */
  readonly serverChanges: ChangeNotifications;
  /** Returns the background loop that lags most; announced to the other servers. */
  readonly findSlowest: () => { readonly lagMs: number; readonly slowestLoop: string | null };
  readonly retentionDays: number;
  /** Emits the id of a changed check, or `null` if any check may have changed. */
  readonly checkChanges: ChangeNotifications;
  readonly watch: WatchQueue;
}

/** Time for which orders are collected before they are sent together. */
const orderRestMs = 20;
/** Maximum sleep, after which a changed clock is noticed. */
const maxOrderSleepMs = 1_000;
/** Minimum interval between two rounds of sharing shards. */
const sharingRestMs = 200;
/** Polling interval of loops that are normally woken by notifications. */
const unwokenMs = 60_000;
const retries = { table: "pending_retries", dueAt: "start_at" };
const sessionRetentionMs = 7 * 86_400_000;
/** Remaining rows are deleted in the next round. */
const pruneBatch = 5_000;
const maxPruneBatches = 20;

export interface RunLoops {
  readonly scheduler: Scheduler;
  /** Must be stopped after the probes, so that their last results are still recorded. */
  readonly recorder: Loop;
  /** Must be stopped before the probes, which then finish the ordered runs. */
  readonly loops: readonly Loop[];
}

export async function startRunLoops(options: RunLoopOptions): Promise<RunLoops> {
  const { context, log, watch } = options;
  const { clock } = context;
  const scheduler = new Scheduler(context, options.presence.id);
  await ensurePartitions(context.db, context.clock.now().getTime());
  // Subscribe before loading the checks, so that no change is missed.
  options.checkChanges.onChange((checkId) =>
    checkId === null ? scheduler.invalidateShards() : scheduler.noteChange(checkId),
  );
  const findCondition = () => ({
    ...options.findSlowest(),
    skippedShare: context.load.overloadShare(clock.now().getTime()),
  });
  const others = await options.presence.look({ ...findCondition(), isScheduling: true });
  await scheduler.holdLeases(others);
  const recorder = startRecorder(context);
  const trials = context.bus.consume<unknown>(subjects.allTrialMessages(context.serverId), {
    name: "follow trials",
    maxBatch: 100,
    handle: async (batch, sentTo) => {
      const routes = sentTo.map((subject) => findTrialRoute(context, subject));
      context.trials.noteMessages(batch, routes);
    },
  });
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
  const loops: Loop[] = [
    { stop: () => scheduler.releaseLeases() },
    trials,
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
    every("keep partitions", 600_000, () => keepPartitions(options)),
  ];
  return { scheduler, recorder, loops };
}

interface Peers {
  readonly presence: Pick<Presence, "look">;
  readonly findCondition: () => Omit<Condition, "isScheduling">;
}

/**
 * Holds the leases while the recorder makes progress; otherwise releases them for another server.
 */
export async function holdOrReleaseLeases(
  scheduler: Pick<Scheduler, "holdLeases" | "abandonLeases">,
  recorder: Pick<Consumer, "progress">,
  { presence, findCondition }: Peers,
): Promise<void> {
  const isStuck = recorder.progress().stuckSinceMs !== null;
  const others = await presence.look({ ...findCondition(), isScheduling: !isStuck });
  await (isStuck ? scheduler.abandonLeases() : scheduler.holdLeases(others));
}

export async function keepPartitions({
  context,
  retentionDays,
  log,
}: Pick<RunLoopOptions, "context" | "retentionDays" | "log">): Promise<void> {
  const nowMs = context.clock.now().getTime();
  const oldestMs = nowMs - retentionDays * 86_400_000;
  await takeEach([
    () => ensurePartitions(context.db, nowMs),
    async () => {
      const dropped = await dropPartitionsBefore(context.db, oldestMs);
      if (dropped.length === 0) return;
      log.info({ dropped }, "dropped results older than the retention period");
    },
    () => pruneStateChanges(context, new Date(oldestMs)),
    () => deleteGapsBefore(context.db, new Date(oldestMs)),
    // Results of older retries would be rejected, so the retries would be ordered forever.
    () => deleteRetriesBefore(context.db, new Date(nowMs - maxAgeMs)),
    () => deleteSessionsBefore(context.db, new Date(nowMs - sessionRetentionMs)),
  ]);
}

async function pruneStateChanges(context: RunsContext, before: Date): Promise<void> {
  for (let batch = 0; batch < maxPruneBatches; batch += 1) {
    if ((await deleteStateChangesBefore(context.db, before, pruneBatch)) < pruneBatch) return;
  }
}
