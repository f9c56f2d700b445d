import { subjects } from "../../contract/subjects.ts";
import type { Consumer } from "../../platform/bus.ts";
import { acceptResults } from "./acceptance.ts";
import type { RunsContext } from "./context.ts";
import { recordBatchSize, recordResults } from "./recorder.ts";
import { dropSkipped } from "./skipped-results.ts";

/** A shutdown waits this long for the queue, as the database may be permanently down. */
const maxDrainLooks = 100;
const lookEveryMs = 20;
/**
 * A transaction costs about the same for few and many results: per run, server and database use 250
 * µs in batches of 30 and half of that in batches of 500. With few results, none of them waits.
 */
const gather = { from: 10, ms: 100 };

/** Starts the recorder. With the in-process bus, the queue is drained on shutdown. */
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
        if (bus.volatileDepth(subjects.allResults) === 0) break;
        await new Promise((resume) => setTimeout(resume, lookEveryMs));
      }
      await consumer.stop();
    },
  };
}
