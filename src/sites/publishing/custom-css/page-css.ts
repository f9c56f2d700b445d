import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Type } from "typebox";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import { invalid, KnownError, readCode } from "../../../platform/errors.ts";
import type { FilteredCss } from "./filter.ts";
import type { Sheet } from "./values.ts";

interface FilterThreadOptions {
  readonly script: URL;
  /**
   * Maximum CPU time per sheet, which does not depend on other load. Known sheets need up to 0.2 s.
   */
  readonly maxCpuMs: number;
  readonly checkEveryMs: number;
  readonly idleMs: number;
}

const defaultOptions: FilterThreadOptions = {
  script: new URL("./filter-worker.ts", import.meta.url),
  maxCpuMs: 5_000,
  checkEveryMs: 500,
  idleMs: 5_000,
};

const maxWaiting = 100;
const maxFilterMs = 60_000;

/** Returns whether the sheet caused the error by exceeding its time or memory limit. */
function isOverBudget(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "AbortError" || readCode(error) === "ERR_WORKER_OUT_OF_MEMORY";
}

/**
 * Filters style sheets one after the other in a separate thread, so that a hostile sheet delays
 * only other sheets. The thread starts for the first sheet and ends soon after the last sheet.
 */
export class FilterThread {
  readonly #options: FilterThreadOptions;
  #worker: Worker | null = null;
  #ready: Promise<unknown> = Promise.resolve();
  #idleTimer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: Partial<FilterThreadOptions> = {}) {
    this.#options = { ...defaultOptions, ...options };
  }

  /** Returns the filtered sheet; `null` if the sheet exceeds the time or memory limit. */
  async filter(sheet: Sheet): Promise<FilteredCss | null> {
    if (this.#waiting >= maxWaiting) throw new KnownError("unavailable");
    this.#waiting += 1;
    const filtering = this.#last.then(() => this.#filterNow(sheet));
    this.#last = filtering.catch(() => undefined);
    try {
      return await filtering;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#endWhenIdle();
    }
  }

  async #filterNow(sheet: Sheet): Promise<FilteredCss | null> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker ?? this.#start();
    const overBudget = new AbortController();
    const signal = AbortSignal.any([overBudget.signal, AbortSignal.timeout(maxFilterMs)]);
    let watch: NodeJS.Timeout | undefined;
    worker.ref();
    try {
      // The CPU time of starting the thread does not count, because the sheet does not cause it.
      await this.#ready;
      watch = this.#watchCpu(worker, overBudget);
      worker.postMessage(sheet);
      const [filtered] = await once(worker, "message", { signal });
      return filtered;
    } catch (error) {
      await this.#end(worker);
      if (isOverBudget(error)) return null;
      throw error;
    } finally {
      clearInterval(watch);
      worker.unref();
    }
  }

  #watchCpu(worker: Worker, overBudget: AbortController): NodeJS.Timeout {
    let atStartMs: number | null = null;
    const check = async () => {
      const { user, system } = await worker.cpuUsage();
      const nowMs = (user + system) / 1_000;
      atStartMs ??= nowMs;
      if (nowMs - atStartMs > this.#options.maxCpuMs) overBudget.abort();
    };
    // Errors are ignored, because a worker that has ended reports no CPU time.
    const checkAgain = () => void check().catch(() => undefined);
    checkAgain();
    return setInterval(checkAgain, this.#options.checkEveryMs);
  }

  #start(): Worker {
    const worker = new Worker(this.#options.script, {
      name: "custom-css",
      execArgv: ["--disable-warning=ExperimentalWarning"],
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
    });
    // The caller of `filter` gets the error. Without this listener, the process would end.
    worker.on("error", () => undefined);
    worker.on("exit", () => this.#end(worker));
    this.#ready = once(worker, "message", { signal: AbortSignal.timeout(maxFilterMs) });
    this.#worker = worker;
    return worker;
  }

  #endWhenIdle(): void {
    const worker = this.#worker;
    if (worker === null) return;
    this.#idleTimer = setTimeout(() => void this.#end(worker), this.#options.idleMs).unref();
  }

  /**
   * Ends the worker. `#worker` is cleared first, because another sheet may arrive before the end.
   */
  async #end(worker: Worker): Promise<void> {
    if (this.#worker === worker) this.#worker = null;
    await worker.terminate();
  }
}

const maxSheets = 50;

export const CssWarningList = Type.Array(
  Type.Object({
    line: Type.Integer({ description: "Line number, starting at 1." }),
    column: Type.Integer({ description: "Column number, starting at 1." }),
    message: Type.String({
      description: "What was removed, and why.",
      examples: ["removed: @import"],
    }),
  }),
  { description: "Parts of the style sheet that were removed, and why." },
);
const nothing: FilteredCss = { css: "", warnings: [] };

/** Caches filtered sheets by scope and source, and evicts the least recently used ones. */
export class FilteredSheets {
  readonly #thread: Pick<FilterThread, "filter">;
  readonly #known = new BoundedMap<string, Promise<FilteredCss | null>>(maxSheets);

  constructor(thread: Pick<FilterThread, "filter">) {
    this.#thread = thread;
  }

  /** Returns the filtered sheet; `null` if the sheet exceeds the time or memory limit. */
  async read(sheet: Sheet): Promise<FilteredCss | null> {
    if (sheet.source === "") return nothing;
    const key = `${sheet.scope} ${sheet.source}`;
    const reading = this.#known.getOrCreate(key, () => this.#thread.filter(sheet));
    let filtered: FilteredCss | null = null;
    try {
      filtered = await reading;
    } finally {
      // A failed sheet is not cached, because a later attempt may succeed on a less busy machine.
      if (filtered === null && this.#known.get(key) === reading) this.#known.delete(key);
    }
    return filtered;
  }
}

/** The cache is in memory only, so that a new version filters stored sheets with its own rules. */
export const filteredSheets = new FilteredSheets(new FilterThread());

/** Filters a sheet that is being saved or previewed. Errors refer to the API field `field`. */
export async function filterPageCss(sheet: Sheet, field = "customCSS"): Promise<FilteredCss> {
  const filtered = await filteredSheets.read(sheet);
  if (filtered === null) throw invalid(field, "takes too long to parse");
  return filtered;
}

/** Returns the filtered form of a stored sheet, as served to visitors. */
export async function readPageCss(sheet: Sheet): Promise<string> {
  const filtered = await filteredSheets.read(sheet);
  if (filtered === null) throw new KnownError("unavailable");
  return filtered.css;
}
