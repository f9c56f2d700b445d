import { EventEmitter } from "node:events";
import type { Order } from "../../../contract/order.ts";
import {
  parseTrialEvent,
  type Result,
  type RunProgress,
  type RunStarted,
  type TrialEvent,
} from "../../../contract/result.ts";
import type { NatsKeys } from "../../locations/index.ts";

export type TrialMessage =
  | { readonly kind: "started"; readonly start: RunStarted }
  | { readonly kind: "progress"; readonly progress: RunProgress }
  | { readonly kind: "result"; readonly result: Result }
  | { readonly kind: "waiting" }
  | { readonly kind: "timed-out" };

/** One run that is not stored. Emits `message` for each event and `over` once at the end. */
export class Trial extends EventEmitter<{ message: [TrialMessage]; over: [] }> {
  report(message: TrialMessage): void {
    this.emit("message", message);
  }
}

const waitingMs = 5_000;

interface OpenTrial {
  readonly trial: Trial;
  /** Route and tag of the sent order; `null` before it was sent. */
  sent: Pick<Order, "route" | "tag"> | null;
}

/**
 * The trials that this server ordered. Their orders are sent like all others; messages about them
 * are sent back to this server only.
 */
export class OpenTrials {
  readonly #byRun = new Map<string, OpenTrial>();

  /** Opens a trial. It ends with its result or on timeout, even if nobody listens anymore. */
  open(runId: string, timeoutMs: number): Trial {
    const trial = new Trial();
    this.#byRun.set(runId, { trial, sent: null });
    const ticks = setInterval(() => trial.report({ kind: "waiting" }), waitingMs);
    const timer = setTimeout(() => this.#end(runId, { kind: "timed-out" }), timeoutMs);
    trial.once("over", () => {
      clearInterval(ticks);
      clearTimeout(timer);
    });
    return trial;
  }

  /** Records the sent order. Only its recipient can send messages about the trial. */
  noteOrder({ runId, tag }: Order, route: string): void {
    const open = this.#byRun.get(runId);
    if (open !== undefined) open.sent = { route, ...(tag !== undefined && { tag }) };
  }

  noteMessages(messages: readonly unknown[], routes: readonly (string | null)[]): void {
    for (const [at, message] of messages.entries()) {
      const { runId } = (message ?? {}) as Partial<TrialEvent>;
      const open = this.#byRun.get(runId ?? "");
      const received = open === undefined ? null : readMessage(open, message, routes[at]);
      if (open === undefined || received === null) continue;
      if ("result" in received)
        this.#end(received.runId, { kind: "result", result: received.result });
      else if ("progress" in received) open.trial.report({ kind: "progress", progress: received });
      else open.trial.report({ kind: "started", start: received });
    }
  }

  /** Handles results that this server creates itself; returns those that belong to no trial. */
  takeResults(results: readonly Result[]): readonly Result[] {
    if (this.#byRun.size === 0) return results;
    return results.filter((result) => !this.#end(result.runId, { kind: "result", result }));
  }

  /** Ends a trial that nobody waits for; nothing happens if it has ended. */
  cancel(runId: string): void {
    this.#end(runId, { kind: "timed-out" });
  }

  #end(runId: string, last: TrialMessage): boolean {
    const open = this.#byRun.get(runId);
    if (open === undefined) return false;
    this.#byRun.delete(runId);
    open.trial.report(last);
    open.trial.emit("over");
    return true;
  }
}

/** Returns `null` if the message was not sent by the recipient of the order. */
function readMessage({ sent }: OpenTrial, message: unknown, route: string | null | undefined) {
  if (sent === null || sent.route !== route) return null;
  // An order without a tag never left the process, and neither did messages about it.
  const parsed = sent.tag === undefined ? (message as TrialEvent) : parseTrialEvent(message);
  return parsed?.tag === sent.tag ? parsed : null;
}

/**
 * Returns the route that a trial message comes from; `null` if the NATS key of the probe does not
 * belong to it.
 */
export function findTrialRoute(
  { natsKeys }: { readonly natsKeys: Pick<NatsKeys, "find"> },
  subject: string,
): string | null {
  const [, , route = "", user] = subject.split(".");
  return user === undefined || natsKeys.find(user)?.route === route ? route : null;
}
