/** Reads the change notifications of the account from an event stream. */
import type { Change } from "./change.ts";
import { readChosenAccount } from "./chosen-account.ts";
import { api, RequestTimeout, send } from "./client.ts";
import { readLines } from "./read-lines.ts";

export type StreamEvent =
  | { readonly event: "hello" | "resync" | "beat" }
  | { readonly event: "changes"; readonly changes: readonly Change[] }
  | { readonly event: "end"; readonly reason: string };

/** Maximum length of a line, sufficient for a hundred ids of every type. */
const maxLineLength = 500_000;
const firstMs = 15_000;
/** Maximum time without data. The server sends a heartbeat at least every 20 seconds. */
const maxSilenceMs = 45_000;

export class StreamRejected extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`The event stream was refused with ${status}.`);
    this.status = status;
  }
}

/**
 * Yields events until the server closes the stream. Throws if the connection breaks or times out.
 */
export async function* openEventStream(signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const account = readChosenAccount();
  const timeout = new RequestTimeout(signal);
  timeout.start(firstMs);
  try {
    const response = await fetch("/v1/events", {
      headers: {
        accept: "application/x-ndjson",
        ...(account !== null && { "x-service-account": account }),
      },
      signal: timeout.signal,
    });
    if (!response.ok || response.body === null) {
      void response.body?.cancel();
      // The shared client notifies the application that the session has ended; `fetch` does not.
      if (response.status === 401) await send(api.GET("/v1/users/me")).catch(() => {});
      throw new StreamRejected(response.status);
    }
    for await (const line of readLines(response.body, maxLineLength)) {
      timeout.start(maxSilenceMs);
      yield JSON.parse(line) as StreamEvent;
    }
  } finally {
    timeout.end();
  }
}
