import { EventEmitter } from "node:events";
import type { Order } from "../../../contract/order.ts";
import {
  parseNews,
  type RunNews,
  type RunProgress,
  type RunStarted,
} from "../../../contract/progress.ts";
import type { Result } from "../../../contract/result.ts";

export type TrialNews =
  | { readonly kind: "started"; readonly start: RunStarted }
  | { readonly kind: "progress"; readonly progress: RunProgress }
  | { readonly kind: "result"; readonly result: Result }
  | { readonly kind: "waiting" }
  | { readonly kind: "timed-out" };

/** One run that nobody stores. `news` is whatever happens; `over` comes once, and last. */
export class Trial extends EventEmitter<{ news: [TrialNews]; over: [] }> {
  tell(news: TrialNews): void {
    this.emit("news", news);
  }
}

const waitingMs = 5_000;

interface OpenTrial {
  readonly trial: Trial;
  /** Where the order went, and the proof that it was there; null before it left. */
  sent: Pick<Order, "route" | "tag"> | null;
}

/**
 * The trials that this server ordered. Their orders travel like all others; what the probes say of
 * them comes back to this server alone, and is given to whoever tries.
 */
export class OpenTrials {
  readonly #byRun = new Map<string, OpenTrial>();

  /** It is over with its result or after `patienceMs`, also when nobody listens any more. */
  open(runId: string, patienceMs: number): Trial {
    const trial = new Trial();
    this.#byRun.set(runId, { trial, sent: null });
    const ticks = setInterval(() => trial.tell({ kind: "waiting" }), waitingMs);
    const timer = setTimeout(() => this.#end(runId, { kind: "timed-out" }), patienceMs);
    trial.once("over", () => {
      clearInterval(ticks);
      clearTimeout(timer);
    });
    return trial;
  }

  /** The order as it leaves. Only whoever gets it can tell us of it. */
  noteOrder({ runId, tag }: Order, route: string): void {
    const open = this.#byRun.get(runId);
    if (open !== undefined) open.sent = { route, ...(tag !== undefined && { tag }) };
  }

  noteNews(messages: readonly unknown[], routes: readonly (string | null)[]): void {
    for (const [at, message] of messages.entries()) {
      const { runId } = (message ?? {}) as Partial<RunNews>;
      const open = this.#byRun.get(runId ?? "");
      const news = open === undefined ? null : readNews(open, message, routes[at]);
      if (open === undefined || news === null) continue;
      if ("result" in news) this.#end(news.runId, { kind: "result", result: news.result });
      else if ("progress" in news) open.trial.tell({ kind: "progress", progress: news });
      else open.trial.tell({ kind: "started", start: news });
    }
  }

  /** What this server says itself of its trials; gives back those that are of none. */
  takeResults(results: readonly Result[]): readonly Result[] {
    if (this.#byRun.size === 0) return results;
    return results.filter((result) => !this.#end(result.runId, { kind: "result", result }));
  }

  #end(runId: string, last: TrialNews): boolean {
    const open = this.#byRun.get(runId);
    if (open === undefined) return false;
    this.#byRun.delete(runId);
    open.trial.tell(last);
    open.trial.emit("over");
    return true;
  }
}

/** Null: it is not from whoever got the order. */
function readNews({ sent }: OpenTrial, message: unknown, route: string | null | undefined) {
  if (sent === null || sent.route !== route) return null;
  // An order without a tag never left the process, and so does what is said of it.
  const news = sent.tag === undefined ? (message as RunNews) : parseNews(message);
  return news?.tag === sent.tag ? news : null;
}
