import type { NoData, Result } from "../contract/result.ts";
import { MessageTooBigError } from "../platform/bus.ts";

/**
 * Publishes results. One that exceeds the message limit is replaced by an error result, so that its
 * run is not lost.
 */
export async function publishFitting<Sent extends Result>(
  results: readonly Sent[],
  publish: (results: readonly Sent[]) => Promise<void>,
): Promise<void> {
  try {
    await publish(results);
  } catch (error) {
    if (!(error instanceof MessageTooBigError)) throw error;
    const message = `The result is too large to send: it exceeds ${error.maxBytes} bytes.`;
    const outcome: NoData = { kind: "cannot-check", message };
    const places = new Set(error.places);
    const tooBig = results.filter((_, place) => places.has(place));
    await publish(tooBig.map((result) => ({ ...result, outcome })));
  }
}
