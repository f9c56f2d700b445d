import { EventEmitter } from "node:events";
import type { NatsKeys } from "../../../checks/locations/index.ts";
import type { Order } from "../../../contract/order.ts";
import {
  parseTrialEvent,
  type Result,
  type RunProgress,
  type RunStarted,
  type TrialEvent,
} from "../../../contract/result.ts";

export type TrialMessage =
  | { readonly kind: "started"; readonly start: RunStarted }
  | { readonly kind: "progress"; readonly progress: RunProgress }
  | { readonly kind: "result"; readonly result: Result }
  | { readonly kind: "waiting" }
  | { readonly kind: "timed-out" };

/** A run whose result is not stored. Emits `message` for each event, and `over` at the end. */
export class Trial extends EventEmitter<{ message: [TrialMessage]; over: [] }> {
  report(message: TrialMessage): void {
    this.emit("message", message);
  }
}

const waitingMs = 5_000;

interface OpenTrial {
  readonly trial: Trial;
  /** Route and tag of the order; `null` until the order is sent. */
  sent: Pick<Order, "route" | "tag"> | null;
}

/** Trials that this server ordered. Probes send messages about a trial only to this server. */
export class OpenTrials {
  readonly #byRun = new Map<string, OpenTrial>();

  /** Opens a trial. The trial ends with its result or a timeout, even if there is no listener. */
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

  /** Records the route of the order. Only messages from this route are accepted for the trial. */
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

  /**
   * Passes results that this server created to the trials they belong to. Returns the other
   * results.
   */
  takeResults(results: readonly Result[]): readonly Result[] {
    if (this.#byRun.size === 0) return results;
    return results.filter((result) => !this.#end(result.runId, { kind: "result", result }));
  }

  /** Ends a trial whose client no longer waits. Does nothing if the trial has already ended. */
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

/**
 * Parses a trial message. Returns `null` unless the message comes from the recipient of the order.
 */
function readMessage({ sent }: OpenTrial, message: unknown, route: string | null | undefined) {
  if (sent === null || sent.route !== route) return null;
  // If the order has no tag, the run happened in this process and the message is trusted.
  const parsed = sent.tag === undefined ? (message as TrialEvent) : parseTrialEvent(message);
  return parsed?.tag === sent.tag ? parsed : null;
}

/**
 * Returns the route of a trial message; `null` if the NATS key of the probe is not of this route.
 */
export function findTrialRoute(
  { natsKeys }: { readonly natsKeys: Pick<NatsKeys, "find"> },
  subject: string,
): string | null {
  const [, , route = "", user] = subject.split(".");
  return user === undefined || natsKeys.find(user)?.route === route ? route : null;
}
