import type { Consumer } from "../../platform/bus.ts";
import { acceptResults } from "./acceptance.ts";
import { type RunsContext, subjects } from "./context.ts";
import { dropSkipped } from "./overload/drop-skipped.ts";
import { recordBatchSize, recordResults } from "./recorder.ts";

/** A stop waits this long for the queue, as the database may be gone for good. */
const maxDrainLooks = 100;
const lookEveryMs = 20;

/** A queue that ends with the process is recorded before it stops. */
export function startRecorder(context: RunsContext): Consumer {
  const { bus } = context;
  const consumer = bus.consume<unknown>(subjects.allResults, {
    name: "record results",
    maxBatch: recordBatchSize,
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
