import type { Log } from "./log.ts";
import { Progress, type ProgressOptions, type ProgressState } from "./progress.ts";

export interface Loop {
  /** Waits for the turn under way and starts no other. */
  readonly stop: () => Promise<void>;
  /** For work that comes in turns: whether it gets on. */
  readonly progress?: () => ProgressState;
}

export interface LoopOptions extends ProgressOptions {
  /** The pause after each turn; for a loop that is woken, the longest one. */
  readonly everyMs: number;
  /** How soon after a turn it may be woken for the next; `everyMs` by default. */
  readonly restMs?: number;
  /** Hands over what ends a pause early. */
  readonly onWork?: (wake: () => void) => void;
  /** After each turn: how long nothing is due. */
  readonly sleepMs?: () => number;
  readonly log: Log;
  readonly turn: () => Promise<void>;
}

/** While turns fail, the pauses double up to this. */
const maxBackoffMs = 5_000;
/** A turn that failed is not put off until the next day of a slow loop. */
const maxRetryMs = 60_000;
/** What fails for hours is logged now and then, not at every turn. */
const logEveryMs = 60_000;

function findPauseMs(everyMs: number, failuresInARow: number): number {
  if (failuresInARow === 0) return everyMs;
  const backoffMs = everyMs * 2 ** (failuresInARow - 1);
  return Math.min(backoffMs, Math.max(everyMs, maxBackoffMs), maxRetryMs);
}

type Pauses = Pick<LoopOptions, "everyMs" | "restMs" | "sleepMs">;

/** Timers that can be woken: a turn is followed by a pause, which something may end early. */
class Pacer {
  readonly #pauses: Pauses;
  readonly #begin: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** No turn before this. */
  #restUntilMs = 0;
  #isWoken = false;
  #isBusy = false;
  #isStopped = false;

  constructor(pauses: Pauses, begin: () => void) {
    this.#pauses = pauses;
    this.#begin = begin;
    const { everyMs, restMs = everyMs } = pauses;
    this.#beginIn(restMs);
  }

  readonly wake = (): void => {
    if (this.#isBusy) this.#isWoken = true;
    else this.#beginIn(this.#restUntilMs - performance.now());
  };

  pause(failuresInARow: number): void {
    const { everyMs, restMs = everyMs, sleepMs } = this.#pauses;
    this.#isBusy = false;
    const leastMs = findPauseMs(restMs, failuresInARow);
    this.#restUntilMs = performance.now() + leastMs;
    const isFailing = failuresInARow > 0;
    const longestMs = isFailing ? leastMs : Math.min(everyMs, sleepMs?.() ?? everyMs);
    this.#beginIn(this.#isWoken ? leastMs : Math.max(leastMs, longestMs));
    this.#isWoken = false;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #beginIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(
      () => {
        this.#isBusy = true;
        this.#begin();
      },
      // A fraction here makes every timer of the process slower.
      Math.max(0, Math.ceil(ms)),
    );
  }
}

/** Background work: one turn at a time, and a turn that fails is logged and tried again. */
export function startLoop({ log, turn, onWork, ...options }: LoopOptions): Loop {
  const { name, nowMs = Date.now } = options;
  const progress = new Progress(options);
  let current: Promise<void> = Promise.resolve();
  let loggedAtMs: number | null = null;

  const noteFailure = (error: unknown) => {
    progress.fail();
    if (loggedAtMs !== null && nowMs() - loggedAtMs < logEveryMs) return;
    loggedAtMs = nowMs();
    const failures = progress.failuresInARow;
    const what = "a background turn failed and will be tried again";
    log.warn({ err: error, loop: name, failures }, what);
  };
  const noteSuccess = () => {
    if (loggedAtMs !== null) log.info({ loop: name }, "a background loop gets on again");
    loggedAtMs = null;
    progress.succeed();
  };
  const runTurn = async () => {
    progress.begin();
    try {
      await turn();
      noteSuccess();
    } catch (error) {
      noteFailure(error);
    }
    pacer.pause(progress.failuresInARow);
  };
  const pacer = new Pacer(options, () => {
    current = runTurn();
  });
  onWork?.(pacer.wake);
  return {
    progress: () => progress.state(),
    stop: async () => {
      pacer.stop();
      await current;
    },
  };
}

/** Steps of a turn that do not need each other: one that fails leaves none of the others out. */
export async function takeEach(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error) => errors.push(error));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, "several steps of a turn failed");
}
