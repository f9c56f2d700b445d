import type { Consumer } from "../../platform/bus.ts";
import { acceptResults } from "./acceptance.ts";
import { type RunsContext, subjects } from "./context.ts";
import { dropSkipped } from "./overload/drop-skipped.ts";
import { recordBatchSize, recordResults } from "./recorder.ts";

/** A stop waits this long for the queue, as the database may be gone for good. */
const maxDrainLooks = 100;
const lookEveryMs = 20;
/**
 * A transaction costs the same for few results and for many: in batches of 30 a run costs server
 * and database 250 µs, in batches of 500 half of that. Where few results come, none of them waits.
 */
const gather = { from: 10, ms: 100 };

/** A queue that ends with the process is recorded before it stops. */
export function startRecorder(context: RunsContext): Consumer {
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
        if (bus.unkeptDepth(subjects.allResults) === 0) break;
        await new Promise((resume) => setTimeout(resume, lookEveryMs));
      }
      await consumer.stop();
    },
  };
}
