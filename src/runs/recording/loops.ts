import { subjects } from "../../contract/protocol.ts";
import type { Result } from "../../contract/result.ts";
import type { Consumer } from "../../platform/bus.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop, takeEach } from "../../platform/loop.ts";
import { deleteResultsBefore, ensurePartitions } from "../results/index.ts";
import {
  deleteRetriesBefore,
  deleteSessionsBefore,
  runNumberOf,
  type Watched,
} from "../scheduling/index.ts";
import { deleteStateChangesBefore } from "../states/index.ts";
import { acceptResults, maxAgeMs } from "./acceptance.ts";
import type { RecordingContext } from "./context.ts";
import { recordBatchSize, recordResults } from "./recorder.ts";

const logEveryMs = 60_000;
let loggedAtMs = Number.NEGATIVE_INFINITY;

/** Whether the result says that the probe skipped the first attempt of a run. */
function isUnmade({ outcome, attempt }: Result): boolean {
  // A skipped retry is not dropped, because the earlier attempts of its run are recorded and the
  // run needs a final attempt.
  return attempt === 1 && (outcome.kind === "too-late" || outcome.kind === "overloaded");
}

/**
 * Whether the run was due on schedule. The other runs were triggered, and a caller may be waiting
 * for their results.
 */
function isScheduled({ plan }: Watched, { dueAtMs }: Result): boolean {
  return dueAtMs === plan.splayMs + runNumberOf(plan, dueAtMs) * plan.periodMs;
}

/**
 * Removes results of scheduled runs that a probe skipped because of an overload. Recording each
 * result would cost as much as executing the run. The skipped runs are recorded as gaps instead.
 */
async function dropSkipped(
  context: Pick<RecordingContext, "clock" | "load" | "log" | "watchList">,
  results: readonly Result[],
): Promise<readonly Result[]> {
  const unmade = results.filter(isUnmade);
  if (unmade.length === 0) return results;
  const { clock, load, log, watchList } = context;
  const watched = await watchList.find(unmade.map(({ checkId }) => checkId));
  const dropped = new Set(
    unmade.filter((result) => {
      const check = watched.get(result.checkId);
      return check !== undefined && isScheduled(check, result);
    }),
  );
  const nowMs = clock.now().getTime();
  for (const { checkId, dueAtMs } of dropped) {
    load.skip({ checkId, dueAtMs, count: 1 }, "overloaded", nowMs);
  }
  const [first] = dropped;
  if (first !== undefined && Math.abs(nowMs - loggedAtMs) >= logEveryMs) {
    loggedAtMs = nowMs;
    const { outcome, location, probeId } = first;
    const reason = "message" in outcome ? outcome.message : outcome.kind;
    log.warn({ runs: dropped.size, location, probeId, reason }, "probe skipped runs");
  }
  return results.filter((result) => !dropped.has(result));
}

interface RecordingLoopOptions {
  readonly context: RecordingContext;
  readonly log: Log;
  readonly retentionDays: number;
}

const sessionRetentionMs = 7 * 86_400_000;
/** Maximum number of rows per delete statement, and of statements per round. */
const pruneBatch = 5_000;
const maxPruneBatches = 20;

interface RecordingLoops {
  /** Consumer of the results. Must be stopped after the probes, to record their last results. */
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
  const oldest = new Date(nowMs - retentionDays * 86_400_000);
  await takeEach([
    () => ensurePartitions(context.db, nowMs),
    async () => {
      const dropped = await deleteResultsBefore(context.db, oldest);
      if (dropped.length === 0) return;
      log.info({ dropped }, "dropped results older than the retention period");
    },
    () => pruneStateChanges(context, oldest),
    // A retry is deleted when its result is recorded. Results of old retries are rejected, so
    // without this deletion old retries would stay due forever.
    () => deleteRetriesBefore(context.db, new Date(nowMs - maxAgeMs)),
    () => deleteSessionsBefore(context.db, new Date(nowMs - sessionRetentionMs)),
  ]);
}

async function pruneStateChanges(context: RecordingContext, before: Date): Promise<void> {
  for (let batch = 0; batch < maxPruneBatches; batch += 1) {
    if ((await deleteStateChangesBefore(context.db, before, pruneBatch)) < pruneBatch) return;
  }
}

/**
 * Maximum number of times that a shutdown checks whether the queue is empty. Without a limit, the
 * shutdown would never end if the database is permanently unavailable.
 */
const maxDrainLooks = 100;
const lookEveryMs = 20;
/**
 * Pause after a batch of at least 10 results, which makes the next batch larger. A transaction
 * costs nearly the same for few and many results: server and database need 250 µs per run with
 * batches of 30, and half of that with batches of 500. There is no pause after a smaller batch.
 */
const gather = { from: 10, ms: 100 };

/** Starts the recorder. With the in-process bus, a shutdown waits until the queue is empty. */
export function startRecorder(context: RecordingContext): Consumer {
  const { bus } = context;
  const consumer = bus.consume<unknown>(subjects.allResults, {
    name: "record results",
    maxBatch: recordBatchSize,
    gather,
    handle: async (messages, sentTo) => {
      const accepted = acceptResults(context, messages, sentTo);
      await recordResults(context, await dropSkipped(context, accepted));
      context.recordedRuns.note(messages);
      context.load.close(accepted, context.clock.now().getTime());
    },
  });
  return {
    ...consumer,
    stop: async () => {
      for (let look = 0; look < maxDrainLooks; look += 1) {
        if (bus.volatileDepth(subjects.allResults) === 0) break;
        await new Promise((resume) => setTimeout(resume, lookEveryMs));
      }
      await consumer.stop();
    },
  };
}
