import { EventEmitter } from "node:events";
import type { RunNews, RunProgress, RunStarted } from "../../../contract/progress.ts";
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

/**
 * The trials under way. Their orders and results travel like all others; here the results are
 * taken out before anything is stored, and given to whoever tries.
 */
export class OpenTrials {
  readonly #byRun = new Map<string, Trial>();

  /** It is over with its result or after `patienceMs`, also when nobody listens any more. */
  open(runId: string, patienceMs: number): Trial {
    const trial = new Trial();
    this.#byRun.set(runId, trial);
    const ticks = setInterval(() => trial.tell({ kind: "waiting" }), waitingMs);
    const timer = setTimeout(() => this.#end(runId, { kind: "timed-out" }), patienceMs);
    trial.once("over", () => {
      clearInterval(ticks);
      clearTimeout(timer);
    });
    return trial;
  }

  noteNews(batch: readonly RunNews[]): void {
    for (const news of batch) {
      const trial = this.#byRun.get(news.runId);
      if ("progress" in news) trial?.tell({ kind: "progress", progress: news });
      else trial?.tell({ kind: "started", start: news });
    }
  }

  /** Gives back those that are of no trial. */
  takeResults(results: readonly Result[]): readonly Result[] {
    if (this.#byRun.size === 0) return results;
    return results.filter((result) => !this.#end(result.runId, { kind: "result", result }));
  }

  #end(runId: string, last: TrialNews): boolean {
    const trial = this.#byRun.get(runId);
    if (trial === undefined) return false;
    this.#byRun.delete(runId);
    trial.tell(last);
    trial.emit("over");
    return true;
  }
}
