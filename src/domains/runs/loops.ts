import type { Consumer } from "../../platform/bus.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop, takeEach } from "../../platform/loop.ts";
import { deleteGapsBefore, dropPartitionsBefore, ensurePartitions } from "../results/index.ts";
import { deleteRetriesBefore, deleteSessionsBefore } from "../schedule/index.ts";
import type { RunsContext } from "./context.ts";
import { maxAgeMs } from "./recorder.ts";
import { startRecorder } from "./recording.ts";
import { deleteStateChangesBefore } from "./state-changes/store.ts";

export interface RecordingLoopOptions {
  readonly context: RunsContext;
  readonly log: Log;
  readonly retentionDays: number;
}

const sessionRetentionMs = 7 * 86_400_000;
/** Remaining rows are deleted in the next round. */
const pruneBatch = 5_000;
const maxPruneBatches = 20;

export interface RecordingLoops {
  /** Must be stopped after the probes, so that their last results are still recorded. */
  readonly recorder: Consumer;
  readonly retention: Loop;
}

export async function startRecordingLoops(options: RecordingLoopOptions): Promise<RecordingLoops> {
  const { context, log } = options;
  await ensurePartitions(context.db, context.clock.now().getTime());
  const turn = () => keepPartitions(options);
  return {
    recorder: startRecorder(context),
    retention: startLoop({ name: "keep partitions", everyMs: 600_000, log, turn }),
  };
}

export async function keepPartitions({
  context,
  retentionDays,
  log,
}: RecordingLoopOptions): Promise<void> {
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
